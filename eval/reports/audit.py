"""The audit of a run as tables."""

from collections.abc import Iterator

from emoharbor.eval.audit.rates import Rate
from emoharbor.eval.audit.summary import RunAudit
from emoharbor.eval.audit.trajectory import Trajectory
from emoharbor.eval.reports.tables import Cell, Column, Page, Ranged, Sheet
from emoharbor.eval.reports.words import counted
from emoharbor.eval.statistics.bootstrap import Estimate

_NAMES = {
    "valid": "valid", "sound": "sound", "drift": "role drift", "leak": "leaked thought", "repeat": "repetition",
    "over_disclosure": "told too soon", "instant_warmth": "instant warmth", "style": "out of style",
    "swing": "swing", "contradiction": "contradiction", "clamped": "moves clamped",
}  # fmt: skip


def audit_page(found: RunAudit, shown: int) -> Page:
    """Return the tables; `shown` findings are listed with their words."""
    sheets = [
        _validity(found), _clamps(found), _endings(found), _conformity(found), _whole(found), _around(found),
        _people(found), _findings(found, shown),
    ]  # fmt: skip
    return Page("Audit of the simulated user", tuple(sheet for sheet in sheets if sheet.rows), tuple(_notes(found)))


def _validity(found: RunAudit) -> Sheet:
    groups = {"all": found.validity.all, **found.validity.supporters}
    columns = (
        Column("% of episodes", "left"),
        *(Column(f"{name} (n {item.episodes})", digits=1) for name, item in groups.items()),
    )  # fmt: skip
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (_NAMES[name], *(_percent(item.rates.get(name)) for item in groups.values()))
        for name in found.validity.all.rates
    )
    notes = (
        "valid: did not end as user_invalid. sound: valid, and no finding at all. Each other line: episodes with at "
        "least one such finding, counted from what was proposed: a message mended on retry and a move cut by a limit "
        "count.",
        "moves clamped: of all moves of distress and trust proposed, those that the person's limits cut.",
    )
    return Sheet("Validity of the simulated user", columns, rows, notes)


def _clamps(found: RunAudit) -> Sheet:
    columns = (
        Column("% cut by limits", "left"), Column("distress", digits=1), Column("trust", digits=1),
        Column("facts to tell", digits=1),
    )  # fmt: skip
    rows = tuple(
        (name, _percent(item.distress), _percent(item.trust), _percent(item.releases))
        for name, item in found.clamps.items()
    )
    return Sheet("What the limits cut", columns, rows)


def _endings(found: RunAudit) -> Sheet:
    columns = (
        Column("supporter", "left"), Column("ended", "left"), Column("episodes"), Column("%", digits=0),
        Column("after replies", digits=1), Column("reason given most often", "left"),
    )  # fmt: skip
    rows = tuple(
        (item.supporter, item.outcome, item.episodes, 100 * item.share, item.replies, _short(item.reason, 80))
        for item in found.endings
    )
    return Sheet("Who ended the talk, and why", columns, rows)


def _conformity(found: RunAudit) -> Sheet:
    columns = (
        Column("the profile says", "left"), Column("the person does", "left"), Column("expected", "left"),
        Column("Spearman", digits=2, signed=True), Column("people"),
    )  # fmt: skip
    rows = tuple(
        (
            item.says, item.does, item.expected,
            Ranged(item.found.value, *_ends(item.found.interval)), item.found.n,
        )
        for item in found.conformity
    )  # fmt: skip
    note = "Over people, from what was proposed. A figure near 0 says that the simulator does not heed the trait."
    return Sheet("Whether people differ as their profiles say", columns, rows, (note,))


def _whole(found: RunAudit) -> Sheet:
    columns = (
        Column("supporter", "left"), Column("distress", digits=2), Column("its volatility", digits=2),
        Column("trust", digits=2), Column("its volatility", digits=2), Column("people"),
    )  # fmt: skip
    rows = tuple(
        (
            item.supporter, _estimate(item.distress.baseline), _estimate(item.distress.volatility),
            _estimate(item.trust.baseline), _estimate(item.trust.volatility), item.people,
        )
        for item in found.trajectories if item.distress_after is None
    )  # fmt: skip
    note = "Simulator-reported. Mean level over the dialogue (0 to 10); volatility: RMSSD from turn to turn."
    return Sheet("Trajectories", columns, rows, (note,))


