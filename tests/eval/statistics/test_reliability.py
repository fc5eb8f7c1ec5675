"""Reliability: what is computed from which ratings, and what is named as missing with its reason."""

import numpy as np
import pytest
from helpers.rated import FAST, GROUPS, RUBRIC, SCALE, episode, rated, sample, scored

from emoharbor.eval.record import EpisodeRecord
from emoharbor.eval.statistics.ratings import Ratings
from emoharbor.eval.statistics.reliability import reliability
from emoharbor.eval.statistics.reliability_rows import Reliability
from emoharbor.state.outcome import Outcome
from emoharbor.state.verdict import Judgement


def of(*runs: list[EpisodeRecord]) -> Reliability:
    named = {f"run {index}": records for index, records in enumerate(runs)}
    return reliability(Ratings.of(named, SCALE), {name: sample(records) for name, records in named.items()}, FAST)


def talks(*judges: str, repeats: int = 1, noise: float = 0.0, with_log: bool = True) -> list[EpisodeRecord]:
    """Twelve people with three supporters, each rated by each judge so often, with so much noise."""
    rng = np.random.default_rng(5)
    records = []
    for person in range(12):
        for place, name in enumerate("abc"):
            level = 1.5 + place + rng.normal(0, 0.4)
            given: list[Judgement] = []
            for judge in judges:
                for repeat in range(repeats):
                    drawn = {key: int(np.clip(round(level + rng.normal(0, noise)), 1, 5)) for key in GROUPS}
                    ratings = rated(3, **drawn).ratings  # type: ignore[arg-type]  # dimensions by keyword
                    given.append(Judgement(
                        judge=judge, judge_id=judge, own=judge == judges[0], repeat=repeat, with_log=with_log,
                        rubric=RUBRIC.id, ratings=ratings, scores=RUBRIC.scores(ratings),
                    ))  # fmt: skip
            records.append(episode(name, Outcome.TURN_CAP, *given, profile=f"P{person:02}"))
    return records


def missing(found: Reliability) -> set[str]:
    return {item.what for item in found.missing}


def test_a_plain_run_says_what_it_cannot_tell_and_why() -> None:
    found = of(talks("j", noise=0.5))

    assert {"judge noise", "agreement between judges", "another simulator"} <= missing(found)
    assert all(item.why for item in found.missing)
    assert [item.figure for item in found.halves][:1] == ["overall"]
    assert "profile x supporter" in " ".join(missing(found)), "one talk a pair cannot tell the match from noise"


def test_a_judge_that_repeats_itself_has_no_noise_and_one_that_does_not_has_some() -> None:
    steady, shaky = of(talks("j", repeats=2)), of(talks("j", repeats=2, noise=0.8))

    assert (steady.noise[0].size, steady.noise[0].n, steady.noise[0].repeats) == (0, 36, 2)
    assert shaky.noise[0].size is not None
    assert shaky.noise[0].size > 1
    assert shaky.noise[0].single is not None
    assert shaky.noise[0].single.value is not None
    assert shaky.noise[0].mean is not None
    assert shaky.noise[0].mean.value is not None
    assert 0 < shaky.noise[0].single.value < shaky.noise[0].mean.value < 1
    alphas = [item.alpha for item in steady.agreement if item.alpha is not None]
    assert alphas == pytest.approx([1.0] * len(alphas))
    assert "judge noise" not in missing(steady)


def test_judges_are_compared_on_the_same_terms_with_the_log_and_without() -> None:
    with_log, without = of(talks("j", "k", noise=0.4)), of(talks("j", "k", noise=0.4, with_log=False))

    assert [item.with_log for item in with_log.between] == [True]
    assert "agreement of judges without the log" in missing(with_log)
    assert [item.with_log for item in without.between] == [False]
    (between,) = with_log.between
    assert between.agreement is not None
    assert between.agreement.value is not None
    assert 0.3 < between.agreement.value < 1
    assert between.ranks is not None
    assert between.ranks.value == 1
    kappas = [item.kappa for item in with_log.agreement if item.raters == "judges"]
    assert len(kappas) == 10
    assert None not in kappas


def test_variance_has_a_share_for_the_judge_when_there_are_two_and_shares_add_up() -> None:
    shares = of(talks("j", "k", noise=0.4)).shares["overall"]

    assert {"profile", "supporter", "profile x supporter", "judge", "remainder"} <= {
        item.term for item in shares.shares
    }
    assert sum(item.share for item in shares.shares) == pytest.approx(1)
    largest = max(shares.shares, key=lambda item: item.share)
    assert largest.term == "supporter"


def test_another_simulator_of_the_same_people_shows_order_and_shift() -> None:
    found = of(scored({"a": [1, 2, 1, 2], "b": [3, 3, 2, 3], "c": [4, 4, 3, 4]}),
               scored({"a": [2, 3, 2, 3], "b": [4, 4, 3, 4], "c": [5, 5, 4, 5]}))  # fmt: skip

    first = found.simulators[0]
    assert (first.figure, first.ranks.value, first.shift) == ("overall", 1, 25)
    assert "another simulator" not in missing(found)


def test_ratings_as_another_and_those_that_could_not_be_read_are_no_ratings_here() -> None:
    record = episode(
        "a", Outcome.TURN_CAP, rated(3),
        rated(1, own=False, control="person", other="P9", with_log=False),
        Judgement(judge="j", repeat=1, rubric=RUBRIC.id, unscored="cut off"),
    )  # fmt: skip

    assert of([record]).ratings == 1
