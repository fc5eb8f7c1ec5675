"""How a proposal becomes a changed inner world: pure functions that apply the person's limits and log each change.

Each takes the inner world as it was, what a role proposed, and the `Bounds`; it returns the new inner world and one
`Shift` for each field that was proposed to change, with what was proposed beside what was applied.
"""

from collections.abc import Iterable

from emoharbor.state.base import Role
from emoharbor.state.bounds import Bounds
from emoharbor.state.inner_world import Disclosure, Emotion, InnerWorld, Need
from emoharbor.state.shift import Shift, ShiftField, ShiftValue
from emoharbor.state.updates import FeelUpdate, NeedMove, ThinkUpdate

Change = tuple[InnerWorld, tuple[Shift, ...]]


def within_step(before: float, proposed: float, *, down: float, up: float) -> float:
    """Return `proposed`, moved no further from `before` than `down` or `up`, inside 0 to 10, to one decimal."""
    held = max(before - down, min(before + up, proposed))
    return round(max(0.0, min(10.0, held)), 1)


def apply_feel(world: InnerWorld, update: FeelUpdate, bounds: Bounds, turn: int) -> Change:
    """Take in what `feel` proposes: emotions and felt understanding as they are, distress and trust within a step."""
    log = _Log("feel", turn, update.cause or (update.appraisal.quote if update.appraisal else ""))
    changes: dict[str, object] = {"turn": turn}
    if update.appraisal is not None:
        changes["appraisal"] = update.appraisal
    if update.emotions is not None:
        changes["emotions"] = update.emotions
        log.add("emotions", _labels(world.emotions), _labels(update.emotions))
    if update.felt_understood is not None:
        changes["felt_understood"] = update.felt_understood
        log.add("felt_understood", world.felt_understood, update.felt_understood)
    if update.distress is not None:
        step = bounds.distress_step
        changes["distress"] = within_step(world.distress, update.distress, down=step, up=step)
        log.add("distress", world.distress, update.distress, changes["distress"])
    if update.trust is not None:
        changes["trust"] = within_step(world.trust, update.trust, down=bounds.trust_loss, up=bounds.trust_gain)
        log.add("trust", world.trust, update.trust, changes["trust"])
    return _changed(world, changes), log.shifts()


def apply_think(world: InnerWorld, update: ThinkUpdate, bounds: Bounds, turn: int) -> Change:
    """Take in what `think` decides: needs move, facts are released only at their trust and pace."""
    log = _Log("think", turn, update.thought.monologue)
    releases = _allowed(update.thought.release, world, bounds)
    released = (*world.released, *releases)
    same = releases == update.thought.release
    thought = update.thought if same else update.thought.model_copy(update={"release": releases})
    changes: dict[str, object] = {"turn": turn, "thought": thought, "released": released}
    if update.thought.release:
        wanted = (*world.released, *(fact for fact in update.thought.release if fact not in world.released))
        log.add("released", world.released, wanted, released)
    if update.readiness is not None:
        changes["readiness"] = update.readiness
        log.add("readiness", world.readiness, update.readiness)
    if update.needs:
        changes["needs"] = tuple(_moved(need, update.needs, turn, log) for need in world.needs)
    return _changed(world, changes), log.shifts()


def apply_disclosures(world: InnerWorld, found: Iterable[Disclosure], role: Role, turn: int) -> Change:
    """Add facts that were said for the first time."""
    known = {item.fact for item in world.disclosed}
    fresh = {item.fact: item for item in found if item.fact not in known}
    if not fresh:
        return world, ()
    disclosed = (*world.disclosed, *fresh.values())
    before = tuple(item.fact for item in world.disclosed)
    after = tuple(item.fact for item in disclosed)
    log = _Log(role, turn, " | ".join(item.quote for item in fresh.values()))
    log.add("disclosed", before, after)
    return _changed(world, {"disclosed": disclosed}), log.shifts()


def withhold_gist(world: InnerWorld, turn: int) -> Change:
    """Empty the gist of the thought: it quotes a fact that is still held back."""
    if world.thought is None:
        return world, ()
    log = _Log("think", turn, "the gist quotes a fact still held back")
    log.add("gist", "", world.thought.gist, "")
    return _changed(world, {"thought": world.thought.model_copy(update={"gist": ""})}), log.shifts()


def _allowed(wanted: tuple[str, ...], world: InnerWorld, bounds: Bounds) -> tuple[str, ...]:
    if not wanted:
        return ()
    needs_trust = {item.fact: item.trust for item in bounds.thresholds}
    fresh = [
        fact
        for fact in dict.fromkeys(wanted)
        if fact not in world.released and fact in needs_trust and world.trust >= needs_trust[fact]
    ]
    return tuple(fresh[: bounds.releases_per_turn])


def _moved(need: Need, moves: tuple[NeedMove, ...], turn: int, log: "_Log") -> Need:
    for move in moves:
        if move.id == need.id and move.status != need.status:
            log.add("need", f"{need.id}:{need.status}", f"{need.id}:{move.status}", cause=move.cause)
            return need.model_copy(update={"status": move.status, "turn": turn})
    return need


def _changed(world: InnerWorld, changes: dict[str, object]) -> InnerWorld:
    # model_copy does not validate; the values come from validated updates or from within_step
    return world.model_copy(update=changes)


def _labels(emotions: tuple[Emotion, ...]) -> tuple[str, ...]:
    return tuple(f"{emotion.label}:{emotion.intensity}" for emotion in emotions)


class _Log:
    """Collects the shifts of one role at one turn; proposals that change nothing leave none."""

    def __init__(self, role: Role, turn: int, cause: str) -> None:
        self._role: Role = role
        self._turn = turn
        self._cause = cause
        self._shifts: list[Shift] = []

    def add(
        self, field: ShiftField, before: ShiftValue, proposed: ShiftValue, applied: object = None, cause: str = ""
    ) -> None:
        value = proposed if applied is None else applied
        if before == proposed == value:
            return
        self._shifts.append(
            Shift.model_validate(
                {
                    "field": field, "before": before, "proposed": proposed, "applied": value,
                    "role": self._role, "turn": self._turn, "cause": cause or self._cause,
                }
            )
        )  # fmt: skip

    def shifts(self) -> tuple[Shift, ...]:
        return tuple(self._shifts)
