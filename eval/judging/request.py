"""What a call of `emoharbor judge` asks for, and the stances from which an episode is rated for it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from emoharbor.eval.judging.records import DonorRecord
from emoharbor.eval.runs.plan import Selection
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.errors import ConfigError
from emoharbor.state.verdict import Control, Stance

NOISE = 2
"""How often a control is rated as oneself at least: once for the arm, and once more for the noise floor."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for.

    Attributes:
        judge: the run's own for None; else the name of one of its judges or models, a judge that needs no model, or the
            path of a YAML file.
        repeats: how many ratings of each episode there are in the end.
        rubric: name or path of another rubric.
        with_log: whether the judge reads the inner-world log; controls decide this themselves.
        control: rate as another person as well.
        only: a part of the run.
        allow: supporters that may be rated by their own model, beside those that the run's config allows.
    """

    judge: str | None = None
    repeats: int = 1
    rubric: str | None = None
    with_log: bool = True
    control: Control | None = None
    only: Selection = field(default_factory=Selection)
    allow: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what cannot be.

        Raises:
            ConfigError: for repeats below 1, or a control that is to have what it must not.
        """
        if self.repeats < 1:
            raise ConfigError(f"--repeats {self.repeats}: how many ratings of each episode, from 1")
        if self.control is not None and not self.with_log:
            raise ConfigError(
                "--without-log: leave it out beside --counterfactual: person and profile are rated without the log "
                "anyhow, and replay is about the log"
            )


@dataclass(frozen=True, slots=True)
class Arm:
    """Ratings of one episode that differ in their repeat only.

    Attributes:
        stance: of the first repeat.
        repeats: how many.
        profile: id of who rates.
    """

    stance: Stance
    repeats: int
    profile: str

    def stances(self) -> Iterator[Stance]:
        """Yield the stance of each repeat."""
        for repeat in range(self.repeats):
            yield self.stance.model_copy(update={"repeat": repeat})


@dataclass(frozen=True, slots=True)
class Bench:
    """Who rates a run, and as whom.

    Attributes:
        judge_id: of the judge.
        own: whether it is the run's own.
        has_log: whether the run's people have an inner world.
        people: everybody who may rate, by id, recombined people included.
        donors: who rates in whose stead, for the control that is asked for.
    """

    judge_id: str
    own: bool
    has_log: bool
    people: Mapping[str, PartialProfile]
    donors: Mapping[str, DonorRecord] = field(default_factory=dict)

    def arms(self, profile: str, request: Request) -> Iterator[Arm]:
        """Yield how the episodes of one person are rated. Who has no partner is not rated for that control."""
        if request.control is None:
            yield Arm(self._as_oneself(request.with_log and self.has_log), request.repeats, profile)
            return
        donor = self.donors.get(profile)
        if donor is None:
            return
        replays = request.control == "replay"
        mine = self._stance("replay", with_log=True) if replays else self._as_oneself(with_log=False)
        yield Arm(mine, max(request.repeats, NOISE), profile)
        other = self._stance(request.control, with_log=replays).model_copy(update={"counterfactual": donor.id})
        yield Arm(other, request.repeats, donor.id if request.control == "profile" else f"{profile}~{donor.id}")

    def _as_oneself(self, with_log: bool) -> Stance:  # noqa: FBT001 - one of two arms
        own = self.own and with_log == self.has_log
        return Stance(judge_id=self.judge_id, own=own, with_log=with_log)

    def _stance(self, control: Control, *, with_log: bool) -> Stance:
        return Stance(judge_id=self.judge_id, control=control, with_log=with_log)


def is_rated(stance: Stance, there: Mapping[tuple[object, ...], bool]) -> bool:
    """Tell whether a rating is there. The run's own may be from before judges had ids."""
    key = _key(stance)
    return key in there or (stance.own and there.get(_key(stance.model_copy(update={"judge_id": ""})), False))


def rated(stances: Iterator[Stance] | list[Stance]) -> dict[tuple[object, ...], bool]:
    """Return the stances that are there, for `is_rated`: whether each is the run's own."""
    return {_key(stance): stance.own for stance in stances}


def _key(stance: Stance) -> tuple[object, ...]:
    return stance.judge_id, stance.repeat, stance.control, stance.counterfactual, stance.with_log
