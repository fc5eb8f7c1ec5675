"""How far ratings can be relied on: by the same judge again, by other judges, by other people, by other simulators."""

from collections.abc import Iterator, Mapping

from emoharbor.eval.statistics.grid import Grid
from emoharbor.eval.statistics.judges import agreements, between_judges, noises
from emoharbor.eval.statistics.method import How
from emoharbor.eval.statistics.ratings import Ratings
from emoharbor.eval.statistics.reliability_rows import Halves, Missing, Reliability
from emoharbor.eval.statistics.sample import Sample
from emoharbor.eval.statistics.scores import Scale
from emoharbor.eval.statistics.simulators import simulators
from emoharbor.eval.statistics.split_half import split_half
from emoharbor.eval.statistics.variance import VarianceShares, variance_shares

FIGURES = ("overall", "general", "tailored")
RESAMPLES = 1_000
"""Of agreement and variance shares, unless fewer are asked for: each resample is a whole estimate."""


def reliability(ratings: Ratings, samples: Mapping[str, Sample], how: How) -> Reliability:
    """Return what can be said, and what cannot with the reason.

    Args:
        ratings: every rating as oneself, of all samples.
        samples: the same episodes as the leaderboard sees them, by the name of who played the people.
        how: level, seed; resamples are capped at `RESAMPLES`.
    """
    how = how.model_copy(update={"resamples": min(how.resamples, RESAMPLES)})
    noise = tuple(noises(ratings, how))
    between = tuple(between_judges(ratings, how))
    halves = tuple(_halves(next(iter(samples.values())), ratings.scale, how))
    shares = {name: share for name in FIGURES if (share := _shares(ratings.plain(), name, how)) is not None}
    between_simulators = tuple(simulators(samples, ratings.scale, how))
    found = Reliability(
        rubric=ratings.scale.rubric, episodes=len({one.episode for one in ratings.ones}), ratings=len(ratings.ones),
        judges=ratings.judges, noise=noise, agreement=tuple(agreements(ratings, how)), between=between,
        halves=halves, shares=shares, simulators=between_simulators, missing=(), how=how,
    )  # fmt: skip
    return found.model_copy(update={"missing": tuple(_missing(found))})


def _halves(sample: Sample, scale: Scale, how: How) -> Iterator[Halves]:
    grid = Grid.of(sample.entries, sample.names, scale, "lowest")
    for figure in ("overall", "general", "tailored", "gap"):
        found = split_half(grid.of_figure(figure), level=how.level, seed=how.seed)
        if found is not None:
            yield Halves(figure=figure, found=found)


def _shares(ratings: Ratings, figure: str, how: How) -> VarianceShares | None:
    values, factors = ratings.factors(figure)
    if not values.size:
        return None
    return variance_shares(values, factors, level=how.level, resamples=how.resamples, seed=how.seed)


def _missing(found: Reliability) -> Iterator[Missing]:
    """Say why a section is empty, and how to fill it."""
    if not found.noise:
        why = "no episode was rated twice by one judge; `emoharbor judge RUN --repeats 2` rates a run again"
        yield Missing(what="judge noise", why=why)
    if not found.between:
        who = "one judge rated this run" if len(found.judges) == 1 else "no two judges rated it on the same terms"
        why = f"{who}; `emoharbor judge RUN --judge NAME` adds another"
        yield Missing(what="agreement between judges", why=why)
    elif all(item.with_log for item in found.between):
        why = "fewer than two judges rated without it; the controls of `emoharbor judge --counterfactual` do"
        yield Missing(what="agreement of judges without the log", why=why)
    if not found.halves:
        why = "needs at least three supporters that differ, and four people whom all of them have a score for"
        yield Missing(what="split half", why=why)
    if not found.shares:
        yield Missing(what="variance shares", why="fewer than two scores, or all scores are the same")
    for figure, shares in found.shares.items():
        if shares.merged:
            why = "nothing in this design was repeated that could tell it apart; it is in the remainder"
            yield Missing(what=f"variance of {figure} by {', '.join(shares.merged)}", why=why)
    if not found.simulators:
        why = "name two runs of the same people and supporters that differ in who plays the person"
        yield Missing(what="another simulator", why=why)
