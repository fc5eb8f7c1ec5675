"""Checks of the messages: role drift, leaked thought, repetition."""

import re
from collections.abc import Iterator

from emoharbor.eval.audit.case import Case, Said
from emoharbor.eval.audit.finding import Finding, Kind
from emoharbor.eval.audit.overlap import LEAST, all_pieces, pieces, shared_run
from emoharbor.nodes.drift import unquoted
from emoharbor.state.text import folded

_TURNED_DOWN: dict[str, Kind] = {
    "role_drift": "drift", "leak": "leak", "name_prefix": "leak", "repeat": "repeat"
}  # fmt: skip
"""What the hygiene of a message calls a fault, and what it is here."""
_SHORTEST = 12
"""UTF-8 bytes of a monologue below which its words say nothing."""
_CALL = re.compile(r"^[\s\"'“]*((?:[^\W\d_]+\s+){0,2}[^\W\d_]+)\s*[,\uff0c\u3001]")
"""How a message begins that calls its reader by name: `Titik,` or `Oh dear Titik,`."""


def turned_down(case: Case) -> Iterator[Finding]:
    """Messages that hygiene turned down: proposed, and so counted, whether the next attempt was sound or not.

    Hygiene has seen every message of a run before it was sent, so its own checks are not made again here.
    """
    for fault in case.record.faults:
        if (kind := _TURNED_DOWN.get(fault.kind)) and fault.role in ("speak", "fused"):
            yield Finding(
                kind=kind, rule=f"turned down as {fault.kind}", turn=fault.turn, role=fault.role,
                words=fault.words, why=fault.detail or fault.kind,
            )  # fmt: skip


def drift(case: Case) -> Iterator[Finding]:
    """Messages that were sent, and that the supporter might have written."""
    for said in case.said:
        call = _CALL.match(said.text)
        if call and case.person.first_name == folded(call[1].split()[-1]):
            yield case.finding(said, "drift", "own name", "the message calls its reader by the person's own name")
        elif (share := _borrowed(case, said)) >= case.limits.drift_share:
            why = f"{share:.0%} of the message stands in the supporter's replies and in nothing of the person's"
            yield case.finding(said, "drift", "supporter's wording", why)


def leak(case: Case) -> Iterator[Finding]:
    """Messages that were sent, and that share a run of words with what only the inner roles know."""
    size = case.limits.leak_bytes
    for said in case.said:
        own = unquoted(said.text)

        def public(said: Said = said) -> tuple[str, ...]:
            return (*case.person.lines, *said.heard, *said.before)

        if run := shared_run(own, _thoughts(said), public, size) or _whole_thought(own, said):
            yield case.finding(said, "leak", "thought", f"the message says what was only thought: {run!r}")
        if run := shared_run(own, case.person.about, public, size):
            yield case.finding(said, "leak", "profile", f"the message reads out the profile: {run!r}")


def _thoughts(said: Said) -> tuple[str, ...]:
    thought = said.world.thought if said.world else None
    return () if thought is None else (thought.monologue, thought.view_of_supporter, thought.continue_reason)


def _whole_thought(own: str, said: Said) -> str:
    """The monologue, if all of it stands in a message: one may be shorter than a run that tells."""
    thought = said.world.thought if said.world else None
    whole = folded(unquoted(thought.monologue)) if thought else ""
    return whole if len(whole.encode()) >= _SHORTEST and whole in folded(own) else ""


def repeat(case: Case) -> Iterator[Finding]:
    """Messages that say nearly nothing but what was said before."""
    for said in case.said:
        mine = pieces(said.text)
        share = len(mine & all_pieces(said.before)) / len(mine) if len(mine) >= LEAST else 0.0
        if share >= case.limits.repeat_share:
            yield case.finding(said, "repeat", "same wording", f"{share:.0%} of the message was said before")


def _borrowed(case: Case, said: Said) -> float:
    """The share of a message that is the supporter's wording; what stands in quotation marks is not borrowed."""
    mine = pieces(unquoted(said.text)) - case.person.pieces
    if len(mine) < 2 * LEAST:
        return 0.0
    mine -= all_pieces(said.before)
    return len(mine & all_pieces(said.heard)) / len(pieces(unquoted(said.text)))
