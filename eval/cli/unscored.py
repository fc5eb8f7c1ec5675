"""The last lines of a run in which something could not be scored: how much, and why most often."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from emoharbor.eval.record import EpisodeRecord, EpisodeResult
    from emoharbor.eval.run import Run

_LOOKED_AT = 200


def tell_unscored(run: "Run", folder: Path, called: str = "episode") -> int:
    """Say how many episodes of the whole run could not be scored, earlier calls included, and return it.

    A supporter that fails a person is scored for it, and an episode that waits for another call is not missing.
    """
    from collections import Counter

    from emoharbor.eval.cli.screen import tell
    from emoharbor.eval.record import EpisodeKey

    missing = list(_missing(run))
    if not missing:
        return 0
    tell(f"{len(missing)} {called}{'s' if len(missing) > 1 else ''} could not be scored; see: emoharbor show {folder}")
    reasons: Counter[str] = Counter()
    example: dict[str, str] = {}
    for found in islice(missing, _LOOKED_AT):
        key = EpisodeKey(profile=found.profile, supporter=found.supporter, repeat=found.repeat)
        reason = _reason(run.episode(key))
        reasons[reason] += 1
        example.setdefault(reason, str(key))
    for reason, count in reasons.most_common(1):
        if reason:
            tell(f"why{f', {count} times' if count > 1 else ''}: {reason} ({example[reason]})")
    return len(missing)


def _missing(run: "Run") -> Iterator["EpisodeResult"]:
    from emoharbor.state.outcome import Outcome

    broken = (Outcome.INFRASTRUCTURE, Outcome.USER_INVALID)
    rated = run.scale() is not None
    for found in run.results():
        waits = found.outcome is not None and found.outcome.judged and not any(item.scores for item in found.primary)
        if found.outcome in broken or (rated and waits):
            yield found


def _reason(record: "EpisodeRecord") -> str:
    """Return why an episode was not finished, or not scored."""
    if record.outcome is not None and not record.outcome.judged:
        return record.outcome_reason
    unscored = next((item.unscored for item in record.primary if item.unscored), None)
    by_judge = next((fault.detail for fault in reversed(record.faults) if fault.role == "judge"), "")
    return unscored or by_judge
