"""Any bytes give a completion or a typed fault; thought and speech are kept apart."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emoharbor.nodes.models.body import Completion, read_completion, read_json
from emoharbor.nodes.models.protocol import Usage
from emoharbor.nodes.models.reasoning import part
from emoharbor.state.errors import Overloaded


def completion(message: Any, **choice: Any) -> dict[str, Any]:
    return {"id": "x", "model": "m", "choices": [{"message": message, "finish_reason": "stop", **choice}]}


@pytest.mark.parametrize(
    ("content", "text", "reasoning"),
    [
        ("Just said.", "Just said.", ""),
        ("<think>They sound tense.</think>\n\nThat sounds hard.", "That sounds hard.", "They sound tense."),
        ("<THINK>a</THINK>b", "b", "a"),
        ("<thinking>a</thinking>b", "b", "a"),
        ("<reasoning>a</reasoning>b<reasoning>c</reasoning>", "b", "a\n\nc"),
        ("plan, plan</think>Hello.", "Hello.", "plan, plan"),
        ("[THINK]a[/THINK]b", "b", "a"),
        ("◁think▷a◁/think▷b", "b", "a"),
        ("<think></think>b", "b", ""),
        ("<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>", "b", "a"),
        ("2 < 3 and <b>bold</b>", "2 < 3 and <b>bold</b>", ""),
    ],
)
def test_what_was_thought_is_taken_out(content: str, text: str, reasoning: str) -> None:
    found = part(content)
    assert (found.text, found.reasoning, found.unclosed) == (text, reasoning, False)


@pytest.mark.parametrize(
    "content", ["<think>First I should", "Well. <think>or not", "<|channel|>analysis<|message|>First"]
)
def test_a_thought_without_an_end_is_a_reply_cut_off(content: str) -> None:
    read = read_completion(completion({"content": content}))
    assert read.finish == "length"
    assert "First" not in read.text
    assert read.reasoning


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_in_a_field_of_its_own_is_found(field: str) -> None:
    read = read_completion(completion({"content": "Hi.", field: "secret plan"}))
    assert (read.text, read.reasoning) == ("Hi.", "secret plan")


def test_content_in_parts_is_joined_and_its_thinking_parted() -> None:
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "Hi."}]
    read = read_completion(completion({"content": parts}))
    assert (read.text, read.reasoning) == ("Hi.", "hm")


def test_a_tag_inside_a_json_object_is_not_the_models_own() -> None:
    text = json.dumps({"message": "<think>x</think>"})
    assert read_completion(completion({"content": text})).text == text


def test_the_arguments_of_a_tool_call_are_the_text() -> None:
    called = {"content": None, "tool_calls": [{"function": {"name": "R", "arguments": '{"a": 1}'}}]}
    assert read_completion(completion(called)).text == '{"a": 1}'


def test_a_call_of_a_tool_that_nobody_offered_says_nothing() -> None:
    called = {"content": None, "tool_calls": [{"function": {"name": "R", "arguments": '{"a": 1}'}}]}
    assert read_completion(completion(called), tools=False).text == ""
    assert read_completion(completion({**called, "content": "Hi."}), tools=False).text == "Hi."


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 10**30, "completion_tokens": 7}, Usage(completion=7)),
        (None, Usage()),
        ({}, Usage()),
        ({"prompt_tokens": 5}, Usage(prompt=5)),
        ({"prompt_tokens": 0, "completion_tokens": 0}, Usage(0, 0)),
        ({"prompt_tokens": -1, "completion_tokens": "7"}, Usage()),
        ({"prompt_tokens": 9, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4},
          "completion_tokens_details": {"reasoning_tokens": 2}}, Usage(9, 3, 4, 2)),
        ({"prompt_tokens": 9, "completion_tokens": 3, "prompt_cache_hit_tokens": 4}, Usage(9, 3, 4)),
        ("many", Usage()),
    ],
)  # fmt: skip
def test_tokens_that_are_not_stated_are_unknown_and_none_are_made_up(usage: Any, expected: Usage) -> None:
    assert read_completion({**completion({"content": "a"}), "usage": usage}).usage == expected


@pytest.mark.parametrize(
    "body",
    [b"", b"OK", b"null", b"[]", b'"x"', b"{}", b"<html>Bad gateway</html>", b"\xff\xfe\x00", b"[" * 100_000,
     b'{"choices": null}', b'{"choices": []}', b'{"choices": [null]}', b'{"choices": [{}]}', b'{"choices": {"0": 1}}',
     b'{"choices": [{"message": null}]}', b'{"choices": [{"message": "hi"}]}', b"data: {}\n\ndata: [DONE]"],
)  # fmt: skip
def test_what_is_no_completion_is_a_fault_that_may_pass(body: bytes) -> None:
    with pytest.raises(Overloaded) as caught:
        read_completion(read_json(body))
    assert caught.value.retryable
    assert len(str(caught.value)) < 250


_ANY: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "content", "finish_reason", "usage", "tool_calls", "function",
                             "arguments", "reasoning", "refusal", "type", "text", "prompt_tokens"]), inner)
    ),
    max_leaves=20,
)  # fmt: skip


@given(st.binary() | _ANY.map(lambda data: json.dumps(data).encode()) | _ANY.map(
    lambda data: json.dumps(completion({"content": data, "tool_calls": data}, finish_reason=data)).encode()
))  # fmt: skip
def test_any_bytes_give_a_completion_or_a_typed_fault(body: bytes) -> None:
    try:
        read = read_completion(read_json(body))
    except Overloaded as fault:
        str(fault).encode()
        fault.raw.encode()
        return
    assert isinstance(read, Completion)
    f"{read.text}{read.reasoning}{read.refusal}{read.model}{read.id}".encode()
