"""Reading profiles from YAML, with errors that name file, line and fix."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from emoharbor.profiles.presets import overlaid, parted, presets
from emoharbor.profiles.schema import PartialProfile, Profile
from emoharbor.profiles.sets import bundled_sets
from emoharbor.state.errors import ProfileError
from emoharbor.state.yamlfile import YamlFile, parse_yaml, problem, read_text

P = TypeVar("P", bound=PartialProfile)
_HOLDS = "a person with id, situation and person"


def load_profile(source: Traversable) -> Profile:
    """Read one person. A text that was read before gives the same frozen value again.

    Raises:
        ProfileError: naming the file, the line where the YAML or the value stands, and what is wrong.
    """
    return _whole(read_text(source, ProfileError), source)  # type: ignore[arg-type]  # paths are hashable


def load_partial(source: Traversable) -> tuple[PartialProfile, YamlFile]:
    """Read one person of whom parts may be missing, with the file, which knows the lines.

    Raises:
        ProfileError: as `load_profile`, but for missing parts.
    """
    file = _file(read_text(source, ProfileError), source)
    model = Profile if {"situation", "person"} <= file.data.keys() else PartialProfile
    return _valid(model, file), file


def profile_files(name: str) -> Sequence[Traversable]:
    """Return the files that a set, an id, a file or a folder stands for.

    Raises:
        ProfileError: for an unknown name, with what exists, or a folder without profiles.
    """
    ours = _bundled_files()
    sets = {"all": tuple(sorted(ours)), **bundled_sets()}
    if name in sets:
        return [ours[member] for member in sets[name]]
    if name in ours:
        return [ours[name]]
    path = Path(name)
    if path.is_dir():
        return _in_folder(path)
    if path.is_file():
        return [path]
    raise ProfileError(f"no profile, set or path is called {name!r}; {_hint(name, list(sets), sorted(ours))}")


def _hint(name: str, sets: Sequence[str], people: Sequence[str]) -> str:
    """Return what may have been meant by a name that is not known."""
    rest, presets_of = parted(name)
    base, _, last = rest.rpartition(".")
    dotted = ", ".join(f".{preset}" for preset in presets())
    if presets_of:
        return f"{'.'.join(('', *presets_of))} is a preset of a person; files are looked at here, so leave it out"
    if base in sets or base in people:
        return f"no preset is called {last!r}; presets to put behind: {dotted}"
    if Path(name).suffix in (".yaml", ".yml") or len(Path(name).parts) > 1:
        return "there is no such file or folder"
    close = difflib.get_close_matches(name, sets, n=1)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"known: sets {', '.join(sets)}; people {people[0]} to {people[-1]}; files and folders"


def _in_folder(folder: Path) -> Sequence[Path]:
    found = sorted(path for path in folder.iterdir() if path.suffix in (".yaml", ".yml"))
    if not found:
        raise ProfileError(f"the folder {str(folder)!r} holds no people: no file in it ends in .yaml or .yml")
    return found


def bundled() -> dict[str, Profile]:
    """Return every person that ships with EmoHarbor, by id."""
    return load_people("all")


def load_people(wanted: str | Iterable[str]) -> dict[str, Profile]:
    """Return the people asked for, by id, in the order asked for.

    Args:
        wanted: the name of a set (`core`, `all`), an id, the path of a YAML file or of a folder of them, or several;
            each with presets after it if wished (`core.guarded`; see `presets.py`).

    Raises:
        ProfileError: for an unknown name (lists what exists), a broken file, or the same id twice.
    """
    people: dict[str, Profile] = {}
    asked: dict[str, str] = {}
    for name in [wanted] if isinstance(wanted, str) else list(wanted):
        for profile in _named(name):
            if profile.id in people:
                first = asked[profile.id]
                by = f", by {first!r} and {name!r}" if first != name else ""
                raise ProfileError(f"profile {profile.id!r} is asked for twice{by}; name each person once")
            people[profile.id], asked[profile.id] = profile, name
    if not people:
        raise ProfileError("no profile is asked for; name a set (core, all), ids, or a path")
    return people


def _named(name: str) -> Iterable[Profile]:
    """The people of one name. A name that stands for something as it is has no presets."""
    base, overlays = (name, ()) if Path(name).exists() else parted(name)
    found = _by_id(profile_files(base)).values()
    return [overlaid(profile, overlays) for profile in found] if overlays else found


@cache  # a run may name a hundred people one by one
def _bundled_files() -> Mapping[str, Traversable]:
    people = files("emoharbor.profiles").joinpath("people").iterdir()
    return {item.name.removesuffix(".yaml"): item for item in people if item.name.endswith(".yaml")}


@lru_cache(maxsize=512)  # keyed by the text itself, so never stale; five times the people that we ship
def _whole(text: str, source: Traversable) -> Profile:
    return _valid(Profile, _file(text, source))


def _file(text: str, source: Traversable) -> YamlFile:
    return parse_yaml(text, source, ProfileError, _HOLDS)


def _valid(model: type[P], file: YamlFile) -> P:
    try:
        return model.model_validate(file.data)
    except ValidationError as error:
        raise ProfileError(problem(error, model, file)) from None


def _by_id(sources: Iterable[Traversable]) -> Mapping[str, Profile]:
    people: dict[str, Profile] = {}
    origin: dict[str, Traversable] = {}
    for source in sources:
        profile = load_profile(source)
        if profile.id in people:
            raise ProfileError(f"{source}: profile id {profile.id!r} is already used by {origin[profile.id]}")
        people[profile.id], origin[profile.id] = profile, source
    return people
