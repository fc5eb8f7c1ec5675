"""All people with the four rule-based supporters: who is rated how, and what the first message gives away."""

import math
from collections.abc import Mapping
from statistics import fmean, variance

import pytest

from emoharbor.eval.api import evaluate_sync
from emoharbor.eval.config import make_config
from emoharbor.eval.record import EpisodeRecord
from emoharbor.profiles.loader import bundled
from emoharbor.profiles.similarity import shingles
from emoharbor.state.text import contains

pytestmark = pytest.mark.slow

PEOPLE = bundled()
SUPPORTERS = ("attuned", "generic", "advice", "silent")
EXCEPTIONS = 0.05
"""Share of people for whom attuned need not be first and silent not last."""
Z = 1.96


@pytest.fixture(scope="module")
def episodes(tmp_path_factory: pytest.TempPathFactory) -> list[EpisodeRecord]:
    """One episode of everybody with each supporter: about 0.15 s of processor time an episode."""
    config = make_config(
        {
            "run": {"name": "people", "seed": 7},
            "profiles": ["all"],
            "supporters": [{"name": style, "use": "offline", "style": style} for style in SUPPORTERS],
        }
    )
    return list(evaluate_sync(config, tmp_path_factory.mktemp("runs") / "people").episodes())


@pytest.fixture(scope="module")
def scores(episodes: list[EpisodeRecord]) -> Mapping[str, Mapping[str, float]]:
    """Overall scores by person and supporter."""
    found: dict[str, dict[str, float]] = {name: {} for name in PEOPLE}
    for episode in episodes:
        rated = episode.judgements[0].scores if episode.judgements else None
        assert rated is not None, f"{episode.profile} with {episode.supporter}: {episode.outcome}"
        assert rated.overall is not None
        found[episode.profile][episode.supporter] = rated.overall
    return found


def test_attuned_comes_first_and_silent_last_for_nearly_everybody(scores: Mapping[str, Mapping[str, float]]) -> None:
    others = [
        name
        for name, found in scores.items()
        if max(found, key=found.__getitem__) != "attuned" or min(found, key=found.__getitem__) != "silent"
    ]

    assert len(others) <= EXCEPTIONS * len(PEOPLE), others


def test_what_generic_comfort_is_worth_beside_advice_depends_on_the_need(
    scores: Mapping[str, Mapping[str, float]],
) -> None:
    """The interaction: the difference between the two kinds of need, with a 95 % interval (Welch)."""
    comfort: list[float] = []
    way_forward: list[float] = []
    for name, found in scores.items():
        wants_facts = PEOPLE[name].person.needs.primary in ("informational", "tangible")
        (way_forward if wants_facts else comfort).append(found["generic"] - found["advice"])

    interaction = fmean(comfort) - fmean(way_forward)
    error = math.sqrt(variance(comfort) / len(comfort) + variance(way_forward) / len(way_forward))

    assert interaction - Z * error > 0


def test_generic_comfort_and_advice_cross_over_on_need_fit(episodes: list[EpisodeRecord]) -> None:
    """Comfort fits those who want comfort or esteem better than advice does; for a way forward it is the reverse."""
    fits: dict[tuple[bool, str], list[int]] = {}
    for episode in episodes:
        wants_facts = PEOPLE[episode.profile].person.needs.primary in ("informational", "tangible")
        rated = {rating.dimension: rating.score for rating in episode.judgements[0].ratings}
        if (score := rated["need_fit"]) is not None:
            fits.setdefault((wants_facts, episode.supporter), []).append(score)

    assert fmean(fits[False, "generic"]) > fmean(fits[False, "advice"])
    assert fmean(fits[True, "advice"]) > fmean(fits[True, "generic"])


def test_nobody_can_read_a_guarded_fact_in_the_first_message(episodes: list[EpisodeRecord]) -> None:
    opened = set()
    for episode in episodes:
        profile, first = PEOPLE[episode.profile], episode.turns[0].user or ""
        assert first
        assert profile.telling is not None
        opened.add(profile.id)
        told = {item.fact: item.says for item in profile.telling.guarded}
        for fact in profile.situation.guarded:
            assert not any(contains(first, tell) for tell in fact.tells), (profile.id, fact.id)
            assert not shingles(first, 5) & (shingles(fact.fact, 5) | shingles(told[fact.id], 5)), (profile.id, fact.id)
    assert opened == PEOPLE.keys()
