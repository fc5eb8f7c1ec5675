"""How far a run is, on one line; and what it took, when it is over."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from emoharbor.eval.record import EpisodeResult
from emoharbor.eval.reports.words import counted
from emoharbor.eval.runs.progress import Progress

_SIDES = ("person", "supporter", "judge")


def progress_line(progress: Progress) -> str:
    """Return one line: done of planned, rate, time left, tokens, cost, failures by kind, where the time goes."""
    parts = [f"{progress.done}/{progress.planned} {progress.unit}", f"{progress.running} under way"]
    if progress.openings:
        parts.append(f"{counted(progress.openings, 'first message')} being made")
    if progress.unit == "episodes":
        parts.append(f"{progress.turns} turns")
    if progress.stopping:
        parts.insert(0, "stopping")
    if progress.done:
        parts.append(f"{progress.rate:.0f} a minute")
    left = progress.seconds_left
    if left is not None and progress.done < progress.planned and not progress.stopping:
        parts.append(f"{duration(left)} left")
    if progress.tokens is not None:
        parts.append(f"{progress.tokens:,} tokens")
    if progress.cost_usd is not None:
        parts.append(money(progress.cost_usd))
    if progress.failures:
        parts.append("failures: " + ", ".join(f"{kind} {count}" for kind, count in sorted(progress.failures.items())))
    if progress.answers and (where := time_line(progress)):
        parts.append(f"time: {where}")
    return "  ".join(parts)


def time_line(progress: Progress) -> str:
    """Return each side's part of the time nodes were at work, and the part of it spent waiting for limits."""
    whole = sum(progress.seconds_by.values())
    if not whole:
        return ""
    found = [f"{side} {progress.seconds_by.get(side, 0.0) / whole:.0%}" for side in _SIDES]
    return ", ".join([*found, f"of it waiting for limits {min(1.0, progress.waited / whole):.0%}"])


def summary_lines(progress: Progress, results: Iterable[EpisodeResult]) -> Iterator[str]:
    """Yield what a run came to: outcomes by supporter, tokens, cost, time, the slowest endpoint.

    Args:
        progress: at its end.
        results: the episodes of the run.
    """
    for name, outcomes in _outcomes(results).items():
        counts = ", ".join(f"{outcome} {count}" for outcome, count in sorted(outcomes.items()))
        yield f"{name}: {counts}"
    if progress.tokens is not None:
        cost = "cost unknown (a price is missing)" if progress.cost_usd is None else money(progress.cost_usd)
        yield f"used: {progress.tokens:,} tokens, {cost}"
    if progress.answers:
        if where := time_line(progress):
            yield f"time: {duration(progress.seconds)}; {where}"
        label, (calls, seconds) = max(progress.answers.items(), key=lambda item: item[1][1] / max(1, item[1][0]))
        yield f"slowest: {label}, {seconds / max(1, calls):.2f} s an answer ({calls:,} answers)"


def money(usd: float) -> str:
    """Return an amount: cents, and below ten cents as much as shows something."""
    return f"${usd:,.2f}" if usd >= 0.1 or usd == 0 else f"${usd:.4f}"


def duration(seconds: float) -> str:
    """Return a time in the two largest units: `1 h 20 min`, `3 min 5 s`, `12 s`."""
    whole = round(seconds)
    hours, minutes, rest = whole // 3600, whole % 3600 // 60, whole % 60
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _outcomes(results: Iterable[EpisodeResult]) -> Mapping[str, Counter[str]]:
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for result in results:
        found[result.supporter][result.outcome.value if result.outcome else "under way"] += 1
    return found
