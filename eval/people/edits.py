"""Reading what somebody wants changed in an inner world: `trust=6`, or a JSON file."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from emoharbor.state.errors import ConfigError
from emoharbor.state.inner_world import InnerWorld
from emoharbor.state.yamlfile import nearest, problem

FIELDS = ("distress", "trust", "felt_understood", "readiness", "emotions", "needs", "released")
"""What can be edited. The rest follows from them, or is the record of what was said and thought."""
_NUMBERS = ("distress", "trust", "felt_understood", "readiness")


def parse_edits(options: Iterable[str]) -> dict[str, Any]:
    """Read the values of `--set`: `trust=6`, `emotions=hope:5,fear:2`, `needs.n1=met`, `released=f1,f2`, `FILE.json`.

    Raises:
        ConfigError: for what is none of these.
    """
    found: dict[str, Any] = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            found.update(_from_file(Path(option)))
            continue
        name, _, need = name.strip().partition(".")
        if need:
            found[name] = {**found.get(name, {}), need: value.strip()}
        else:
            found[name] = _value(name, value.strip())
    return found


def edited(world: InnerWorld, edits: Mapping[str, Any], facts: Iterable[str] = ()) -> InnerWorld:
    """Return an inner world with some fields changed.

    Args:
        world: as it is.
        edits: by field; `emotions` may be a list or `{label: intensity}`, `needs` `{id: status}`.
        facts: ids of the person's guarded facts, which alone can be released.

    Raises:
        ConfigError: for an unknown field, need or fact, or a value out of range.
    """
    changes = dict(edits)
    for name in changes:
        if name not in FIELDS:
            raise ConfigError(f"--set {name}: there is no such field to edit; {nearest(name, FIELDS)}")
    if isinstance(changes.get("emotions"), Mapping):
        changes["emotions"] = [{"label": label, "intensity": much} for label, much in changes["emotions"].items()]
    if "needs" in changes:
        changes["needs"] = _needs(world, changes["needs"])
    unknown = [fact for fact in changes.get("released") or () if fact not in set(facts)]
    if unknown:
        raise ConfigError(
            f"--set released: this person holds back no fact {unknown[0]!r}; {nearest(unknown[0], facts)}"
        )
    try:
        return InnerWorld.model_validate({**world.model_dump(), **changes})
    except ValidationError as error:
        raise ConfigError(f"--set {problem(error, InnerWorld)}") from None


def _needs(world: InnerWorld, wanted: object) -> list[dict[str, Any]]:
    if not isinstance(wanted, Mapping):
        raise ConfigError("--set needs: write needs.ID=met, or in a file {id: status}")
    known = [need.id for need in world.needs]
    for name in wanted:
        if name not in known:
            raise ConfigError(f"--set needs.{name}: this person has no such need; {nearest(str(name), known)}")
    return [{**need.model_dump(), "status": wanted.get(need.id, need.status)} for need in world.needs]


def _value(name: str, text: str) -> Any:
    if name in _NUMBERS:
        try:
            number = float(text)
        except ValueError:
            raise ConfigError(f"--set {name}={text}: is no number") from None
        return int(number) if number.is_integer() else number
    items = [item.strip() for item in text.split(",") if item.strip()]
    if name == "emotions":
        return {label: _value("distress", much or "x") for label, _, much in (item.partition(":") for item in items)}
    return items if name == "released" else text


def _from_file(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"--set {path}: write NAME=VALUE, or a JSON file ({error.strerror})") from None
    except ValueError as error:
        raise ConfigError(f"--set {path}: is no JSON: {error}") from None
    if not isinstance(data, dict):
        raise ConfigError(f"--set {path}: holds no JSON object of fields")
    return data
