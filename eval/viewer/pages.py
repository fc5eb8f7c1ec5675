"""Templates in which every value is data: escaped, and without characters that could hide, reorder or command text.

The report makes its pages from the same templates, so nothing here knows of a server.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from emoharbor.eval.reports.inert import plain

_PACKAGE = "emoharbor.eval.viewer"
DASH = "\N{EN DASH}"
"""Stands where there is no value."""


@cache
def environment() -> Environment:
    """Return the one environment of all pages."""
    made = Environment(
        loader=PackageLoader(_PACKAGE, "templates"),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "number": number, "signed": signed, "pretty": pretty, "when": when, "words": words, "data": data, "took": took,
        "inert": inert_text,
    }  # fmt: skip
    return made


def inert_text(text: str) -> str:
    """Return text without control and format characters (see `reports/inert.py`); quick for text that has none."""
    return text if text.replace("\n", "").isprintable() else plain(text)


def _shown(value: Any) -> Any:
    """Every value that a template prints passes here."""
    if isinstance(value, Markup):
        return value
    if value is None:
        return DASH
    return inert_text(str(value))


def number(value: float | None, digits: int = 2) -> str:
    """Return a number, or a dash."""
    return DASH if value is None else f"{value:.{digits}f}"


def signed(value: float | None, digits: int = 2) -> str:
    """Return a number with its sign, or a dash. A minus is as wide as a plus."""
    return DASH if value is None else f"{value:+.{digits}f}".replace("-", "\N{MINUS SIGN}")


def pretty(value: Any) -> str:
    """Return a value as JSON over several lines."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, default=str)


def words(name: object) -> str:
    """Return a name of ours (`need_fit`, `user_left`) as words."""
    return str(name).replace("_", " ")


def when(seconds: float | None) -> str:
    """Return a time as date and minute, UTC."""
    return DASH if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def took(seconds: float | None) -> str:
    """Return a duration in a unit that suits it."""
    if seconds is None:
        return "unfinished"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def data(value: Any) -> Markup:
    """Return a value as JSON that can stand in a `<script type="application/json">`: no `<` can end it."""
    text = json.dumps(_inert(value), ensure_ascii=True, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)  # noqa: S704 - JSON whose markup characters are escaped above


def _inert(value: Any) -> Any:
    if isinstance(value, str):
        return inert_text(value)
    if isinstance(value, Mapping):
        return {inert_text(str(name)): _inert(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_inert(item) for item in value]
    return value


def static_file(name: str) -> Path:
    """Return one of our own style sheets or scripts."""
    return Path(str(files(_PACKAGE) / "static" / name))


def plotly_script() -> Path:
    """Return Plotly's JavaScript as its wheel ships it; the package itself takes a second to import, so it is not."""
    found = find_spec("plotly")
    if found is None or found.origin is None:
        msg = "plotly is not installed"
        raise ModuleNotFoundError(msg)
    return Path(found.origin).parent / "package_data" / "plotly.min.js"
