"""Where output goes: results to stdout, messages to stderr, on any terminal in any encoding."""

import io
import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel
    from rich.console import Console, RenderableType

WIDEST = 120
"""Lines longer than this are hard to read."""


def open_streams() -> None:
    """Make both streams replace what their encoding lacks, where they would raise."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def screen(*, stderr: bool = False) -> "Console":
    """Return a console that takes text as it is: no markup, no emoji codes, no guessed highlights."""
    from rich.console import Console

    console = Console(stderr=stderr, markup=False, emoji=False, highlight=False)
    console.width = min(console.width, WIDEST)
    return console


def show(renderable: "RenderableType | str") -> None:
    """Print a result."""
    screen().print(renderable)


def tell(message: str) -> None:
    """Print a message beside the results, as one plain line."""
    print(message, file=sys.stderr)


def put_json(data: object) -> None:
    """Print a result as JSON, and nothing else. On a terminal that is not UTF-8, other letters are escaped."""
    print(json.dumps(data, indent=2, ensure_ascii=not _is_utf8(sys.stdout)))


def put_model(model: "BaseModel") -> None:
    """Print a value of ours as JSON."""
    put_json(model.model_dump(mode="json"))


def put_text(text: str) -> None:
    """Print a result that is text already."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def _is_utf8(stream: Any) -> bool:
    return str(getattr(stream, "encoding", None) or "").lower().replace("-", "") in ("utf8", "utf8sig")
