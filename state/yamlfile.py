"""YAML with line numbers: reading a file, and saying in one line what is wrong at which line."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from emoharbor.state.errors import UserError

MAX_BYTES = 1_000_000
"""Largest YAML file that is read."""


@dataclass(frozen=True, slots=True)
class YamlFile:
    """A mapping read from YAML.

    Attributes:
        source: where it was read from.
        root: the YAML node, which knows the lines.
        data: the same as plain Python.
    """

    source: Traversable
    root: yaml.Node
    data: dict[str, Any]

    def at(self, path: Iterable[int | str]) -> str:
        """Return `file:line` of the deepest part of `path` that exists."""
        return f"{self.source}:{line_of(self.root, path)}"


def read_yaml(source: Traversable, error: type[UserError], holds: str) -> YamlFile:
    """Read a file that holds one mapping.

    Args:
        source: the file.
        error: what to raise.
        holds: what the mapping should be, for the error: "a run config with supporters".

    Raises:
        UserError: of the given class, naming file, line and fix: unreadable, too large, not UTF-8, broken YAML, a key
            that stands twice, no mapping.
    """
    return parse_yaml(read_text(source, error), source, error, holds)


def parse_yaml(text: str, source: Traversable, error: type[UserError], holds: str) -> YamlFile:
    """Read text that holds one mapping; arguments and errors as for `read_yaml`."""
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        if node is not None and "&" in text and _count(node, {}) > MAX_BYTES:
            raise error(f"{source}: too large: its aliases, written out, come to more than {MAX_BYTES} values")
        data = None if node is None else loader.plain(node)
    except yaml.MarkedYAMLError as broken:
        mark = broken.problem_mark
        line = mark.line + 1 if mark else 1
        # what stands before "but" is in another field
        whole = f"{broken.context} {broken.problem}" if str(broken.problem).startswith("but ") else broken.problem
        raise error(f"{source}:{line}: broken YAML: {whole}") from None
    except yaml.YAMLError as broken:
        raise error(f"{source}: broken YAML: {_one_line(str(broken))}") from None
    except RecursionError:
        raise error(f"{source}: broken YAML: nested too deeply") from None
    if node is None or not isinstance(data, dict):
        raise error(f"{source}:1: the file holds no mapping; it should be {holds}")
    return YamlFile(source, node, data)


def problem(found: ValidationError, model: type[BaseModel], file: YamlFile | None = None) -> str:
    """Return one line for the first of pydantic's errors: `file:line: place: what (n more)`.

    A name that is not known is answered with the nearest one that is. No value is repeated: it might be a secret.
    """
    errors = found.errors(include_url=False, include_input=False)
    # a misspelt name comes before the field that it leaves missing
    first = next((error for error in errors if error["type"] == "extra_forbidden"), errors[0])
    path = first["loc"]
    if first["type"] == "extra_forbidden":
        what = _unknown(path, model)
    elif first["type"] == "model_type":
        what = f"should be a mapping{_such_as(first['ctx']['class_name'], model)}"
    else:
        what = _plain(first["msg"])
    where = f"{file.at(path)}: " if file else ""
    more = f" ({len(errors) - 1} more)" if len(errors) > 1 else ""
    place = ".".join(str(part) for part in path)
    return where + (f"{place}: " if place else "") + _one_line(what) + more


def line_of(node: yaml.Node, path: Iterable[int | str]) -> int:
    """Return the line, counted from 1, of the deepest part of `path` that exists below a YAML node."""
    line = int(node.start_mark.line) + 1
    for part in path:
        found = _child(node, part)
        if found is None:
            break
        marked, node = found
        line = int(marked.start_mark.line) + 1
    return line


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a hint for a name that is not known: the nearest one, else all of them."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names)}"


def read_text(source: Traversable, error: type[UserError]) -> str:
    """Return the text of a file.

    Raises:
        UserError: of the given class, when it is unreadable, larger than `MAX_BYTES`, or not UTF-8.
    """
    try:
        raw = source.read_bytes()
    except OSError as cause:
        raise error(f"{source}: cannot be read: {cause.strerror}") from None
    if len(raw) > MAX_BYTES:
        raise error(f"{source}: {len(raw)} bytes; such a file has at most {MAX_BYTES}")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as cause:
        line = raw[: cause.start].count(b"\n") + 1
        raise error(f"{source}:{line}: not UTF-8; save the file as UTF-8") from None


def _unknown(path: tuple[int | str, ...], model: type[BaseModel]) -> str:
    return f"unknown name; {nearest(str(path[-1]), _names_at(path[:-1], model.model_json_schema()))}"


def _such_as(wanted: str, model: type[BaseModel]) -> str:
    """Return a hint at the field that a model begins with or cannot be without."""
    schema = model.model_json_schema().get("$defs", {}).get(wanted, {})
    names = schema.get("required") or list(schema.get("properties", ()))
    return f", such as {{{names[0]}: ...}}" if names else ""


def _names_at(path: Iterable[int | str], schema: Mapping[str, Any]) -> list[str]:
    """The field names a schema allows at a path."""
    definitions = schema.get("$defs", {})
    options = [schema]
    for part in path:
        options = [step for option in options if (step := _step(option, part)) is not None]
        options = _resolved(options, definitions)
    return [name for option in options for name in option.get("properties", ())]


def _step(schema: Mapping[str, Any], part: int | str) -> Mapping[str, Any] | None:
    if isinstance(part, int):
        found = schema.get("items")
    else:
        found = schema.get("properties", {}).get(part, schema.get("additionalProperties"))
    return found if isinstance(found, Mapping) else None


def _resolved(options: Iterable[Mapping[str, Any]], definitions: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    flat: list[Mapping[str, Any]] = []
    for option in options:
        if "anyOf" in option:
            flat += _resolved(option["anyOf"], definitions)
        elif "$ref" in option:
            flat.append(definitions[option["$ref"].rpartition("/")[2]])
        else:
            flat.append(option)
    return flat


def _plain(message: str) -> str:
    """Pydantic's words in those of YAML."""
    return message.removeprefix("Value error, ").replace("tuple", "list").replace("Tuple", "List")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _count(node: yaml.Node, counts: dict[yaml.Node, int]) -> int:
    """Return how many values a node holds once its aliases are written out."""
    if isinstance(node, yaml.ScalarNode):
        return 1
    if node in counts:
        if not counts[node]:
            raise yaml.constructor.ConstructorError(
                None, None, "an alias stands inside of what it names", node.start_mark
            )
        return counts[node]
    counts[node] = 0
    below = [item for pair in node.value for item in pair] if isinstance(node, yaml.MappingNode) else node.value
    counts[node] = 1 + sum(_count(item, counts) for item in below)
    return counts[node]


