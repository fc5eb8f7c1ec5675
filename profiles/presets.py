"""Hard-seeker presets: overlays that make any person harder to help. What each changes stands in `presets.yaml`."""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from pydantic import TypeAdapter, ValidationError

from emoharbor.profiles.schema import AttachmentLevel, FivePoint, Profile
from emoharbor.state.base import FilledText, Frozen, Level
from emoharbor.state.errors import ProfileError
from emoharbor.state.yamlfile import read_yaml

_MOST_TRUST = 9.5
"""Highest threshold that a preset raises a fact to: with more it could never be told."""


class AttachmentChange(Frozen):
    """What changes in the attachment; None leaves a dimension as it is."""

    anxiety: AttachmentLevel | None = None
    avoidance: AttachmentLevel | None = None


class PersonChange(Frozen):
    """What changes in the `person` block; None leaves a field as it is."""

    disclosure_pace: FivePoint | None = None
    resistance: FivePoint | None = None
    volatility: FivePoint | None = None
    attachment: AttachmentChange = AttachmentChange()


class Preset(Frozen):
    """One overlay."""

    about: FilledText
    person: PersonChange = PersonChange()
    more_trust: Level = 0
    """How much more trust each guarded fact needs."""


_TABLE = TypeAdapter(dict[str, Preset])


@cache
def presets() -> Mapping[str, Preset]:
    """Return every preset by name."""
    file = read_yaml(files("emoharbor.profiles").joinpath("presets.yaml"), ProfileError, "presets by name")
    return _TABLE.validate_python(file.data)


def parted(name: str) -> tuple[str, tuple[str, ...]]:
    """Return a name without its presets, and the presets: `core.guarded` is `core` and `guarded`."""
    rest, found = name, list[str]()
    while (cut := rest.rpartition("."))[0] and cut[2] in presets():
        rest = cut[0]
        found.insert(0, cut[2])
    return rest, tuple(found)


def overlaid(profile: Profile, names: Iterable[str]) -> Profile:
    """Return a person as presets make them; the id says which: `P010.guarded`.

    Raises:
        ProfileError: for an unknown preset, or one named twice.
    """
    made = profile
    for name in names:
        if name not in presets():
            raise ProfileError(f"no preset is called {name!r}; there are: {', '.join(presets())}")
        if name in made.id.split(".")[1:]:
            raise ProfileError(f"{made.id}.{name}: the preset {name!r} is named twice")
        made = _overlay(made, name, presets()[name])
    return made


def _overlay(profile: Profile, name: str, preset: Preset) -> Profile:
    person = preset.person.model_dump(exclude={"attachment"}, exclude_none=True)
    attachment = preset.person.attachment.model_dump(exclude_none=True)
    guarded = [
        fact.model_copy(update={"trust": max(fact.trust, min(_MOST_TRUST, fact.trust + preset.more_trust))})
        for fact in profile.situation.guarded
    ]
    data = {
        **profile.model_dump(),
        "id": f"{profile.id}.{name}",
        "person": {
            **profile.person.model_dump(),
            **person,
            "attachment": {**profile.person.attachment.model_dump(), **attachment},
        },
        "situation": {**profile.situation.model_dump(), "guarded": [fact.model_dump() for fact in guarded]},
    }
    try:
        return Profile.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ProfileError(f"{profile.id}.{name}: {place}: {first['msg']}") from None
