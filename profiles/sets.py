"""Sets of people by name, read from `sets.yaml`; `all` needs no entry."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from pydantic import ValidationError

from emoharbor.profiles.schema import Lines
from emoharbor.state.base import FilledText, Frozen
from emoharbor.state.errors import ProfileError
from emoharbor.state.yamlfile import problem, read_yaml


class PeopleSet(Frozen):
    """One set.

    Attributes:
        about: what it is for and how it was chosen.
        ids: its people; each beginning of the list is a fair smaller set.
    """

    about: FilledText
    ids: Lines


class _Sets(Frozen):
    sets: dict[str, PeopleSet]


@cache
def bundled_sets() -> Mapping[str, tuple[str, ...]]:
    """Return the ids of each named set."""
    file = read_yaml(files("emoharbor.profiles").joinpath("sets.yaml"), ProfileError, "sets of people by name")
    try:
        found = _Sets.model_validate(file.data)
    except ValidationError as error:
        raise ProfileError(problem(error, _Sets, file)) from None
    return {name: item.ids for name, item in found.sets.items()}
