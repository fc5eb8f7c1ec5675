"""Parts of a profile, for those who may see only a part."""

from typing import TypeVar

from emoharbor.profiles.schema import PartialProfile

P = TypeVar("P", bound=PartialProfile)


def with_facts(profile: P, facts: frozenset[str]) -> P:
    """Return the profile with only the named guarded facts in it, as `speak` sees it."""
    situation, telling = profile.situation, profile.telling
    if situation is None or all(fact.id in facts for fact in situation.guarded):
        return profile
    kept = tuple(fact for fact in situation.guarded if fact.id in facts)
    changes: dict[str, object] = {"situation": situation.model_copy(update={"guarded": kept})}
    if telling is not None:
        told = tuple(item for item in telling.guarded if item.fact in facts)
        changes["telling"] = telling.model_copy(update={"guarded": told})
    return profile.model_copy(update=changes)
