"""Checks of what was proposed inside: disclosure against trust, warmth against resistance, moves against volatility."""

from collections.abc import Iterator

from emoharbor.eval.audit.case import Case, Said
from emoharbor.eval.audit.finding import Finding
from emoharbor.eval.audit.overlap import share_in
from emoharbor.eval.audit.phrases import warm_words
from emoharbor.nodes.think import TOO_SOON
from emoharbor.state.outcome import Outcome
from emoharbor.state.shift import Shift

_TRUSTING = 6.0
"""Trust from which effusive thanks are no wonder, however early."""


def over_disclosure(case: Case) -> Iterator[Finding]:
    """What was told, or was to be told, though it is held back."""
    yield from _slipped(case)
    yield from _worded(case)
    yield from _too_soon(case)


def instant_warmth(case: Case) -> Iterator[Finding]:
    """Warming up sooner than resistance allows, inside and in words."""
    yield from _trusting(case)
    yield from _met(case)
    yield from _content(case)
    yield from _effusive(case)


def swing(case: Case) -> Iterator[Finding]:
    """Distress that is to move further than volatility allows."""
    step = case.person.bounds.distress_step
    most = case.limits.swing_steps * step
    for shift, before, proposed in moves(case, "distress"):
        if abs(proposed - before) > most + 1e-9:
            why = f"distress from {before:g} to {proposed:g}; one turn moves this person {step:g}"
            yield Finding(kind="swing", rule="distress", turn=shift.turn, role=shift.role, words=shift.cause, why=why)


def moves(case: Case, field: str) -> Iterator[tuple[Shift, float, float]]:
    """Yield the proposed moves of a level: the shift, the level before, the level proposed."""
    for shift in case.shifts:
        if shift.field == field and isinstance(shift.before, int | float) and isinstance(shift.proposed, int | float):
            yield shift, float(shift.before), float(shift.proposed)


def _slipped(case: Case) -> Iterator[Finding]:
    """Facts whose telling words were found in a message while they were held back."""
    for item in case.last_world.disclosed if case.last_world else ():
        said = next((said for said in case.said if said.turn == item.turn), None)
        if said is not None and _is_held(case, said, item.fact):
            yield Finding(
                kind="over_disclosure", rule="slipped out", turn=item.turn, role=case.speaker, words=item.quote,
                why=f"tells {item.fact!r}, which was held back",
            )  # fmt: skip


def _worded(case: Case) -> Iterator[Finding]:
    """Facts told in the person's own words for them, other than those that give the fact away, while held back."""
    for fact, says in case.person.told:
        for said in case.said:
            if not _is_held(case, said, fact):
                break
            if share_in(says, said.text) >= case.limits.told_share:
                why = f"tells {fact!r} in the profile's words, though it was held back"
                yield case.finding(said, "over_disclosure", "own words", why)
                break


def _is_held(case: Case, said: Said, fact: str) -> bool:
    """Tell whether a fact was to be held back at a message; nothing can be said where no trust is tracked."""
    if said.world is None:
        return False
    if case.thinks:
        return fact not in said.world.released
    return case.feels and said.world.trust < case.person.thresholds.get(fact, 0.0)


def _too_soon(case: Case) -> Iterator[Finding]:
    """What `think` meant to tell below its threshold, or faster than the person's pace; and what it let slip."""
    needs = case.person.thresholds
    for shift in case.shifts:
        if shift.field == "gist":
            yield Finding(
                kind="over_disclosure", rule="gist", turn=shift.turn, role=shift.role, words=str(shift.proposed),
                why="what to say quotes a fact still held back",
            )  # fmt: skip
        if shift.field != "released":
            continue
        wanted = [fact for fact in _facts(shift.proposed) if fact not in _facts(shift.before)]
        trust = case.worlds[shift.turn].trust if shift.turn in case.worlds else 0.0
        early = [fact for fact in wanted if trust < needs.get(fact, 0.0)]
        why = ""
        if early:
            levels = ", ".join(f"{fact!r} (from {needs[fact]:g})" for fact in early)
            why = f"means to tell {levels} at a trust of {trust:g}"
        elif len(wanted) > case.person.bounds.releases_per_turn:
            why = f"means to tell {len(wanted)} facts at once; this person tells {case.person.bounds.releases_per_turn}"
        if why:
            rule = "below trust" if early else "pace"
            yield Finding(
                kind="over_disclosure", rule=rule, turn=shift.turn, role=shift.role, words=shift.cause, why=why
            )
    for fault in case.record.faults:
        if fault.kind == "complaint" and TOO_SOON in fault.detail:
            yield Finding(
                kind="over_disclosure", rule="below trust", turn=fault.turn, role=fault.role, why=fault.detail
            )


def _facts(value: object) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()


def _trusting(case: Case) -> Iterator[Finding]:
    step = case.person.bounds.trust_gain
    most = case.limits.warm_steps * step
    for shift, before, proposed in moves(case, "trust"):
        if proposed - before > most + 1e-9:
            why = f"trust from {before:g} to {proposed:g}; one turn lifts this person's by {step:g}"
            yield Finding(
                kind="instant_warmth", rule="trust", turn=shift.turn, role=shift.role, words=shift.cause, why=why
            )


def _met(case: Case) -> Iterator[Finding]:
    for shift in case.shifts:
        at_once = str(shift.before).endswith(":unmet") and str(shift.proposed).endswith(":met")
        if shift.field == "need" and at_once and shift.turn <= case.limits.warm_replies:
            why = f"the need {str(shift.proposed).partition(':')[0]!r} is met at one stroke by reply {shift.turn}"
            yield Finding(
                kind="instant_warmth", rule="need", turn=shift.turn, role=shift.role, words=shift.cause, why=why
            )


def _content(case: Case) -> Iterator[Finding]:
    heard = sum(turn.supporter is not None for turn in case.record.turns)
    if case.record.outcome is Outcome.USER_SATISFIED and heard <= case.limits.warm_replies:
        why = f"leaves content after {heard} replies"
        yield Finding(
            kind="instant_warmth", rule="leaves", turn=case.said[-1].turn, role="think",
            words=case.record.outcome_reason, why=why,
        )  # fmt: skip


def _effusive(case: Case) -> Iterator[Finding]:
    for said in case.said:
        if not 0 < len(said.heard) <= case.limits.warm_replies:
            continue
        if said.world is not None and said.world.trust >= _TRUSTING:
            continue
        if found := warm_words(said.text):
            trust = "" if said.world is None else f" at a trust of {said.world.trust:g}"
            why = f"overflows with thanks after {len(said.heard)} replies{trust} ({', '.join(map(repr, found[:3]))})"
            yield Finding(
                kind="instant_warmth", rule="words", turn=said.turn, role=case.speaker, words=said.words, why=why
            )
