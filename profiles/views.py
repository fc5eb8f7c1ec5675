"""Parts of a profile, for those who may see only a part."""

from typing import TypeVar

from emoharbor.profiles.schema import PartialProfile

P = TypeVar("P", bound=PartialProfile)


def with_facts(profile: P, facts: frozenset[str]) -> P:
    """Return the profile with only the named guarded facts in it, as `speak` sees it."""
    changes: dict[str, object] = {}
    if profile.situation is not None:
        kept = tuple(fact for fact in profile.situation.guarded if fact.id in facts)
        changes["situation"] = profile.situation.model_copy(update={"guarded": kept})
    if profile.telling is not None:
        told = tuple(item for item in profile.telling.guarded if item.fact in facts)
        changes["telling"] = profile.telling.model_copy(update={"guarded": told})
    return profile.model_copy(update=changes)
