"""One episode on one page: who, the dialogue with the inner world, the chart, the verdict."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from emoharbor.eval.record import EpisodeRecord
from emoharbor.eval.reports.chart import chart
from emoharbor.eval.reports.dialogue import dialogue
from emoharbor.eval.reports.glyphs import Glyphs
from emoharbor.eval.reports.inert import one_line
from emoharbor.eval.reports.person import introduction, person_name
from emoharbor.eval.reports.ratings import ratings_table, shown_whole
from emoharbor.eval.reports.verdict import verdict
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.outcome import Outcome

_ENDS = {
    Outcome.USER_SATISFIED: "{who} got what they came for and said goodbye",
    Outcome.USER_LEFT: "{who} gave up and left",
    Outcome.TURN_CAP: "the turn limit was reached",
    Outcome.STALE: "the talk went in circles",
    Outcome.USER_INVALID: "the simulated person fell out of role; the episode is kept and never scored",
    Outcome.SUPPORTER_REFUSED: "the supporter refused to answer",
    Outcome.SUPPORTER_EMPTY: "the supporter gave an empty answer",
    Outcome.SUPPORTER_TRUNCATED: "the supporter's answer was cut off",
    Outcome.SUPPORTER_ERROR: "the supporter failed",
    Outcome.INFRASTRUCTURE: "an endpoint or a node failed, or the run was stopped; it is run again on --resume",
}


def episode(record: EpisodeRecord, profile: PartialProfile, glyphs: Glyphs, width: int) -> RenderableType:
    """Return the whole page.

    Args:
        record: the episode.
        profile: the person who talks in it.
        glyphs: what the terminal can show.
        width: cells of a line.
    """
    return Group(*_parts(record, profile, glyphs, width))


def epilogue(record: EpisodeRecord, profile: PartialProfile, glyphs: Glyphs, width: int) -> RenderableType:
    """Return what follows the dialogue: how it ended, what was felt, the verdict."""
    return Group(*_after(record, profile, glyphs, width))


def _parts(record: EpisodeRecord, profile: PartialProfile, glyphs: Glyphs, width: int) -> Iterator[RenderableType]:
    yield _section("The person", glyphs)
    yield Padding(introduction(profile), (0, 0, 1, 0))
    yield _section(f"The talk with {record.supporter}", glyphs)
    yield dialogue(record, profile, glyphs, width)
    yield from _after(record, profile, glyphs, width)


def _after(record: EpisodeRecord, profile: PartialProfile, glyphs: Glyphs, width: int) -> Iterator[RenderableType]:
    who = person_name(profile)
    yield Padding(_ending(record, who), (0, 0, 1, 0))
    curve = chart(record, glyphs, width)
    if curve is not None:
        yield _section(f"What {who} felt", glyphs)
        yield Padding(curve, (0, 0, 1, 0))
    own, further = shown_whole(record.judgements)
    if own is not None:
        yield _section(f"The verdict, rated as {own.counterfactual or who} by {own.judge}", glyphs)
        yield verdict(own, glyphs, own.counterfactual or who)
        yield Text("")
    if further:
        yield _section("Further ratings", glyphs)
        yield Padding(ratings_table(further, glyphs), (0, 0, 1, 0))
    if not record.judgements:
        yield Text("There is no verdict: nobody rated this episode.", "dim")
    for fault in record.faults:
        yield one_line(f"fault at {fault.role}, turn {fault.turn}: {fault.kind} {fault.detail}", "dim red")


def _section(title: str, glyphs: Glyphs) -> Rule:
    return Rule(one_line(title, "bold"), align="left", style="dim", characters=glyphs.full)


def _ending(record: EpisodeRecord, who: str) -> Text:
    if record.outcome is None:
        return Text("It is not finished.", "dim")
    line = Text.assemble(("end  ", "dim"), (f"{record.outcome}: ", "bold"), _ENDS[record.outcome].format(who=who))
    if record.outcome_reason and record.outcome not in (Outcome.TURN_CAP, Outcome.STALE):
        line.append(" (", "dim").append_text(one_line(record.outcome_reason, "dim")).append(")", "dim")
    return line
