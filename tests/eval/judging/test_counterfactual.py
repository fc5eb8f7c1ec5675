"""The control for personalisation: the arms, who rates in them, and what the rule-based cast shows in them."""

from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import pytest
from helpers.judging import CONFIG, PEOPLE, Command, rows, watched

from emoharbor.eval.api import evaluate_sync, judge_run_sync
from emoharbor.eval.judging.request import Request
from emoharbor.eval.record import EpisodeResult
from emoharbor.eval.run import load_run
from emoharbor.profiles.donors import donor_for
from emoharbor.profiles.loader import bundled
from emoharbor.state.verdict import Control, Judgement

pytestmark = pytest.mark.slow  # whole runs, rated again

BOUND = 0.3
"""Points of the scale within which there is no effect."""
EPISODES = 2 * len(PEOPLE)


def arms(result: EpisodeResult, control: Control) -> tuple[list[Judgement], list[Judgement]]:
    """Return the ratings as oneself and as another that a control compares."""
    replays = control == "replay"
    own = [
        item for item in result.judgements
        if item.counterfactual is None and item.with_log == replays and item.control == ("replay" if replays else None)
    ]  # fmt: skip
    return own, [item for item in result.judgements if item.control == control and item.counterfactual]


def effects(folder: Path, control: Control, supporter: str) -> Iterator[float]:
    """Yield the personal effect of each episode of a supporter."""
    for result in load_run(folder).results():
        own, other = arms(result, control)
        if result.supporter == supporter and own and other:
            mine, theirs = own[0].scores, other[0].scores
            assert mine is not None
            assert theirs is not None
            if mine.gap is not None and theirs.gap is not None:
                yield theirs.gap - mine.gap


