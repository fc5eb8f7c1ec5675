"""The people outside: traits of a large public sample, which our people are held against."""

from functools import cache
from importlib.resources import files

from pydantic import ValidationError

from emoharbor.state.base import Frozen
from emoharbor.state.errors import ProfileError
from emoharbor.state.yamlfile import problem, read_yaml

POPULATION = "population.yaml"
"""The file, beside this module."""


class Population(Frozen):
    """The respondents of the public `bfi` set; traits run from 0 to 100."""

    means: dict[str, float]
    deviations: dict[str, float]
    """Standard deviation of each trait."""
    correlations: dict[str, float]
    mean_within: float
    """How far the mean of a set of people may be from theirs."""
    correlation_within: float


@cache
def population() -> Population:
    """Return the figures of the 2,782 respondents and the allowed differences.

    Raises:
        ProfileError: when the file is broken.
    """
    file = read_yaml(files("emoharbor.profiles").joinpath(POPULATION), ProfileError, "population figures")
    try:
        return Population.model_validate(file.data)
    except ValidationError as error:
        raise ProfileError(problem(error, Population, file)) from None
