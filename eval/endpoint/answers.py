"""Sensible answers: valid for the requested schema, varied, and the same whenever the same is asked.

Fields are filled by type; a few names that our roles use get more sense (quotes stand in the dialogue, a person who
leaves does not go on, every dimension is rated once), so that a rehearsal runs like a run.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from random import Random
from typing import Any

from emoharbor.eval.endpoint.call import Call
from emoharbor.eval.endpoint.words import note, person_says, supporter_says

_RANGE = re.compile(r"(-?\d+)\s*(?:to|-|\u2013)\s*(-?\d+)")
_EMPTY_LISTS = ("needs", "told", "release", "disclosures")
_PATIENCE = 3
_QUOTED_WORDS = 5
_SHORT_SCRIPT = 10
_DEEPEST = 12


def answer(call: Call, seed: int) -> dict[str, Any] | str:
    """Return the sensible answer to a call: an object for a schema, else a text."""
    rng = Random(f"{seed} {call.key}")  # noqa: S311 - varied, not secret
    if call.schema is None:
        heard = next((line.text for line in reversed(call.dialogue) if line.person), "")
        return supporter_says(rng, heard)
    value = _Filler(call, rng).fill(call.schema, "")
    return _agreeing(value, call, rng) if isinstance(value, dict) else {}


class _Filler:
    """Fills in one schema."""

    def __init__(self, call: Call, rng: Random) -> None:
        self.call = call
        self.rng = rng
        self.root = call.schema or {}
        self.quotes = _quotes(call, rng)

    def fill(self, schema: Mapping[str, Any], name: str, depth: int = 0) -> Any:
        """Return a value of a schema; `name` is the field it is for."""
        schema = self._resolved(schema)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return self.rng.choice(schema["enum"])
        options = schema.get("anyOf") or schema.get("oneOf")
        if options:
            described = {"description": schema.get("description", "")}
            given = [option for option in options if option.get("type") != "null"]
            return self.fill({**described, **(given or options)[0]}, name, depth)
        kind = schema.get("type")
        kind = kind[0] if isinstance(kind, list) else kind
        if kind == "object" or "properties" in schema:
            return self._object(schema, depth)
        if kind == "array":
            return self._array(schema, name, depth)
        return self._single(kind, schema, name)

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        fields = schema.get("properties", {})
        if depth > _DEEPEST:
            return {}
        value = {name: self.fill(part, name, depth + 1) for name, part in fields.items()}
        if "turn" in fields and "quote" in fields:
            value["turn"], value["quote"] = self._next_quote()
        return value

    def _array(self, schema: Mapping[str, Any], name: str, depth: int) -> list[Any]:
        items = self._resolved(schema.get("items") or {})
        if name in _EMPTY_LISTS or depth > _DEEPEST:
            return [self.fill(items, name, depth + 1) for _ in range(schema.get("minItems", 0))]
        for field, part in items.get("properties", {}).items():
            choices = self._resolved(part).get("enum")
            if choices and field == "dimension":
                return [{**self.fill(items, name, depth + 1), field: choice} for choice in choices]
            if choices and field == "label":
                labels = self.rng.sample(choices, min(len(choices), self.rng.choice((1, 2, 2, 3))))
                return [{**self.fill(items, name, depth + 1), field: label} for label in labels]
        count = max(1, schema.get("minItems", 0))
        return [self.fill(items, name, depth + 1) for _ in range(min(count, schema.get("maxItems", count)))]

    def _single(self, kind: str | None, schema: Mapping[str, Any], name: str) -> Any:
        if kind == "boolean":
            return False  # the careful answer to every yes-or-no question of our roles
        if kind in ("integer", "number"):
            return self._number(schema, name)
        if kind == "null":
            return None
        if name in ("quote", "words"):
            return self._last_words()
        if name == "message":
            return person_says(self.rng, {line.text for line in self.call.dialogue if line.person})
        return note(self.rng)

    def _number(self, schema: Mapping[str, Any], name: str) -> int:
        found = _RANGE.search(schema.get("description", ""))
        low, high = (int(found[1]), int(found[2])) if found else (0, 10)
        low, high = int(schema.get("minimum", low)), int(schema.get("maximum", high))
        now = re.search(rf"{re.escape(name)}[^\d\n]{{0,30}}(\d+)", self.call.prompt) if name else None
        if now and low <= int(now[1]) <= high:
            # feelings move by small steps from where they are
            return min(high, max(low, int(now[1]) + self.rng.choice((-1, 0, 0, 1))))
        return self.rng.randint(low, max(low, high))

    def _next_quote(self) -> tuple[int, str]:
        if not self.quotes:
            return 0, ""
        self.quotes.append(self.quotes.pop(0))
        return self.quotes[-1]

    def _last_words(self) -> str:
        last = self.call.dialogue[-1] if self.call.dialogue else None
        if last is None or last.person:
            return ""
        pieces = _pieces(last.text)
        return self.rng.choice(pieces) if pieces else ""

    def _resolved(self, schema: object) -> Mapping[str, Any]:
        if not isinstance(schema, dict):
            return {}
        found: dict[str, Any] = schema
        for _ in range(_DEEPEST):
            if "$ref" not in found:
                break
            target: Any = self.root
            for step in found["$ref"].removeprefix("#/").split("/"):
                target = target.get(step, {}) if isinstance(target, dict) else {}
            found = {**target, **{key: part for key, part in found.items() if key != "$ref"}}
        return found


def _agreeing(value: dict[str, Any], call: Call, rng: Random) -> dict[str, Any]:
    """Return an answer whose fields do not contradict each other."""
    answered = any(not line.person for line in call.dialogue)
    leaves = call.turn >= _PATIENCE and rng.random() < 0.1
    settled: dict[str, object] = {
        "wants_to_continue": not leaves,
        "got_what_i_came_for": False,
        "could_be_for_anyone": False,
        "intention": "leave" if leaves else rng.choice(("elaborate", "ask", "push_back", "deflect", "accept")),
        "ends": "gave_up" if leaves else "no",
    }
    if not answered:
        settled |= {"felt_understood": None, "view_of_supporter": ""}
    if value.get("conduciveness") in (-3, -2, -1):
        settled["conduciveness"] = 0
    return {name: settled.get(name, part) for name, part in value.items()}


def _quotes(call: Call, rng: Random) -> list[tuple[int, str]]:
    """Return pieces of the dialogue with their turns, in an order of this call's own."""
    pieces = [(line.turn, piece) for line in call.dialogue for piece in _pieces(line.text)]
    rng.shuffle(pieces)
    return pieces


@lru_cache(maxsize=4096)  # a dialogue is sent again at each of its calls
def _pieces(text: str) -> tuple[str, ...]:
    """Return runs of a few words; of a few characters where words are not set apart by spaces."""
    words = text.split()
    if len(words) <= 2 and len(text) > 2 * _SHORT_SCRIPT:
        return tuple(text[at : at + _SHORT_SCRIPT] for at in range(0, len(text) - _SHORT_SCRIPT, _SHORT_SCRIPT))
    last = max(1, len(words) - _QUOTED_WORDS + 1)
    return tuple(" ".join(words[at : at + _QUOTED_WORDS]) for at in range(0, last, _QUOTED_WORDS))
