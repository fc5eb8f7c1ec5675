"""The messages of an episode: each once, prompts from where they differ, and all of them again in full."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from emoharbor.eval.traces.messages import message_of
from emoharbor.eval.traces.table import MessageTable, common, whole_rows

DIALOGUE = "You: I slept badly.\nThey: That sounds hard.\n" * 20


def read(table: MessageTable) -> list[Any]:
    return whole_rows([json.loads(row) for row in table.take()])


@given(st.text("ab"), st.text("ab"))
def test_what_two_texts_have_in_common(one: str, other: str) -> None:
    same = common(one, other)
    assert one[:same] == other[:same]
    assert one[same : same + 1] != other[same : same + 1] or same == len(one) == len(other)


@given(st.lists(st.text("ab\n", max_size=40), min_size=1, max_size=8))
def test_prompts_are_read_as_they_were_sent(tails: list[str]) -> None:
    table = MessageTable()
    prompts = [HumanMessage(DIALOGUE + tail) for tail in tails]
    places = [table.place(prompt) for prompt in prompts]

    rows = read(table)
    assert [message_of(rows[place]) for place in places] == prompts


def test_a_prompt_is_written_from_where_it_differs_and_only_once() -> None:
    table = MessageTable()
    first, second, again = (
        table.place(HumanMessage(DIALOGUE + tail)) for tail in ("Now feel.", "Now think.", "Now think.")
    )

    assert (first, second, again) == (0, 1, 1)
    assert json.loads(table.take()[1]) == ["human", "think.", None, 0, len(DIALOGUE + "Now ")]


@pytest.mark.parametrize(
    "message",
    [
        SystemMessage("You are Ada. " * 50),
        HumanMessage("Hi.", id="u0"),
        AIMessage("Hello.", id="a0", usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}),
        AIMessage("", tool_calls=[{"name": "look_up", "args": {"word": "rye"}, "id": "c1"}]),
        ToolMessage("rye: known", tool_call_id="c1"),
        HumanMessage([{"type": "text", "text": "Look."}]),
    ],
    ids=lambda message: type(message).__name__,
)
def test_a_message_sent_twice_is_stored_once_and_read_as_it_was(message: BaseMessage) -> None:
    table = MessageTable()
    assert table.place(message) == table.place(message.model_copy()) == 0
    assert message_of(read(table)[0]) == message


def test_a_message_of_the_dialogue_whose_text_was_changed_is_another() -> None:
    table, message = MessageTable(), HumanMessage("Hi.", id="u0")
    table.keep(message)
    message.content = "Something else."

    assert table.place(message) == 1
    assert [row[1] for row in read(table)] == ["Hi.", "Something else."]


def test_a_key_is_hidden_also_where_a_prompt_is_written_in_pieces() -> None:
    key = "k-1234567890"
    table = MessageTable([key])
    sent = (DIALOGUE + key[:5] + "!", DIALOGUE + key + "!")
    for text in sent:
        table.place(HumanMessage(text))

    assert [row[1] for row in read(table)] == [sent[0], DIALOGUE + "[key]!"]
