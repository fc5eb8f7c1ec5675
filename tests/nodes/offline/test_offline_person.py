"""How the offline person takes single replies: tables of replies against profiles."""

import asyncio
from random import Random

import pytest
from langchain_core.messages import AnyMessage

from emoharbor.nodes.contract import Runtime
from emoharbor.nodes.offline.feel import appraise, offline_feel
from emoharbor.nodes.offline.impact import impact
from emoharbor.nodes.offline.reading import readings
from emoharbor.nodes.offline.think import decide
from emoharbor.nodes.offline.ways import ways_of
from emoharbor.profiles.bounds import starting_world
from emoharbor.profiles.schema import PartialProfile, Profile
from emoharbor.state.dialogue import supporter_message, user_message
from emoharbor.state.episode import Channels
from emoharbor.state.inner_world import InnerWorld

FORMULA = "I'm so sorry to hear that. Your feelings are valid, and I'm here for you."
TIPS = "Try to sleep more. Make sure you drink water. Have you tried a journal?"
PERSONAL = "You get off the bus two stops early. That is work, even if nobody counts it; your sadness makes sense."


def dialogue(*turns: tuple[str, str]) -> list[AnyMessage]:
    found: list[AnyMessage] = []
    for turn, (said, answered) in enumerate(turns):
        found += [user_message(turn, said), supporter_message(turn, answered)]
    return found


def after(profile: PartialProfile, messages: list[AnyMessage], world: InnerWorld | None = None) -> Channels:
    return {
        "profile_id": profile.id,
        "messages": messages,
        "inner": world or starting_world(profile),
        "turn": len(messages) // 2,
        "worlds": (),
    }


def dice() -> Random:
    return Random(0)  # noqa: S311 - the wording of a monologue


def told_bus(answer: str) -> list[AnyMessage]:
    return dialogue(("i get off the bus two stops early and walk", answer))


def total(profile: PartialProfile, *answers: str) -> float:
    messages = dialogue(
        *((f"i get off the bus two stops early, day {turn}", text) for turn, text in enumerate(answers))
    )
    return impact(readings(messages), ways_of(profile), ["sadness"]).total


def test_own_circumstances_with_the_wanted_support_beat_warmth_and_warmth_beats_tips(
    people: dict[str, Profile],
) -> None:
    seen = people["P040"]
    assert total(seen, PERSONAL) > total(seen, FORMULA) > total(seen, TIPS)


def test_formulas_please_first_and_wear_off(people: dict[str, Profile]) -> None:
    again = ("", "Really.", "Yes.", "Still.", "Always.", "Again.", "Too.")
    values = [total(people["P042"], *[f"{FORMULA} {word}" for word in again[:count]]) for count in range(1, 8)]
    assert values[0] > 0
    assert values == sorted(values, reverse=True)
    assert values[-1] < 0


def test_formulas_wear_off_at_once_where_they_backfire(people: dict[str, Profile]) -> None:
    assert total(people["P047"], FORMULA) < total(people["P028"], FORMULA)
    assert total(people["P047"], FORMULA) < 0


@pytest.mark.parametrize(("person", "good"), [("P040", False), ("P042", False), ("P035", True), ("P028", True)])
def test_tips_cost_those_who_want_to_be_heard_and_not_those_who_want_a_way_forward(
    people: dict[str, Profile], person: str, good: bool
) -> None:
    assert (total(people[person], TIPS) > -0.1) is good


def test_silence_weighs_more_each_time(people: dict[str, Profile]) -> None:
    values = [total(people["P010"], *["Mm."] * count) for count in range(1, 5)]
    assert values == sorted(values, reverse=True)
    assert values[0] < 0


def test_feel_quotes_words_of_the_reply(people: dict[str, Profile]) -> None:
    update = appraise(after(people["P040"], told_bus(PERSONAL)), people["P040"])
    assert update.appraisal is not None
    assert update.appraisal.quote in PERSONAL
    assert update.appraisal.conduciveness > 0
    assert update.trust is not None
    assert update.trust > starting_world(people["P040"]).trust


def test_feel_appraises_the_situation_before_the_first_reply(people: dict[str, Profile]) -> None:
    update = appraise(after(people["P040"], []), people["P040"])
    assert update.appraisal is not None
    assert update.appraisal.quote == ""
    assert update.cause
    assert update.cause in people["P040"].situation.now.replace("\n", " ")


def test_the_wobble_of_a_seed_is_larger_for_the_volatile(people: dict[str, Profile]) -> None:
    def spread(name: str) -> float:
        state = after(people[name], told_bus(FORMULA))
        runs = [asyncio.run(offline_feel()(state, Runtime(people[name], seed, 15))).distress or 0 for seed in range(20)]
        return max(runs) - min(runs)

    assert spread("P058") > spread("P010")


def test_think_lets_go_of_the_easiest_fact_once_trust_is_there(people: dict[str, Profile]) -> None:
    profile = people["P040"]
    for trust, released in ((3.9, ()), (4.0, ("recordings",)), (9.0, ("recordings",))):
        world = starting_world(profile).model_copy(update={"trust": trust})
        update = decide(after(profile, told_bus(PERSONAL), world), profile, 15, dice())
        assert update.thought.release == released


def test_think_tells_nothing_right_after_a_miss(people: dict[str, Profile]) -> None:
    profile = people["P040"]
    world = starting_world(profile).model_copy(update={"trust": 9.0})
    assert decide(after(profile, told_bus(TIPS), world), profile, 15, dice()).thought.release == ()


def test_think_gives_up_when_trust_was_too_low_for_too_long(people: dict[str, Profile]) -> None:
    profile = people["P040"]
    low = starting_world(profile).model_copy(update={"trust": 0.5})
    state = after(profile, dialogue(*[("hm", "Mm.")] * 6), low)
    assert decide(state, profile, 15, dice()).thought.wants_to_continue
    state["worlds"] = tuple(low.model_copy(update={"turn": turn}) for turn in range(6))
    thought = decide(state, profile, 15, dice()).thought
    assert not thought.wants_to_continue
    assert not thought.got_what_i_came_for
    assert thought.intention == "leave"


def test_nobody_leaves_at_the_turn_cap(people: dict[str, Profile]) -> None:
    profile = people["P040"]
    low = starting_world(profile).model_copy(update={"trust": 0.5})
    state = after(profile, dialogue(*[("hm", "Mm.")] * 6), low)
    state["worlds"] = tuple(low.model_copy(update={"turn": turn}) for turn in range(6))
    assert decide(state, profile, 6, dice()).thought.wants_to_continue


def test_asking_once_about_a_passing_hopelessness_is_taken_well(people: dict[str, Profile]) -> None:
    said = "some nights i think it'd be easier if morning didn't come"
    asked = "I'm glad you told me. Is there any thought of acting on it? There is a free crisis line where you live."
    taken = impact(readings(dialogue((said, asked))), ways_of(people["P040"]), ["sadness"])
    assert taken.total > 0.3
