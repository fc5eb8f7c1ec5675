"""The change between two inner worlds, as JSON patch (RFC 6902) whose steps also hold the old value."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Change:
    """One step.

    Attributes:
        op: `add`, `remove` or `replace`.
        path: JSON pointer.
        old: what stood there; None for `add`.
        new: what stands there now; None for `remove`.
    """

    op: str
    path: str
    old: Any
    new: Any

    def data(self) -> dict[str, Any]:
        """Return the step as JSON patch has it; `old` stands beside, which RFC 6902 lets readers ignore."""
        step: dict[str, Any] = {"op": self.op, "path": self.path}
        if self.op != "add":
            step["old"] = self.old
        if self.op != "remove":
            step["value"] = self.new
        return step


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Change, ...]:
    """Return the steps that lead from one to the other, to be taken in this order.

    A list that changed is replaced as a whole: emotions and needs are read as one picture.
    """
    steps = [_step(name, before, after) for name in sorted({*before, *after}) if before.get(name) != after.get(name)]
    return tuple(step for found in steps for step in found)


def _step(name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    old, new = before.get(name), after.get(name)
    path = f"/{_escaped(name)}"
    if isinstance(old, dict) and isinstance(new, dict):
        return [Change(item.op, path + item.path, item.old, item.new) for item in changes(old, new)]
    if old is None:
        return [Change("add", path, None, new)]
    return [Change("remove", path, old, None)] if new is None else [Change("replace", path, old, new)]


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
