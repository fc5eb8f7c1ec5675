"""How far a run is, on one line."""

from emoharbor.eval.runs.progress import Progress


def progress_line(progress: Progress) -> str:
    """Return one line: done of planned, rate, time left, tokens, cost, failures by kind."""
    parts = [f"{progress.done}/{progress.planned} episodes", f"{progress.running} under way", f"{progress.turns} turns"]
    if progress.done:
        parts.append(f"{progress.rate:.0f} a minute")
    left = progress.seconds_left
    if left is not None and progress.done < progress.planned:
        parts.append(f"{duration(left)} left")
    if progress.tokens is not None:
        parts.append(f"{progress.tokens:,} tokens")
    if progress.cost_usd is not None:
        parts.append(f"${progress.cost_usd:.2f}")
    if progress.failures:
        parts.append("failures: " + ", ".join(f"{kind} {count}" for kind, count in sorted(progress.failures.items())))
    return "  ".join(parts)


def duration(seconds: float) -> str:
    """Return a time in the two largest units: `1 h 20 min`, `3 min 5 s`, `12 s`."""
    whole = round(seconds)
    hours, minutes, rest = whole // 3600, whole % 3600 // 60, whole % 60
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
