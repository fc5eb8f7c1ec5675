"""An ablation as tables: what each arm will cost, and what leaving a part out changed."""

from collections.abc import Iterator, Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from emoharbor.eval.ablating import Ablation, ArmResult
from emoharbor.eval.ablations import FULL, Arm
from emoharbor.eval.assembly import Estimate
from emoharbor.eval.reports.inert import one_line
from emoharbor.eval.statistics.ablated import ArmComparison, ArmFigure
from emoharbor.eval.statistics.bootstrap import Interval
from emoharbor.eval.statistics.correlation import Correlation, Kind

Compared = tuple[ArmResult, ArmComparison]
_KINDS = ("scored", "failed", "invalid", "unscored", "unfinished")
_RATED = {name: name for name in ("overall", "general", "tailored", "gap")}
_REPORTED = {
    "distress_end": "distress", "trust_end": "trust", "facts_told": "facts told", "needs_met": "needs met",
}  # fmt: skip
_RANKS: Mapping[Kind, str] = {"kendall": "Kendall's tau", "spearman": "Spearman's rho"}
_KEPT_WHOLE = (*_KINDS, *_RATED.values(), *_REPORTED.values(), *_RANKS.values())
"""Columns whose heads and intervals do not break."""


def plan_table(arms: Sequence[Arm], estimates: Mapping[str, Estimate]) -> RenderableType:
    """Return a line for each arm with what it will ask of its models, the sum, and why an arm is left out."""
    table = _table("arm", "calls a dialogue", "dialogues", "calls", "tokens", "USD")
    for arm in arms:
        if arm.name in estimates:
            found = estimates[arm.name]
            table.add_row(
                one_line(arm.name, "bold"), str(found.steps_per_dialogue), f"{found.episodes:,}", f"{found.calls:,}",
                f"{found.tokens:,}", _money(found),
            )  # fmt: skip
    every = list(estimates.values())
    calls, tokens = sum(found.calls for found in every), sum(found.tokens for found in every)
    lines = [
        Text("At most, without caches; calls a dialogue count every role, calls only those that ask a model.", "dim")
    ]
    if calls:
        lines.append(Text(f"Together at most {calls:,} calls and about {tokens:,} tokens; {_sum(every)}."))
    else:
        lines.append(Text("No model is called."))
    return Group(table, *lines, *(_left_out(arm.name, arm.skipped) for arm in arms if arm.skipped))


def plan_rows(arms: Sequence[Arm], estimates: Mapping[str, Estimate]) -> list[dict[str, object]]:
    """Return the same as data."""
    return [_plan_row(arm, estimates.get(arm.name)) for arm in arms]


def _plan_row(arm: Arm, found: Estimate | None) -> dict[str, object]:
    told: dict[str, object] = {"arm": arm.name, "says": arm.says, "skipped": arm.skipped}
    if found is not None:
        told |= {
            "calls_per_dialogue": found.steps_per_dialogue, "dialogues": found.episodes, "calls": found.calls,
            "tokens": found.tokens, "cost_usd": found.cost_usd if found.calls else 0.0,
        }  # fmt: skip
    return told


def ablation_page(found: Ablation) -> RenderableType:
    """Return the tables of what came of it."""
    return Group(*_parts(found))


def _parts(found: Ablation) -> Iterator[RenderableType]:
    yield _episodes(found)
    compared = [(arm, arm.against_full) for arm in found.arms if arm.against_full and arm.against_full.people]
    if compared:
        yield _differences(compared, _RATED)
        yield _differences(compared, _REPORTED)
        yield _ranks(compared)
    for arm in found.arms:
        if arm.skipped:
            yield _left_out(arm.arm, arm.skipped)
        elif arm.folder is None:
            yield _left_out(arm.arm, "not run yet")
    yield from (Text(line, "dim") for line in _notes(found))


def _episodes(found: Ablation) -> Table:
    table = _table("arm", "calls a dialogue", *_KINDS)
    for arm in found.arms:
        if arm.folder is not None:
            counts = (str(arm.episodes.get(kind, 0)) for kind in _KINDS)
            table.add_row(one_line(arm.arm, "bold"), str(arm.calls_per_dialogue), *counts)
    return table


def _differences(arms: Sequence[Compared], names: Mapping[str, str]) -> Table:
    """One line an arm; arms that have none of the figures are left out."""
    table = _table("difference", *names.values())
    for arm, against in arms:
        figures = {figure.name: figure for figure in against.figures}
        if not figures.keys().isdisjoint(names):
            cells = (_difference(figures.get(name)) for name in names)
            name = Text.assemble(one_line(arm.arm, "bold"), (f"\nn {against.people}", "dim"))
            table.add_row(name, *cells)
    return table


def _difference(figure: ArmFigure | None) -> Text:
    value = None if figure is None else figure.difference.value
    if figure is None or value is None:
        return Text("-", "dim")
    interval = figure.difference.interval
    clear = interval is not None and not interval.low <= 0 <= interval.high
    # no minus before a nought
    digits = 1 if figure.name == "overall" else 2
    return Text(f"{round(value, digits) + 0.0:+.{digits}f}{_ends(interval, '+', digits)}", "bold" if clear else "")


def _ends(interval: Interval | None, sign: str = "", digits: int = 2) -> str:
    if interval is None:
        return ""
    low, high = (round(end, digits) + 0.0 for end in (interval.low, interval.high))
    return f"\n[{low:{sign}.{digits}f}, {high:{sign}.{digits}f}]"


def _ranks(arms: Sequence[Compared]) -> RenderableType:
    table = _table("ranks as in full", "supporters", *_RANKS.values())
    for arm, against in arms:
        found = {item.kind: item for item in against.ranks}
        if found:
            count = str(max(item.n for item in found.values()))
            table.add_row(one_line(arm.arm, "bold"), count, *(_correlation(found.get(kind)) for kind in _RANKS))
    if not table.row_count:
        return Text("Fewer than three supporters: whether they keep their ranks cannot be told.")
    return table


def _correlation(found: Correlation | None) -> Text:
    if found is None or found.value is None:
        return Text("-", "dim")
    return Text(f"{found.value:.2f}{_ends(found.interval)}")


def _notes(found: Ablation) -> Iterator[str]:
    names = {arm.arm: arm.says for arm in found.arms if arm.folder is not None}
    yield from (f"{name}: {says}." for name, says in names.items() if name != FULL)
    yield (
        "Differences are arm minus full, of n people: within the same people and supporters, repeats averaged first; "
        f"{found.how.level:.0%} intervals: bootstrap over people, {found.how.resamples:,} resamples, seed "
        f"{found.how.seed}; bold: the interval leaves out 0. A supporter that failed a person counts as the lowest "
        "score."
    )
    yield (
        "distress and trust at the end, facts told and needs met are read from the inner world, and missing where no "
        "role of the arm moves them."
    )


def _left_out(name: str, why: str) -> Text:
    return one_line(f"left out: {name}: {why}", "yellow")


def _money(found: Estimate) -> str:
    if not found.calls:
        return "0"
    return "?" if found.cost_usd is None else f"{found.cost_usd:,.2f}"


def _sum(every: Sequence[Estimate]) -> str:
    paid = [found for found in every if found.calls]
    costs = [found.cost_usd for found in paid if found.cost_usd is not None]
    if len(costs) < len(paid):
        return "cost unknown, since not every model has a known price"
    return f"about ${sum(costs):,.2f}"


def _table(first: str, *heads: str) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column(first, overflow="fold")
    for head in heads:
        table.add_column(one_line(head), justify="right", no_wrap=head in _KEPT_WHOLE)
    return table
