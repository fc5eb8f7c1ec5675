"""Where a person starts, worked out once: every turn compares with it."""

from functools import lru_cache

from emoharbor.profiles.bounds import bounds_of, starting_world
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.bounds import Bounds
from emoharbor.state.inner_world import InnerWorld


@lru_cache(maxsize=512)
def start_of(profile: PartialProfile) -> InnerWorld:
    """Return the inner world before the first word is said."""
    return starting_world(profile)


@lru_cache(maxsize=512)
def limits_of(profile: PartialProfile) -> Bounds:
    """Return how far the person can move in one turn."""
    return bounds_of(profile)
