"""How distress and trust run over a dialogue, and what an event in its middle does to them.

Three figures describe a stretch of a curve: its baseline (the mean level), its volatility (root mean square of
successive differences, von Neumann's RMSSD, which emotion dynamics calls instability: Jahng, Wood and Trull 2008) and
its centre (the mean point of distress and trust). Work on emotional trajectories in support dialogues names the same
three (arXiv 2511.09003); its formulas are not public, so these are ours. Levels are simulator-reported.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from math import hypot, isnan, nan, sqrt
from typing import NamedTuple

import numpy as np

from emoharbor.eval.audit.episode import EpisodeAudit, Point
from emoharbor.eval.audit.rates import Rate, rate_of
from emoharbor.eval.statistics.bootstrap import Estimate, mean_estimate
from emoharbor.state.base import Frozen

BACK = 0.5
"""Distress is back when it is no higher than this above where it was before the event."""
WHOLE, ANY = "whole dialogue", "any event"
_LEAST = 2
"""Turns that a stretch needs on each side of an event."""


class Stretch(Frozen):
    """One level over a stretch of dialogue, means over people."""

    baseline: Estimate
    volatility: Estimate


class Trajectory(Frozen):
    """The dialogues with one supporter: whole ones, or before and after an event of one kind."""

    supporter: str
    event: str
    """`whole dialogue`, `any event`, or a kind of event."""
    episodes: int
    people: int
    distress: Stretch
    """Before the event, or over the whole dialogue."""
    trust: Stretch
    distress_after: Stretch | None = None
    trust_after: Stretch | None = None
    distress_jump: Estimate | None = None
    """Distress at the event less distress before it."""
    trust_jump: Estimate | None = None
    centre_shift: Estimate | None = None
    """Distance of the centres before and after, in points of the scales."""
    back: Rate | None = None
    """Episodes in which distress came back by the end."""


class _Cut(NamedTuple):
    """An episode at one event: the points before it, from it on, and all of them."""

    profile: str
    before: Sequence[Point]
    after: Sequence[Point]


def trajectories(audits: Iterable[EpisodeAudit], supporters: Sequence[str]) -> tuple[Trajectory, ...]:
    """Return the figures of each supporter: of whole dialogues, then around events, if there were any."""
    known = [audit for audit in audits if audit.path]
    found: list[Trajectory] = []
    for name in supporters:
        theirs = [audit for audit in known if audit.supporter == name]
        if theirs:
            found.append(_whole(name, theirs))
        kinds = sorted({event.kind for audit in theirs for event in audit.events})
        for kind in [ANY, *kinds] if kinds else ():
            cuts = [cut for audit in theirs for cut in _cuts(audit, kind)]
            if cuts:
                found.append(_around(name, kind, cuts))
    return tuple(found)


def _whole(name: str, audits: Sequence[EpisodeAudit]) -> Trajectory:
    cuts = [_Cut(audit.profile, audit.path, ()) for audit in audits]
    return Trajectory(
        supporter=name, event=WHOLE, episodes=len(cuts), people=len({cut.profile for cut in cuts}),
        distress=_stretch(cuts, lambda cut: [point[1] for point in cut.before]),
        trust=_stretch(cuts, lambda cut: [point[2] for point in cut.before]),
    )  # fmt: skip


def _cuts(audit: EpisodeAudit, kind: str) -> list[_Cut]:
    """Cut an episode at its events; the stretches between events that come too close together are left out."""
    turns = [event.turn for event in audit.events]
    cuts = []
    for event in audit.events:
        if kind not in (ANY, event.kind):
            continue
        first = max((turn for turn in turns if turn < event.turn), default=-1)
        last = min((turn for turn in turns if turn > event.turn), default=10**6)
        before = [point for point in audit.path if first <= point[0] < event.turn]
        after = [point for point in audit.path if event.turn <= point[0] < last]
        if len(before) >= _LEAST and len(after) >= _LEAST:
            cuts.append(_Cut(audit.profile, before, after))
    return cuts


def _around(name: str, kind: str, cuts: Sequence[_Cut]) -> Trajectory:
    return Trajectory(
        supporter=name, event=kind, episodes=len(cuts), people=len({cut.profile for cut in cuts}),
        distress=_stretch(cuts, lambda cut: [point[1] for point in cut.before]),
        trust=_stretch(cuts, lambda cut: [point[2] for point in cut.before]),
        distress_after=_stretch(cuts, lambda cut: [point[1] for point in cut.after]),
        trust_after=_stretch(cuts, lambda cut: [point[2] for point in cut.after]),
        distress_jump=_mean(cuts, lambda cut: cut.after[0][1] - cut.before[-1][1]),
        trust_jump=_mean(cuts, lambda cut: cut.after[0][2] - cut.before[-1][2]),
        centre_shift=_mean(cuts, _centre_shift),
        back=rate_of((cut.profile, int(cut.after[-1][1] <= cut.before[-1][1] + BACK), 1) for cut in cuts),
    )  # fmt: skip


def _stretch(cuts: Sequence[_Cut], levels: Callable[[_Cut], list[float]]) -> Stretch:
    return Stretch(
        baseline=_mean(cuts, lambda cut: sum(levels(cut)) / len(levels(cut))),
        volatility=_mean(cuts, lambda cut: rmssd(levels(cut))),
    )


def rmssd(levels: Sequence[float]) -> float:
    """Return the root mean square of successive differences; NaN for fewer than two levels."""
    steps = [(after - before) ** 2 for before, after in pairwise(levels)]
    return sqrt(sum(steps) / len(steps)) if steps else nan


def _centre_shift(cut: _Cut) -> float:
    before, after = (np.mean([point[1:] for point in side], axis=0) for side in (cut.before, cut.after))
    return hypot(*(after - before))


def _mean(cuts: Sequence[_Cut], figure: Callable[[_Cut], float]) -> Estimate:
    """The mean over people of each person's mean, with a bootstrap over people."""
    people: dict[str, list[float]] = {}
    for cut in cuts:
        if not isnan(value := figure(cut)):
            people.setdefault(cut.profile, []).append(value)
    means = np.array([sum(values) / len(values) for values in people.values()], dtype=float)
    return mean_estimate(means, resamples=2_000)
