"""What a manifest says of those who rated a run, and as whom."""

from datetime import UTC, datetime
from typing import Any

from emoharbor.eval.judging.identity import judge_id, judge_prompts
from emoharbor.eval.plain import plain
from emoharbor.nodes.cast import Part
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.nodes.rubric import Rubric
from emoharbor.profiles.donors import Donor
from emoharbor.state.base import Frozen
from emoharbor.state.verdict import Control


class RubricRecord(Frozen):
    """The rubric a judge used."""

    id: str
    low: int
    high: int
    groups: dict[str, str | None]
    """Group of each dimension."""

    @classmethod
    def of(cls, rubric: Rubric) -> "RubricRecord":
        """Return what is kept of a rubric."""
        groups = {item.id: item.group for item in rubric.dimensions}
        return cls(id=rubric.id, low=rubric.low, high=rubric.high, groups=groups)


class Asked(Frozen):
    """One call of `emoharbor judge`: what was asked for."""

    at: str
    """Date and time, UTC."""
    repeats: int
    control: Control | None
    with_log: bool


class JudgeRecord(Frozen):
    """A judge of a run: the run's own, or one that rated it later."""

    name: str
    """As people name it: `judge`, the name of a model, or of a file."""
    judge: str
    """Implementation and model, as in its judgements."""
    judge_id: str
    own: bool
    """Whether primary figures rest on it."""
    use: str
    args: dict[str, Any]
    version: str
    model: dict[str, Any] | None
    """Settings of its model; None without one."""
    prompts: dict[str, str]
    """sha256 of its prompt files."""
    rubric: RubricRecord
    added: str
    """Date and time, UTC."""
    asked: tuple[Asked, ...] = ()
    """What it was asked for later, oldest first."""


class DonorRecord(Donor):
    """Who rated in somebody's stead, as they were then."""

    sha256: str
    """Of the donor's profile."""


def judge_record(part: Part, settings: ModelSettings | None, *, name: str, own: bool) -> JudgeRecord | None:
    """Describe a judge; None for one without a rubric, which only tests have."""
    if part.rubric is None:
        return None
    return JudgeRecord(
        name=name,
        judge=part.name,
        judge_id=judge_id(part, settings),
        own=own,
        use=part.use,
        args=plain(part.args),
        version=part.version,
        model=None if settings is None else plain(settings),
        prompts=judge_prompts(part),
        rubric=RubricRecord.of(part.rubric),
        added=now(),
    )


def now() -> str:
    """Return date and time, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
