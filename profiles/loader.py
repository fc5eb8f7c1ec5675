"""Reading profiles from YAML, with errors that name file, line and fix."""

from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from pydantic import ValidationError

from emoharbor.profiles.schema import Profile
from emoharbor.state.errors import ProfileError
from emoharbor.state.yamlfile import problem, read_yaml

_SETS: dict[str, tuple[str, ...] | None] = {"all": None, "core": None}
"""Named sets; None means every bundled person."""


def load_profile(source: Traversable) -> Profile:
    """Read one person.

    Raises:
        ProfileError: naming the file, the line where the YAML or the value stands, and what is wrong.
    """
    file = read_yaml(source, ProfileError, "a person with id, situation and person")
    try:
        return Profile.model_validate(file.data)
    except ValidationError as error:
        raise ProfileError(problem(error, Profile, file)) from None


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