def _around(found: RunAudit) -> Sheet:
    columns = (
        Column("supporter", "left"), Column("event", "left"), Column("n"), Column("distress before", digits=2),
        Column("after", digits=2), Column("jump", digits=2, signed=True), Column("volatility before", digits=2),
        Column("after", digits=2), Column("trust jump", digits=2, signed=True), Column("centre moved", digits=2),
        Column("back by the end, %", digits=0),
    )  # fmt: skip
    rows = tuple(_event_row(item) for item in found.trajectories if item.distress_after is not None)
    note = (
        "At the event: from the turn before it to its own. Centre: mean point of distress and trust. Back: distress at "
        "the end at most 0.5 above the turn before the event. n: events with two turns on each side."
    )
    return Sheet("Before and after events", columns, rows, (note,))


def _event_row(item: Trajectory) -> tuple[str | int | Ranged | None, ...]:
    after = item.distress_after
    return (
        item.supporter, item.event.replace("_", " "), item.episodes, _estimate(item.distress.baseline),
        _estimate(after.baseline if after else None), _estimate(item.distress_jump),
        _estimate(item.distress.volatility), _estimate(after.volatility if after else None),
        _estimate(item.trust_jump), _estimate(item.centre_shift), _percent(item.back),
    )  # fmt: skip


def _people(found: RunAudit) -> Sheet:
    columns = (
        Column("person", "left"), Column("episodes"), Column("sound"), Column("findings", "left"),
        Column("resistance"), Column("trust a reply", digits=2, signed=True), Column("volatility"),
        Column("move of distress", digits=2), Column("pace"), Column("first told", digits=1),
    )  # fmt: skip
    listed = [row for row in found.people if row.sound < row.episodes] or ()
    rows = tuple(
        (
            row.profile, row.episodes, row.sound, ", ".join(f"{_NAMES[kind]} {n}" for kind, n in row.kinds.items()),
            row.resistance, row.warming, row.volatility, row.moving, row.pace, row.first_told,
        )
        for row in listed
    )  # fmt: skip
    return Sheet(
        "People with findings",
        columns,
        rows,
        (f"{counted(len(found.people), 'person', 'people')} in all; --json has each.",),
    )


def _findings(found: RunAudit, shown: int) -> Sheet:
    columns = (
        Column("episode", "left"), Column("turn"), Column("role", "left"), Column("kind", "left"),
        Column("what is wrong", "left"), Column("words", "left"),
    )  # fmt: skip
    every = [(item.episode, finding) for item in found.episodes for finding in item.findings]
    rows = tuple(
        (name, one.turn, one.role, _NAMES[one.kind], _short(one.why, 160), _short(one.words, 120))
        for name, one in every[:shown]
    )
    notes = (f"{len(every)} findings in all; --findings N shows more, --json all.",) if len(every) > shown else ()
    return Sheet("Findings", columns, rows, notes)


def _notes(found: RunAudit) -> Iterator[str]:
    yield (
        "95% intervals of shares: Wilson's at the effective sample size (episodes of one person are alike); of means: "
        "bootstrap over people."
    )
    yield "The limits stand in the config's `audit:` section; defaults were set on the offline cast (docs/audit.md)."
    if found.model is not None:
        unread = f"; it gave no usable answer on {counted(found.unread, 'episode')}" if found.unread else ""
        yield f"Contradictions were looked for by {found.model}{unread}; each quotes the message and the profile."
    if found.unknown:
        yield f"No profile was found for {', '.join(found.unknown)}: what needs one was not checked."


def _percent(rate: Rate | None) -> Ranged:
    if rate is None or rate.rate is None or rate.low is None or rate.high is None:
        return Ranged(None)
    return Ranged(100 * rate.rate, 100 * rate.low, 100 * rate.high)


def _estimate(found: Estimate | None) -> Ranged:
    return Ranged(None) if found is None else Ranged(found.value, *_ends(found.interval))


def _ends(interval: object) -> tuple[float | None, float | None]:
    return getattr(interval, "low", None), getattr(interval, "high", None)


def _short(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
