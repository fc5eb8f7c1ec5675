"""A report as Markdown. What somebody else wrote is quoted line by line, with its marks escaped."""

from collections.abc import Iterator, Sequence

from emoharbor.eval.record import EpisodeRecord
from emoharbor.eval.reports.formats import DASH, escaped, markdown_parts
from emoharbor.eval.reports.inert import plain
from emoharbor.eval.reports.person import person_name
from emoharbor.eval.reports.report import CAUTION, Report, Shown
from emoharbor.state.verdict import Judgement


def report_markdown(report: Report) -> str:
    """Return the whole report."""
    return "\n".join(_lines(report)).rstrip() + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield from (f"# {escaped(report.title)}", "", CAUTION, "")
    yield from (f"- {name}: {escaped(value)}" for name, value in report.facts)
    yield ""
    yield from markdown_parts(report.tables)
    for shown in report.episodes:
        yield ""
        yield from _episode(shown, list(report.scale.groups) if report.scale else [])


def _episode(shown: Shown, dimensions: Sequence[str]) -> Iterator[str]:
    record, who = shown.record, person_name(shown.person)
    yield from (f"## {escaped(record.episode)}", "")
    if shown.why:
        yield from (f"{escaped(shown.why)}.", "")
    yield from (f"Outcome: {_outcome(record)}", "")
    for number, turn in enumerate(record.turns):
        world = turn.inner_world
        felt = f", distress {world.distress:.1f}, trust {world.trust:.1f}" if world else ""
        yield from (f"**Turn {number}**{felt}", "")
        if turn.user is not None:
            yield from _said(who, turn.user)
        if turn.supporter is not None:
            yield from _said(record.supporter, turn.supporter)
    for judgement in record.primary[:1]:
        yield from _verdict(judgement, who, dimensions)


def _outcome(record: EpisodeRecord) -> str:
    if record.outcome is None:
        return "not finished"
    reason = f" ({escaped(record.outcome_reason)})" if record.outcome_reason else ""
    return f"{escaped(record.outcome.value)}{reason}"


def _said(who: str, text: str) -> Iterator[str]:
    lines = [escaped(line) for line in plain(text).splitlines()]
    yield f"> **{escaped(who)}:** {lines[0] if lines else ''}"
    yield from (f"> {line}".rstrip() for line in lines[1:])
    yield ""


def _verdict(judgement: Judgement, who: str, dimensions: Sequence[str]) -> Iterator[str]:
    yield from (f"**The verdict, rated as {escaped(who)} by {escaped(judgement.judge)}**", "")
    if judgement.unscored is not None:
        yield from (f"Not scored: {escaped(judgement.unscored)}", "")
        return
    yield from ("| dimension | score | why |", "| --- | ---: | --- |")
    order = {name: place for place, name in enumerate(dimensions)}
    for rating in sorted(judgement.ratings, key=lambda found: order.get(found.dimension, len(order))):
        score = DASH if rating.score is None else str(rating.score)
        turns = ", ".join(f"turn {item.turn}" for item in rating.evidence)
        why = escaped(" ".join(rating.reason.split())) + (f" ({turns})" if turns else "")
        yield f"| {escaped(rating.dimension)} | {score} | {why} |"
    yield ""
