"""A supporter that reads its answers from a recording: turn 0 gets the first line, turn 1 the second."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from emoharbor.nodes.contract import Request, Supporter
from emoharbor.nodes.recording import Answers
from emoharbor.state.errors import CastError, SupporterFault
from emoharbor.state.outcome import Outcome
from emoharbor.state.text import is_blank
from emoharbor.state.updates import SupporterUpdate

WhenOut = Literal["error", "repeat_last"]
_MAX_BYTES = 10_000_000


def recorded_supporter(
    lines: list[str] | None = None,
    path: str | None = None,
    when_out: WhenOut = "error",
    profile: str | None = None,
    answers: Answers | None = None,
) -> Supporter:
    """Make a supporter that says recorded lines.

    Args:
        lines: the lines, one a turn.
        path: or the file that has them: text with one a line (blank lines are passed over), or JSONL with `text` and
            if need be `turn` and `profile`.
        when_out: what happens at a turn without a line: `error` fails, `repeat_last` says the last one again.
        profile: for a file with several people's lines, whose to say. A supporter is never told whom it talks with.
        answers: or the lines of a whole recording, as a replay has them.

    Raises:
        CastError: when there is no recording, or a line of it cannot be read.
    """
    if answers is not None:
        return _replayed(answers)
    if (lines is None) == (path is None):
        raise CastError("a recorded supporter takes either lines or path")
    by_turn = dict(enumerate(lines)) if lines is not None else _read(Path(str(path)), profile)
    if not by_turn:
        raise CastError(f"there is no line in {path or 'lines'}")

    async def answer(request: Request) -> SupporterUpdate:
        text = by_turn.get(request.turn)
        if text is None and when_out == "repeat_last":
            earlier = [turn for turn in by_turn if turn < request.turn]
            text = by_turn[max(earlier)] if earlier else None
        if text is None:
            raise SupporterFault(Outcome.SUPPORTER_ERROR, f"the recording has no line for turn {request.turn}")
        if is_blank(text):
            raise SupporterFault(Outcome.SUPPORTER_EMPTY, f"the recorded line of turn {request.turn} shows nothing")
        return SupporterUpdate(message=text)

    return answer


def _replayed(answers: Answers) -> Supporter:
    async def answer(request: Request) -> SupporterUpdate:
        text = answers.get(request.seed, request.messages[-1].text)
        if text is None:
            raise SupporterFault(Outcome.SUPPORTER_ERROR, f"the recording has no answer at turn {request.turn}")
        return SupporterUpdate(message=text)

    return answer


class _Line(BaseModel):
    model_config = ConfigDict(extra="ignore")

    text: str
    turn: Annotated[int, Field(ge=0)] | None = None
    profile: str | None = None


def _read(path: Path, profile: str | None) -> Mapping[int, str]:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise CastError(f"{path}: a recording has at most {_MAX_BYTES} bytes")
        # not splitlines: a JSON string may hold the other line separators
        rows = path.read_text("utf-8-sig").split("\n")
    except OSError as error:
        raise CastError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise CastError(f"{path}: not UTF-8; save the file as UTF-8") from None
    if path.suffix != ".jsonl":
        return dict(enumerate(row for row in rows if not is_blank(row)))
    found = [(number, _line(path, number, row)) for number, row in enumerate(rows, 1) if not is_blank(row)]
    return _by_turn(path, _of_one(path, found, profile))


def _line(path: Path, number: int, row: str) -> _Line:
    try:
        return _Line.model_validate(json.loads(row))
    except json.JSONDecodeError as error:
        raise CastError(f"{path}:{number}: broken JSON: {error.msg}") from None
    except RecursionError:
        raise CastError(f"{path}:{number}: broken JSON: nested too deeply") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the line"
        raise CastError(f"{path}:{number}: {place}: {first['msg']}") from None
    except ValueError:
        raise CastError(f"{path}:{number}: broken JSON: a number has too many digits") from None


def _of_one(path: Path, found: list[tuple[int, _Line]], profile: str | None) -> list[tuple[int, _Line]]:
    people = {line.profile for _, line in found}
    if profile is not None:
        return [(number, line) for number, line in found if line.profile == profile]
    if len(people) > 1:
        one = min(map(str, people))
        raise CastError(f"{path}: lines of {len(people)} people; say whose under `profile`, for example {one}")
    return found


def _by_turn(path: Path, found: list[tuple[int, _Line]]) -> Mapping[int, str]:
    by_turn: dict[int, str] = {}
    for number, line in found:
        turn = line.turn if line.turn is not None else len(by_turn)
        if turn in by_turn:
            raise CastError(f"{path}:{number}: turn {turn} has two lines")
        by_turn[turn] = line.text
    return by_turn
