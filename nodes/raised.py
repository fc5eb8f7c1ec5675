"""What somebody's code raised, in one line: the kind, what it says, and the line of their file."""

import sysconfig
import traceback
from functools import cache
from pathlib import Path

from pydantic import ValidationError

_LONGEST = 400


def raised(error: BaseException) -> str:
    """Return `KeyError: 'missing' (my_think.py:44)`; without a place where no code but installed packages ran."""
    place = _place(error)
    text = " ".join(f"{type(error).__name__}: {_says(error)}".split()).rstrip(": ")
    return f"{text[:_LONGEST]}{'...' if len(text) > _LONGEST else ''}{f' ({place})' if place else ''}"


def _says(error: BaseException) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    first, *more = error.errors(include_url=False)
    place = ".".join(str(part) for part in first["loc"])
    return f"{error.title}{f'.{place}' if place else ''}: {first['msg']}{f' ({len(more)} more)' if more else ''}"


def _place(error: BaseException) -> str:
    """Return file and line of the innermost frame that belongs to no installed package."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith("<")]
    theirs = [frame for frame in frames if not any(Path(frame.filename).is_relative_to(at) for at in _installed())]
    return f"{Path(theirs[-1].filename).name}:{theirs[-1].lineno}" if theirs else ""


@cache
def _installed() -> tuple[Path, ...]:
    paths = sysconfig.get_paths()
    ours = {Path(__file__).resolve().parents[1] / room for room in ("nodes", "graphs", "state", "eval", "profiles")}
    return tuple({Path(paths[name]) for name in ("stdlib", "platstdlib", "purelib", "platlib")} | ours)
