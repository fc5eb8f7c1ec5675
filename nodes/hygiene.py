"""Whether a message can be the simulated person's: checked for every `speak`, ours or not, in any language.

A fault is asked for again once with its reason; a message that has one again makes the episode `user_invalid`, and it
is never scored. So precision comes first: what a person might well write is let through. Words stand in
`hygiene.yaml`; most checks need none.
"""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from emoharbor.nodes.circle import in_a_circle
from emoharbor.nodes.drift import drift_in
from emoharbor.nodes.leak import is_plain, leak_in, prefix_of
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.dialogue import said
from emoharbor.state.text import folded, is_blank

_SHORT = 9
"""UTF-8 bytes up to which saying the same again is no repeat: "Yes.", "I know." and the like, three Chinese signs."""
_PARROTED = 24
"""UTF-8 bytes from which the supporter's own message, sent back, is a change of roles."""


def check_message(message: str, messages: Sequence[AnyMessage], profile: PartialProfile) -> tuple[str, str] | None:
    """Return (kind, reason) of the first fault of a message the person is about to send, or None.

    Kinds: `empty`, `leak`, `name_prefix`, `role_drift`, `repeat`.

    Args:
        message: the message.
        messages: the dialogue so far.
        profile: the person.
    """
    if is_blank(message):
        return "empty", "the message is empty"
    plain = is_plain(message)
    if not plain and (leak := leak_in(message)):
        return "leak", f"the message shows {leak}; write only what you send, in plain words"
    if not plain and (prefix := prefix_of(message, profile)):
        return "name_prefix", f"the message begins with the name of a speaker ({prefix}); leave that out"
    if drift := drift_in(message):
        return "role_drift", f"{drift}; you are the one who seeks support, so speak as yourself"
    return _again(message, messages)


def _again(message: str, messages: Sequence[AnyMessage]) -> tuple[str, str] | None:
    words = folded(message)
    size = len(words.encode())
    mine = [folded(text) for text in said(messages, HumanMessage)]
    fault: tuple[str, str] | None = None
    if size > _SHORT and words in mine:
        fault = "repeat", "the message repeats an earlier one word for word; say something new"
    elif size <= _SHORT and mine and mine[-1] == words:
        fault = "repeat", "the message repeats the one before; say something new"
    elif size >= _PARROTED and any(folded(text) == words for text in said(messages, AIMessage)):
        fault = "role_drift", "the message is one of the supporter's, word for word; you are the one who seeks support"
    # when both sides are done the episode ends as stale, and the person is not to blame
    return None if fault and in_a_circle(message, messages) else fault