def _child(node: yaml.Node, part: int | str) -> tuple[yaml.Node, yaml.Node] | None:
    """The node whose line names a part (the key, not its value, which may begin below), and the part itself."""
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in node.value if key.value == str(part)), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part], node.value[part]
    return None


# libyaml is ten times as fast, and refuses deep nesting; PyYAML's wheels have it
_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


_TEXT, _MAPPING, _SEQUENCE = (f"tag:yaml.org,2002:{name}" for name in ("str", "map", "seq"))


class _Loader(_Base):  # type: ignore[misc]  # chosen above
    """Safe YAML in which a repeated key is an error, not a silent overwrite."""

    def plain(self, node: yaml.Node) -> Any:
        """Return a document as plain Python: text, mappings and lists here, which is quicker; PyYAML does the rest."""
        return self._plain(node, {}) if node.tag == _MAPPING else self.construct_document(node)

    def _plain(self, node: yaml.Node, made: dict[yaml.Node, Any]) -> Any:
        if node in made:  # an alias: the same value again, or a ring, which the caller's RecursionError would not catch
            return made[node]
        if isinstance(node, yaml.ScalarNode):
            return node.value if node.tag == _TEXT else self.construct_object(node)
        if node.tag == _SEQUENCE:
            made[node] = items = []
            items += [self._plain(item, made) for item in node.value]
            return items
        if node.tag != _MAPPING or any(key.tag != _TEXT for key, _ in node.value):
            return self.construct_object(node, deep=True)  # merged keys, numbers as keys, sets
        made[node] = mapping = {}
        for key, value in node.value:
            if key.value in mapping:
                raise _twice(key)
            mapping[key.value] = self._plain(value, made)
        return mapping

    def construct_object(self, node: yaml.Node, deep: bool = False) -> object:  # noqa: FBT001, FBT002 - PyYAML's own signature
        try:
            return super().construct_object(node, deep)
        except (ValueError, KeyError, AttributeError):
            # how PyYAML fails at `2024-02-30`, at a number of 5,000 digits, and at `!!bool 3`
            kind = node.tag.rpartition(":")[2]
            problem = f"this cannot be read as {kind}; put it in quotes to make it text"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark) from None

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[object, object]:  # noqa: FBT001, FBT002 - PyYAML's own signature
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue  # refused below: such a key is not hashable
            if key.value in seen:
                raise _twice(key)
            seen.add(key.value)
        return dict(super().construct_mapping(node, deep))


def _twice(key: yaml.ScalarNode) -> yaml.constructor.ConstructorError:
    return yaml.constructor.ConstructorError(None, None, f"key {key.value!r} stands twice", key.start_mark)
