"""Which guarded facts a sent message tells: claims count only with their words in it, and silence is checked too."""

from collections.abc import Iterable

from emoharbor.profiles.schema import GuardedFact
from emoharbor.state.inner_world import Disclosure, InnerWorld
from emoharbor.state.text import contains
from emoharbor.state.updates import DisclosureClaim


def find_disclosures(
    message: str, claims: Iterable[DisclosureClaim], facts: Iterable[GuardedFact], world: InnerWorld, turn: int
) -> tuple[Disclosure, ...]:
    """Return the facts that `message` tells.

    Args:
        message: what the person sent.
        claims: what `speak` says it told; a claim whose quote is not in the message is dropped.
        facts: all guarded facts of the profile.
        world: the inner world, for what was released.
        turn: the turn of the message.
    """
    claimed = {claim.fact: claim.quote for claim in claims if contains(message, claim.quote)}
    found = []
    for fact in facts:
        quote = claimed.get(fact.id) or next((tell for tell in fact.tells if contains(message, tell)), None)
        if quote is not None:
            found.append(
                Disclosure(
                    fact=fact.id, turn=turn, quote=quote, released=fact.id in world.released, claimed=fact.id in claimed
                )
            )
    return tuple(found)
