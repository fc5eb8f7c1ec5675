"""Finding the people that a command names."""

from collections.abc import Iterable
from pathlib import Path

from emoharbor.profiles.loader import load_partial, load_people, profile_files
from emoharbor.profiles.presets import parted
from emoharbor.profiles.schema import PartialProfile, Profile
from emoharbor.state.errors import ProfileError


def one_person(name: str) -> Profile:
    """Return the one person that an id or a path names.

    Raises:
        ProfileError: when there is none, or more than one.
    """
    people = load_people(name)
    if len(people) > 1:
        raise ProfileError(f"{name!r} holds {len(people)} people; name one of them: {', '.join(people)}")
    return next(iter(people.values()))


def one_person_or_part(name: str) -> PartialProfile:
    """Return the one person that an id or a path names; parts of them may be missing.

    Raises:
        ProfileError: when there is none, or more than one.
    """
    if "," in name and not Path(name).exists():
        raise ProfileError(f"{name!r} are several people; name one of them")
    if parted(name)[1] and not Path(name).exists():
        return one_person(name)
    found = profile_files(name)
    if len(found) > 1:
        raise ProfileError(f"{name!r} holds {len(found)} people; name one of them")
    if not found:
        raise ProfileError(f"{name!r} holds no people: no file in it ends in .yaml")
    return load_partial(found[0])[0]


def some_people(wanted: str) -> list[str]:
    """Return ids: the first so many of the core set for a number, or the ids of a list set apart by commas.

    Raises:
        ProfileError: for a number below 1 or an unknown name.
    """
    if wanted.isdecimal():
        everybody = list(load_people("core"))
        if not 1 <= int(wanted) <= len(everybody):
            raise ProfileError(
                f"--profiles {wanted}: there are {len(everybody)} people; give 1 to {len(everybody)}, or ids"
            )
        return everybody[: int(wanted)]
    return list(load_people(split(wanted)))


def split(names: str) -> list[str]:
    """Return the names of a list set apart by commas."""
    return [name for part in names.split(",") if (name := part.strip())]


def person_of(record_profile: str, sources: Iterable[str]) -> PartialProfile:
    """Return a run's person, or only the id when the run's profile files are no longer where they were."""
    try:
        return load_people(sources)[record_profile]
    except (ProfileError, KeyError):
        return PartialProfile(id=record_profile)
