"""Whether a message can be the simulated person's: checked for every `speak`, ours or not, in any language."""

from collections.abc import Sequence

from langchain_core.messages import AnyMessage, HumanMessage

from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.dialogue import said
from emoharbor.state.text import folded, is_blank


def check_message(message: str, messages: Sequence[AnyMessage], profile: PartialProfile) -> tuple[str, str] | None:
    """Return (kind, reason) of the first fault of a message the person is about to send, or None.

    Args:
        message: the message.
        messages: the dialogue so far.
        profile: the person.
    """
    del profile
    if is_blank(message):
        return "empty", "the message is empty"
    words = folded(message)
    if any(folded(text) == words for text in said(messages, HumanMessage)):
        return "repeat", "the message repeats an earlier one word for word; say something new"
    return None