def test_person_rates_as_an_unlike_person_in_the_same_situation(
    run: Path, judge: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = watched(run, monkeypatch)
    assert judge("--judge", "helpers.judges:watching", "--counterfactual", "person").code == 0
    people, manifest = bundled(), load_run(run).manifest

    for result in load_run(run).results():
        own, (other,) = arms(result, "person")
        assert [(item.repeat, item.with_log, item.own) for item in own] == [(0, False, False), (1, False, False)]
        assert other.counterfactual == donor_for(people[result.profile], people.values()).id
        assert not other.with_log
    assert {name: donor.id for name, donor in manifest.donors["person"].items()} == {
        name: donor_for(people[name], people.values()).id for name in PEOPLE
    }
    for row in rows(seen):
        person, situation = people[str(row["rated_as"] or row["of"])].person, people[str(row["of"])].situation
        assert (row["name"], row["title"]) == (person.name, situation.title)
        assert not row["worlds"]
        assert not row["inner"]


def test_both_arms_are_asked_with_the_same_seed_and_a_second_time_with_another(
    run: Path, judge: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = watched(run, monkeypatch)
    judge("--judge", "helpers.judges:watching", "--counterfactual", "person", "--limit", "1")
    by = {(row["rated_as"] is None, row["repeat"]): row["seed"] for row in rows(seen)}

    assert by[True, 0] == by[False, 0] != by[True, 1]


def test_profile_lets_two_people_exchange_the_seat(run: Path, judge: Command) -> None:
    ended = judge("--counterfactual", "profile", "--json")
    rated_as = {
        result.profile: {item.counterfactual for item in arms(result, "profile")[1]}
        for result in load_run(run).results()
    }
    paired = {name: next(iter(found)) for name, found in rated_as.items() if found}

    assert ended.code == 0
    assert len(paired) == 2
    assert all(paired[str(other)] == name for name, other in paired.items())
    assert ended.data["left_out"] == [name for name in PEOPLE if name not in paired]
    assert f"without anybody to rate in their stead: {ended.data['left_out'][0]}" in ended.err


def test_replay_gives_the_judge_the_inner_world_of_who_went_through_the_talk(
    run: Path, judge: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = watched(run, monkeypatch)
    judge("--judge", "helpers.judges:watching", "--counterfactual", "replay", "--profiles", "P010")
    opened = load_run(run)

    for result in (item for item in opened.results() if item.profile == "P010"):
        own, (other,) = arms(result, "replay")
        assert [(item.repeat, item.own) for item in own] == [(0, False), (1, False)]
        assert other.with_log
    asked = rows(seen)
    assert len(asked) == 2 * 3
    assert all(row["worlds"] for row in asked)
    turns = len([turn for turn in opened.episode("P010/attuned").turns if turn.inner_world])
    assert {len(row["worlds"]) for row in asked} == {turns}  # type: ignore[arg-type]  # a list of numbers
    oneself = next(row for row in asked if row["rated_as"] is None)
    assert oneself["worlds"] == [
        turn.inner_world.distress for turn in opened.episode("P010/generic").turns if turn.inner_world
    ]
    trace = opened.trace("P010/attuned")
    assert {item.name for item in trace.ratings if item.seat} == {"feel", "think", "speak", "supporter", "judge"}


def test_a_control_is_not_made_twice_and_its_repeats_are_added(run: Path, judge: Command) -> None:
    judge("--counterfactual", "person")
    assert judge("--counterfactual", "person", "--json").data["planned"] == 0
    assert judge("--counterfactual", "person", "--repeats", "2", "--json").data["planned"] == EPISODES
    assert judge("--without-log", "--repeats", "2", "--json").data["planned"] == 0  # the arm as oneself


@pytest.mark.slow
def test_donors_are_kept_when_the_people_of_a_run_grow(here: Path) -> None:
    folder = here / "run"
    evaluate_sync({**CONFIG, "profiles": ["P001", "P010"]}, folder)
    judge_run_sync(folder, Request(control="profile"))
    evaluate_sync({**CONFIG, "profiles": ["P001", "P010", "P013", "P015"]}, folder, resume=True, amend=True)
    judge_run_sync(folder, Request(control="profile"))
    donors = load_run(folder).manifest.donors["profile"]

    assert {name: donor.id for name, donor in donors.items()} == {
        "P001": "P010", "P010": "P001", "P013": "P015", "P015": "P013"
    }  # fmt: skip


def test_a_person_without_an_inner_world_cannot_be_replayed(here: Path) -> None:
    evaluate_sync({**CONFIG, "profiles": ["P001"], "cast": {"user": ["speak"]}}, here / "run")
    with pytest.raises(ValueError, match=r"\[speak\] alone, which has no inner world to be replayed"):
        judge_run_sync(here / "run", Request(control="replay"))
    done = judge_run_sync(here / "run", Request(control="person"))

    assert not done.failures
    for result in done.run.results():
        assert [(item.own, item.with_log) for item in result.primary] == [(True, False), (True, False)]


@pytest.mark.slow
def test_what_is_fitted_to_a_person_shows_and_what_fits_anybody_does_not(here: Path) -> None:
    folder = here / "run"
    evaluate_sync({**CONFIG, "run": {"name": "shows", "seed": 7, "max_turns": 10}, "profiles": "core"}, folder)
    for control in ("person", "profile", "replay"):
        judge_run_sync(folder, Request(control=control))

        assert fmean(effects(folder, control, "attuned")) > 0.15
        assert abs(fmean(effects(folder, control, "generic"))) < BOUND / 2


def test_a_donor_who_is_only_harsher_makes_no_effect(run: Path, judge: Command) -> None:
    assert judge("--judge", "helpers.judges:harsh", "--counterfactual", "person").code == 0
    for supporter in ("attuned", "generic"):
        found = list(effects(run, "person", supporter))
        assert found
        assert abs(fmean(found)) <= BOUND
    for result in load_run(run).results():
        own, (other,) = arms(result, "person")
        assert own[0].scores is not None
        assert other.scores is not None
        assert other.scores.general is not None
        assert own[0].scores.general is not None
        assert other.scores.general < own[0].scores.general
