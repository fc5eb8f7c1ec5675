"""Messages of any harness are read as who said what, and nothing else."""

from dataclasses import dataclass
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from emoharbor.eval.harness.messages import dialogue_of, lines_of
from emoharbor.state.errors import ConfigError


@dataclass
class Foreign:
    """A message as inspect_ai has it."""

    role: str
    text: str


SAME = [("user", "Hi."), ("supporter", "Hello.")]


@pytest.mark.parametrize(
    "messages",
    [
        [HumanMessage("Hi."), AIMessage("Hello.")],
        {"messages": [SystemMessage("Be kind."), HumanMessage("Hi."), AIMessage("Hello.")]},
        [{"role": "developer", "content": "x"}, {"role": "user", "content": "Hi."},
         {"role": "assistant", "content": "Hello."}],
        [{"type": "human", "content": [{"type": "text", "text": "Hi."}]}, {"type": "ai", "content": "Hello."}],
        [Foreign("user", "Hi."), Foreign("tool", "42"), Foreign("assistant", "Hello.")],
        [HumanMessage("Hi."), AIMessage(""), ToolMessage("42", tool_call_id="1"), AIMessage("Hello.")],
    ],
    ids=["langchain", "state", "openai", "parts", "inspect", "tools"],
)  # fmt: skip
def test_who_said_what(messages: Any) -> None:
    assert lines_of(messages) == SAME


@pytest.mark.parametrize("single", [AIMessage("Hello."), {"role": "assistant", "content": "Hello."}])
def test_a_single_message_is_one_line(single: Any) -> None:
    assert lines_of(single) == [("supporter", "Hello.")]


@pytest.mark.parametrize("wrong", ["Hello.", [42], [{"content": "Hello."}]])
def test_what_is_no_message_is_refused(wrong: Any) -> None:
    with pytest.raises(ConfigError, match="a message has a role and a content"):
        lines_of(wrong)


def test_roles_are_known_in_any_case() -> None:
    assert lines_of([{"role": "User", "content": "Hi."}, {"role": "ASSISTANT", "content": "Hello."}]) == SAME


@pytest.mark.parametrize(
    ("second", "says"),
    [
        ({"role": "seeker", "content": "Hello."}, "message 2 has the role 'seeker'; known: user, human, assistant, ai"),
        ({"role": "assistant", "content": 3}, "message 2 has 3 for a content; it is a text"),
    ],
)
def test_what_would_be_lost_without_a_word_is_refused(second: Any, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        lines_of([{"role": "user", "content": "Hi."}, second])


def test_a_greeting_is_left_out_and_several_messages_of_one_side_are_joined() -> None:
    lines = [
        ("supporter", "How can I help?"),
        ("user", "I moved."),
        ("user", "Alone."),
        ("supporter", "Oh."),
        ("user", "Yes."),
    ]

    talk = dialogue_of(lines)  # type: ignore[arg-type]  # sides are literal

    assert [(message.id, message.text) for message in talk] == [
        ("u0", "I moved.\nAlone."),
        ("a0", "Oh."),
        ("u1", "Yes."),
    ]
