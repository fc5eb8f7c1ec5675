"""Reading profiles from YAML, with errors that name file, line and fix."""

from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import yaml
from pydantic import ValidationError

from emoharbor.profiles.schema import Profile
from emoharbor.state.errors import ProfileError

MAX_BYTES = 1_000_000
"""Largest profile file that is read."""

_SETS: dict[str, tuple[str, ...] | None] = {"all": None, "core": None}
"""Named sets; None means every bundled person."""


def load_profile(source: Traversable) -> Profile:
    """Read one person.

    Raises:
        ProfileError: naming the file, the line where the YAML or the value stands, and what is wrong.
    """
    node, data = _parse(source)
    try:
        return Profile.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        line = line_of(node, first["loc"])
        more = f" ({error.error_count() - 1} more)" if error.error_count() > 1 else ""
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise ProfileError(f"{source}:{line}: {place}: {first['msg']}{more}") from None


def bundled() -> dict[str, Profile]:
    """Return every person that ships with EmoHarbor, by id."""
    people = files("emoharbor.profiles").joinpath("people")
    return _by_id(item for item in sorted(people.iterdir(), key=str) if item.name.endswith(".yaml"))


def load_people(wanted: str | Iterable[str]) -> dict[str, Profile]:
    """Return the people asked for, by id, in the order asked for.

    Args:
        wanted: the name of a set (`core`, `all`), an id, the path of a YAML file or of a folder of them, or several.

    Raises:
        ProfileError: for an unknown name (lists what exists), a broken file, or the same id twice.
    """
    people: dict[str, Profile] = {}
    for name in [wanted] if isinstance(wanted, str) else list(wanted):
        for profile in _named(name).values():
            if profile.id in people:
                raise ProfileError(f"profile {profile.id!r} is asked for twice; name each person once")
            people[profile.id] = profile
    if not people:
        raise ProfileError("no profile is asked for; name a set (core, all), ids, or a path")
    return people


def _named(name: str) -> Mapping[str, Profile]:
    ours = files("emoharbor.profiles").joinpath("people")
    if name in _SETS:
        return bundled()
    if (single := ours.joinpath(f"{name}.yaml")).is_file():
        return {name: load_profile(single)}
    path = Path(name)
    if path.is_dir():
        return _by_id(iter(sorted(path.glob("*.yaml"))))
    if path.is_file():
        return _by_id(iter([path]))
    known = ", ".join(sorted(item.name.removesuffix(".yaml") for item in ours.iterdir() if item.name.endswith(".yaml")))
    raise ProfileError(f"no profile, set or path is called {name!r}; sets: {', '.join(_SETS)}; people: {known}")


def _by_id(sources: Iterator[Traversable]) -> dict[str, Profile]:
    people: dict[str, Profile] = {}
    origin: dict[str, Traversable] = {}
    for source in sources:
        profile = load_profile(source)
        if profile.id in people:
            raise ProfileError(f"{source}: profile id {profile.id!r} is already used by {origin[profile.id]}")
        people[profile.id], origin[profile.id] = profile, source
    return people


def _parse(source: Traversable) -> tuple[yaml.Node, object]:
    try:
        raw = source.read_bytes()
    except OSError as error:
        raise ProfileError(f"{source}: cannot be read: {error.strerror}") from None
    if len(raw) > MAX_BYTES:
        raise ProfileError(f"{source}: {len(raw)} bytes; a profile file has at most {MAX_BYTES}")
    try:
        text = raw.decode("utf-8-sig")
        loader = _Loader(text)
        node = loader.get_single_node()
        data = None if node is None else loader.construct_document(node)
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise ProfileError(f"{source}:{line}: not UTF-8; save the file as UTF-8") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = mark.line + 1 if mark else 1
        raise ProfileError(f"{source}:{line}: broken YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise ProfileError(f"{source}: broken YAML: {error}") from None
    if node is None or not isinstance(data, dict):
        raise ProfileError(f"{source}:1: a profile file holds one mapping with id, situation and person")
    return node, data


def line_of(node: yaml.Node, path: Iterable[int | str]) -> int:
    """Return the line, counted from 1, of the deepest part of `path` that exists below a YAML node."""
    for part in path:
        found = _child(node, part)
        if found is None:
            break
        node = found
    return int(node.start_mark.line) + 1


def _child(node: yaml.Node, part: int | str) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(part):
                return value if isinstance(value, yaml.Node) else None
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        item = node.value[part]
        return item if isinstance(item, yaml.Node) else None
    return None


class _Loader(yaml.SafeLoader):
    """Safe YAML in which a repeated key is an error, not a silent overwrite."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[object, object]:  # noqa: FBT001, FBT002 - PyYAML's own signature
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"key {key.value!r} stands twice", key.start_mark)
            seen.add(key.value)
        return dict(super().construct_mapping(node, deep))
