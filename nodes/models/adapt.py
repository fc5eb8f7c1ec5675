"""Sending something else after a refusal: another way of asking for JSON, or a request without what was refused."""

import re

from emoharbor.nodes.models.endpoint import Learned
from emoharbor.nodes.models.faults import Failure, is_too_long
from emoharbor.nodes.models.schema import RUNGS, Rung

_DROPPABLE = ("temperature", "top_p", "seed")
_CAPS = ("max_completion_tokens", "max_tokens")
_FORM = re.compile(
    r"response_format|json_schema|json_object|json mode|structured|schema|grammar|guided|tool|function", re.IGNORECASE
)
_SYSTEM = re.compile(r"system (role|message|prompt)|role.{0,20}system|roles? must alternate", re.IGNORECASE)


def next_rung(rung: Rung) -> Rung | None:
    """Return the rung below, or None below the last."""
    below = RUNGS.index(rung) + 1
    return RUNGS[below] if below < len(RUNGS) else None


def blames_form(failure: Failure) -> bool:
    """Tell whether a refusal is about the way the JSON was asked for."""
    return bool(_FORM.search(f"{failure.param} {failure.message}"))


def drop_refused(failure: Failure, learned: Learned, sent: set[str]) -> str | None:
    """Stop sending what a refusal blames, and return what that is, or None when it blames nothing we can do without.

    Args:
        failure: what the endpoint said.
        learned: what is known about the model; changed.
        sent: the names of the fields that were sent.
    """
    if is_too_long(failure):
        return None
    for name in _DROPPABLE:
        if name in sent and name not in learned.dropped and _names(failure, name):
            learned.dropped.add(name)
            return name
    cap = learned.cap_field
    if cap is not None and _names(failure, cap):
        other = _CAPS[1 - _CAPS.index(cap)]
        learned.dropped.add(cap)
        learned.cap_field = None if other in learned.dropped else other
        return cap
    if not learned.folds_system and _SYSTEM.search(failure.message):
        learned.folds_system = True
        return "system role"
    return None


def _names(failure: Failure, name: str) -> bool:
    return failure.param == name or re.search(rf"(?<!\w){name}(?!\w)", failure.message) is not None
