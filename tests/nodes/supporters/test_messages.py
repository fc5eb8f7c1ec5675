"""What is sent to a supporter, and what counts as its reply."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from emoharbor.nodes.contract import Request, Send
from emoharbor.nodes.supporters.messages import as_dicts, reply_text, to_send
from emoharbor.state.errors import SupporterFault
from emoharbor.state.outcome import Outcome
from emoharbor.state.text import is_blank

MakeRequest = Callable[..., Request]
ASKED = [HumanMessage("hello", id="u1")]
CALL = {"name": "look_up", "args": {}, "id": "1"}

SENT = [
    ("history", 0, "", ["human User 0"]),
    ("history", 1, "", ["human User 0", "ai Reply 0", "human User 1"]),
    ("history", 1, "B", ["system B", "human User 0", "ai Reply 0", "human User 1"]),
    ("last", 0, "B", ["system B", "human User 0"]),
    ("last", 2, "B", ["human User 2"]),
]


@pytest.mark.parametrize(("send", "turn", "briefing", "expected"), SENT)
def test_what_is_sent(send: Send, turn: int, briefing: str, expected: list[str], make_request: MakeRequest) -> None:
    sent = to_send(make_request(turn, briefing), send)

    assert [f"{message.type} {message.text}" for message in sent] == expected


def test_dicts_use_the_roles_of_chat_endpoints() -> None:
    messages = [SystemMessage("a"), HumanMessage("b"), AIMessage("c")]

    assert [item["role"] for item in as_dicts(messages)] == ["system", "user", "assistant"]


REPLIES = [
    pytest.param("Mm.", id="text"),
    pytest.param(AIMessage("Mm."), id="message"),
    pytest.param({"role": "assistant", "content": "Mm."}, id="message as dict"),
    pytest.param({"message": "Mm."}, id="dict with text"),
    pytest.param({"message": AIMessage("Mm.")}, id="dict with message"),
    pytest.param({"messages": [*ASKED, AIMessage("Mm.")]}, id="state"),
    pytest.param({"messages": [{"role": "assistant", "content": "Mm."}]}, id="messages as dicts"),
    pytest.param([AIMessage("Mm.")], id="messages"),
    pytest.param(AIMessage([{"type": "text", "text": "M"}, {"type": "text", "text": "m."}]), id="content blocks"),
    pytest.param(
        AIMessage([{"type": "thinking", "thinking": "They are sad."}, {"type": "text", "text": "Mm."}]), id="thinking"
    ),
    pytest.param("<think>They are sad.</think>Mm.", id="thought in tags"),
    pytest.param(
        {"messages": [*ASKED, AIMessage("", tool_calls=[CALL]), ToolMessage("x", tool_call_id="1"), AIMessage("Mm.")]},
        id="after tools",
    ),
    pytest.param({"messages": [HumanMessage("hello"), AIMessage("Mm.")]}, id="messages rebuilt without ids"),
]


@pytest.mark.parametrize("output", REPLIES)
def test_a_reply_is_read_out_of(output: object) -> None:
    assert reply_text(output, ASKED) == "Mm."


OLD = [HumanMessage("before", id="u0"), AIMessage("An old answer.", id="x"), *ASKED]
FAULTS = [
    pytest.param("", Outcome.SUPPORTER_EMPTY, "shows nothing", id="empty text"),
    pytest.param(AIMessage(" \u200b"), Outcome.SUPPORTER_EMPTY, "shows nothing", id="blank message"),
    pytest.param("<think>They are", Outcome.SUPPORTER_EMPTY, "shows nothing", id="nothing but a thought"),
    pytest.param({"messages": OLD}, Outcome.SUPPORTER_EMPTY, "no AIMessage", id="an answer to an earlier message"),
    pytest.param({"messages": []}, Outcome.SUPPORTER_EMPTY, "no AIMessage", id="no message"),
    pytest.param(None, Outcome.SUPPORTER_ERROR, "returned NoneType", id="None"),
    pytest.param(7, Outcome.SUPPORTER_ERROR, "returned int", id="number"),
    pytest.param(b"Mm.", Outcome.SUPPORTER_ERROR, "returned bytes", id="bytes"),
    pytest.param({"answer": "Mm."}, Outcome.SUPPORTER_ERROR, "its keys: answer", id="other dict"),
    pytest.param({"messages": [object()]}, Outcome.SUPPORTER_ERROR, "cannot read", id="no messages"),
    pytest.param(AIMessage("", tool_calls=[CALL]), Outcome.SUPPORTER_ERROR, "only: tool calls", id="tool call"),
    pytest.param(
        AIMessage([{"type": "image", "base64": "", "mime_type": "image/png"}]),
        Outcome.SUPPORTER_ERROR, "only: image", id="image",
    ),
    pytest.param(
        AIMessage("", additional_kwargs={"refusal": "I cannot."}),
        Outcome.SUPPORTER_REFUSED, "refused: I cannot", id="refusal",
    ),
    pytest.param(AIMessage([{"type": "refusal", "refusal": "no"}]), Outcome.SUPPORTER_REFUSED, "refused", id="block"),
    pytest.param(
        AIMessage("So", response_metadata={"finish_reason": "content_filter"}),
        Outcome.SUPPORTER_REFUSED, "refused", id="filter",
    ),
    pytest.param(
        AIMessage("I thi", response_metadata={"finish_reason": "length"}),
        Outcome.SUPPORTER_TRUNCATED, "token cap", id="OpenAI, cut off",
    ),
    pytest.param(
        AIMessage("I thi", response_metadata={"stop_reason": "max_tokens"}),
        Outcome.SUPPORTER_TRUNCATED, "token cap", id="Anthropic, cut off",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("output", "outcome", "reason"), FAULTS)
def test_no_reply_is_made_of(output: object, outcome: Outcome, reason: str) -> None:
    with pytest.raises(SupporterFault, match=reason) as fault:
        reply_text(output, ASKED)

    assert fault.value.outcome is outcome


anything: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.binary() | st.builds(AIMessage, st.text()),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["messages", "message", "content", "x"]), inner),
    max_leaves=6,
)


@given(anything)
def test_whatever_comes_is_text_or_a_fault(output: object) -> None:
    try:
        text = reply_text(output, ASKED)
    except SupporterFault:
        return
    assert not is_blank(text)
