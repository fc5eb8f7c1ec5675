"""Supporters that say recorded lines."""

from collections.abc import Callable
from pathlib import Path

import pytest

from emoharbor.nodes.contract import Request
from emoharbor.nodes.supporters.recorded import WhenOut, recorded_supporter
from emoharbor.state.errors import CastError, SupporterFault
from emoharbor.state.outcome import Outcome

MakeRequest = Callable[..., Request]


def written(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, "utf-8")
    return str(path)


async def test_each_turn_gets_its_line(make_request: MakeRequest) -> None:
    supporter = recorded_supporter(lines=["one", "two"])

    assert [(await supporter(make_request(turn))).message for turn in (0, 1, 0)] == ["one", "two", "one"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lines.txt", "one\n\n \ntwo\n"),
        ("lines.txt", "\ufeffone\r\ntwo"),
        ("lines.jsonl", '{"text": "one"}\n{"text": "two"}\n'),
        ("lines.jsonl", '{"text": "two", "turn": 1}\n{"text": "one", "turn": 0, "more": 1}'),
        ("lines.jsonl", '{"profile": "P001", "turn": 0, "text": "one"}\n{"profile": "P001", "turn": 1, "text": "two"}'),
    ],
)
async def test_a_file_is_read(name: str, text: str, tmp_path: Path, make_request: MakeRequest) -> None:
    supporter = recorded_supporter(path=written(tmp_path, name, text))

    assert [(await supporter(make_request(turn))).message for turn in (0, 1)] == ["one", "two"]


async def test_a_line_separator_inside_json_ends_no_line(tmp_path: Path, make_request: MakeRequest) -> None:
    supporter = recorded_supporter(path=written(tmp_path, "lines.jsonl", '{"text": "one\u2028more"}'))

    assert (await supporter(make_request(0))).message == "one\u2028more"


async def test_of_several_people_the_config_names_one(tmp_path: Path, make_request: MakeRequest) -> None:
    path = written(
        tmp_path, "lines.jsonl", '{"profile": "P001", "text": "one"}\n{"profile": "P002", "text": "uno"}'
    )  # fmt: skip

    assert (await recorded_supporter(path=path, profile="P002")(make_request(0))).message == "uno"
    with pytest.raises(CastError, match="lines of 2 people; say whose under `profile`, for example P001"):
        recorded_supporter(path=path)


@pytest.mark.parametrize(("when_out", "said"), [("repeat_last", "two"), ("error", None)])
async def test_after_the_last_line(when_out: WhenOut, said: str | None, make_request: MakeRequest) -> None:
    supporter = recorded_supporter(lines=["one", "two"], when_out=when_out)

    if said is not None:
        assert (await supporter(make_request(5))).message == said
        return
    with pytest.raises(SupporterFault, match="no line for turn 5") as fault:
        await supporter(make_request(5))
    assert fault.value.outcome is Outcome.SUPPORTER_ERROR


async def test_a_blank_line_of_a_config_is_an_empty_reply(make_request: MakeRequest) -> None:
    with pytest.raises(SupporterFault) as fault:
        await recorded_supporter(lines=[" "])(make_request(0))

    assert fault.value.outcome is Outcome.SUPPORTER_EMPTY


BROKEN = [
    ("lines.jsonl", '{"text": "one"}\n{oops', r"lines.jsonl:2: broken JSON"),
    ("lines.jsonl", '{"turn": ' + "1" * 5000 + "}", r"lines.jsonl:1: broken JSON: a number has too many digits"),
    ("lines.jsonl", "[" * 100_000, r"lines.jsonl:1: broken JSON: nested too deeply"),
    ("lines.jsonl", '{"words": "one"}', r"lines.jsonl:1: text: Field required"),
    ("lines.jsonl", '"one"', r"lines.jsonl:1: the line: "),
    ("lines.jsonl", '{"text": "one", "turn": -1}', r"lines.jsonl:1: turn: "),
    ("lines.jsonl", '{"text": "a", "turn": 0}\n{"text": "b", "turn": 0}', r":2: turn 0 has two lines"),
    ("lines.txt", "\n \n", r"there is no line in .*lines.txt"),
]


@pytest.mark.parametrize(("name", "text", "problem"), BROKEN, ids=[problem for _, _, problem in BROKEN])
def test_a_broken_recording_is_refused_with_its_line(name: str, text: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(CastError, match=problem):
        recorded_supporter(path=written(tmp_path, name, text))


def test_a_recording_has_one_source() -> None:
    for wrong in ({}, {"lines": ["a"], "path": "b"}):
        with pytest.raises(CastError, match="either lines or path"):
            recorded_supporter(**wrong)  # type: ignore[arg-type]  # a table of arguments


def test_a_missing_or_undecodable_file_is_named(tmp_path: Path) -> None:
    latin = tmp_path / "latin.txt"
    latin.write_bytes(b"caf\xe9")

    with pytest.raises(CastError, match=r"missing.txt: cannot be read: No such file"):
        recorded_supporter(path=str(tmp_path / "missing.txt"))
    with pytest.raises(CastError, match=r"latin.txt: not UTF-8"):
        recorded_supporter(path=str(latin))
