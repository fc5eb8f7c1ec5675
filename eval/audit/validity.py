"""The validity of the simulated user: one small value, to stand beside every score."""

from collections.abc import Callable, Iterable, Mapping

from emoharbor.eval.audit.episode import EpisodeAudit
from emoharbor.eval.audit.finding import Kind
from emoharbor.eval.audit.rates import Rate, rate_of
from emoharbor.state.base import Frozen
from emoharbor.state.outcome import Outcome


class Validity(Frozen):
    """How far the simulated person kept to its part. Shares of episodes, but for `clamped`."""

    episodes: int
    people: int
    valid: Rate
    """Ended otherwise than `user_invalid`."""
    sound: Rate
    """Valid, and without a finding of any kind."""
    drift: Rate
    leak: Rate
    repeat: Rate
    over_disclosure: Rate
    instant_warmth: Rate
    style: Rate
    swing: Rate
    contradiction: Rate | None = None
    """None without a model check."""
    clamped: Rate
    """Of all moves of distress and trust that were proposed, those that the person's limits cut."""

    @property
    def rates(self) -> dict[str, Rate]:
        """Every share by name, in the order in which they are printed."""
        found = {name: getattr(self, name) for name in type(self).model_fields}
        return {name: value for name, value in found.items() if isinstance(value, Rate)}


def validity(audits: Iterable[EpisodeAudit], *, by_model: bool = False) -> Validity:
    """Return the shares over some episodes.

    Args:
        audits: the episodes.
        by_model: whether a model looked for contradictions.
    """
    known = list(audits)
    kinds: Mapping[str, Kind] = {
        "drift": "drift", "leak": "leak", "repeat": "repeat", "over_disclosure": "over_disclosure",
        "instant_warmth": "instant_warmth", "style": "style", "swing": "swing",
    }  # fmt: skip
    return Validity(
        episodes=len(known),
        people=len({audit.profile for audit in known}),
        valid=_share(known, _is_valid),
        sound=_share(known, lambda audit: _is_valid(audit) and not audit.findings),
        **{name: _having(known, kind) for name, kind in kinds.items()},
        contradiction=_having(known, "contradiction") if by_model else None,
        clamped=rate_of((audit.profile, audit.clamped, audit.moves) for audit in known),
    )


def _is_valid(audit: EpisodeAudit) -> bool:
    return audit.outcome is not Outcome.USER_INVALID


def _having(audits: Iterable[EpisodeAudit], kind: Kind) -> Rate:
    return _share(audits, lambda audit: kind in audit.kinds)


def _share(audits: Iterable[EpisodeAudit], test: Callable[[EpisodeAudit], bool]) -> Rate:
    return rate_of((audit.profile, int(test(audit)), 1) for audit in audits)
