"""What each check calls a fault, in any language, and what it lets pass."""

from typing import Any

import pytest

from emoharbor.eval.audit.episode import audit_episode, is_audited
from emoharbor.eval.audit.limits import AuditLimits
from emoharbor.eval.audit.overlap import chunks_of, shared_run
from emoharbor.eval.audit.phrases import warm_words
from emoharbor.eval.record import EpisodeRecord, TurnRecord
from emoharbor.profiles.bounds import starting_world
from emoharbor.profiles.schema import PartialProfile, Profile
from emoharbor.state.episode import Fault
from emoharbor.state.inner_world import Disclosure, Thought
from emoharbor.state.outcome import Outcome
from emoharbor.state.shift import Shift

THOUGHT = Thought(monologue="They will write me off the moment I name the sum I owe.", intention="elaborate")
HEARD = "What would be the very first thing you would want to look at together?"


def record(profile: PartialProfile, *said: str, heard: tuple[str, ...] = (), **changes: Any) -> EpisodeRecord:
    """An episode in which the person says this and hears that; the thought is the same at every turn."""
    inner = changes.pop("inner", {})
    world = starting_world(profile).model_copy(update={"thought": THOUGHT, **inner})
    replies = [*heard, *[HEARD] * len(said)][: len(said)]
    turns = tuple(
        TurnRecord(user=text, supporter=reply, inner_world=world.model_copy(update={"turn": turn}))
        for turn, (text, reply) in enumerate(zip(said, replies, strict=True))
    )
    given = {"outcome": Outcome.TURN_CAP, "outcome_reason": "", "judgements": (), **changes}
    return EpisodeRecord(
        episode=f"{profile.id}/one/0", profile=profile.id, supporter="one", repeat=0, turns=turns, **given
    )


def found(profile: PartialProfile, *said: str, **changes: Any) -> list[tuple[str, str]]:
    audit = audit_episode(record(profile, *said, **changes), profile)
    return [(finding.kind, finding.rule) for finding in audit.findings]


def shift(field: str, before: Any, proposed: Any, applied: Any = None, turn: int = 1) -> Shift:
    role = "feel" if field in ("trust", "distress") else "think"
    return Shift(
        field=field, before=before, proposed=proposed, applied=proposed if applied is None else applied, role=role,
        turn=turn, cause="words",
    )  # fmt: skip


def test_the_persons_own_lines_are_no_fault(person: Profile) -> None:
    assert person.telling is not None
    assert found(person, person.telling.opening, *person.telling.open) == []


@pytest.mark.parametrize(
    ("kind", "is_called"), [("role_drift", "drift"), ("name_prefix", "leak"), ("repeat", "repeat")]
)
def test_what_was_mended_on_retry_counts_as_proposed(kind: str, is_called: str, person: Profile) -> None:
    fault = Fault(role="speak", turn=1, kind=kind, detail="speaks as an assistant", words="How can I help you?")
    audit = audit_episode(record(person, "I do not know.", faults=(fault,)), person)
    assert [(item.kind, item.turn, item.words) for item in audit.findings] == [(is_called, 1, "How can I help you?")]


def test_a_fault_of_the_supporter_is_not_the_persons(person: Profile) -> None:
    fault = Fault(role="supporter", turn=0, kind="injection")
    assert found(person, "I do not know.", faults=(fault,)) == []


@pytest.mark.parametrize(
    ("reply", "echo"),
    [
        (HEARD, "The very first thing you would want to look at together, what would be that thing"),
        ("我觉得你最近承受了太多压力, 先好好休息一下再慢慢说吧", "你最近承受了太多压力，先好好休息一下再慢慢说"),
    ],
)
def test_the_supporters_wording_is_drift_in_any_language_and_a_quotation_is_not(
    reply: str, echo: str, person: Profile
) -> None:
    assert ("drift", "supporter's wording") in found(person, "it is late.", echo, heard=(reply,))
    assert not [kind for kind, _ in found(person, "it is late.", f"“{echo}”. No.", heard=(reply,)) if kind == "drift"]


def test_who_calls_the_reader_by_the_own_name_is_somebody_else(person: Profile) -> None:
    name = person.person.name.split()[0]
    assert ("drift", "own name") in found(person, f"Oh dear {name}, that is a lot.")
    assert found(person, f"They call me {name}, mostly.") == []


def test_a_thought_that_is_said_is_a_leak_and_the_supporters_words_are_not(person: Profile) -> None:
    said = "Fine. They will write me off the moment I name the sum."
    assert ("leak", "thought") in found(person, "it is late.", said)
    echoed = found(person, "it is late.", said, heard=("They will write me off the moment I name the sum?",))
    assert "leak" not in [kind for kind, _ in echoed]


def test_a_thought_in_an_unspaced_script_leaks_too(person: Profile) -> None:
    thought = THOUGHT.model_copy(update={"monologue": "他们一听到我欠了多少钱就会看不起我的。"})
    kinds = found(person, "很晚了。", "他们一听到我欠了多少钱就会看不起我", inner={"thought": thought})
    assert ("leak", "thought") in kinds


def test_the_profile_read_out_is_a_leak(person: Profile) -> None:
    assert ("leak", "profile") in found(person, "it is late.", person.person.portrait[:200])


def test_a_message_pieced_together_from_earlier_ones_is_a_repeat(person: Profile) -> None:
    first, second = "The boat has been on the slip since March.", "Nobody has asked me about it at all."
    assert ("repeat", "same wording") in found(person, first, second, f"{second} {first}")
    assert found(person, "yes.", "no.", "yes.") == []


def test_a_fact_told_while_held_back_is_over_disclosure_and_a_released_one_is_not(person: Profile) -> None:
    assert person.telling is not None
    told = person.telling.guarded[0]
    slip = Disclosure(fact=told.fact, turn=0, quote=told.says[:40], released=False, claimed=False)
    kinds = found(person, told.says, inner={"disclosed": (slip,)})
    assert ("over_disclosure", "slipped out") in kinds
    assert ("over_disclosure", "own words") in kinds
    assert found(person, told.says, inner={"disclosed": (slip,), "released": (told.fact,)}) == []


def test_where_nobody_thinks_and_no_trust_is_tracked_nothing_is_said_about_disclosure(person: Profile) -> None:
    assert person.telling is not None
    assert found(person, person.telling.guarded[0].says, inner={"thought": None}) == []


def test_what_was_to_be_told_below_its_trust_counts_though_it_was_withheld(person: Profile) -> None:
    facts = tuple(fact.id for fact in person.situation.guarded)
    cut = shift("released", (), facts, ())
    assert ("over_disclosure", "below trust") in found(person, "it is late.", "no.", shifts=(cut,))
    assert found(person, "it is late.", "no.", shifts=(cut,), inner={"trust": 10.0}) == [("over_disclosure", "pace")]


@pytest.mark.parametrize(
    ("one", "kinds"),
    [
        (shift("trust", 2.0, 9.0, 3.5), [("instant_warmth", "trust")]),
        (shift("trust", 2.0, 2.9), []),
        (shift("need", "primary:unmet", "primary:met"), [("instant_warmth", "need")]),
        (shift("need", "primary:touched", "primary:met"), []),
        (shift("need", "primary:unmet", "primary:met", turn=6), []),
        (shift("distress", 9.0, 0.0, 6.5), [("swing", "distress")]),
        (shift("distress", 9.0, 8.0), []),
        (shift("gist", "", "the sum", ""), [("over_disclosure", "gist")]),
    ],
)
def test_moves_are_held_against_the_person_as_proposed(one: Shift, kinds: list[Any], person: Profile) -> None:
    assert found(person, "it is late.", "no.", shifts=(one,)) == kinds


def test_what_somebody_changed_by_hand_is_nobodys_fault(person: Profile) -> None:
    edited = shift("trust", 2.0, 9.0).model_copy(update={"role": "editor"})
    assert found(person, "it is late.", "no.", shifts=(edited,)) == []


def test_who_leaves_content_after_one_reply_warmed_up_too_soon(person: Profile) -> None:
    assert found(person, "it is late.", outcome=Outcome.USER_SATISFIED) == [("instant_warmth", "leaves")]


@pytest.mark.parametrize("thanks", ["Thank you so much, really.", "太感谢你了！", "Genau was ich gebraucht habe"])
def test_effusive_thanks_are_too_soon_while_trust_is_low(thanks: str, person: Profile) -> None:
    kinds = [kind for kind, _ in found(person, "it is late.", thanks)]
    assert "instant_warmth" in kinds
    assert "instant_warmth" not in [kind for kind, _ in found(person, "it is late.", thanks, inner={"trust": 8.0})]
    assert not warm_words("Thank you. That helps.")


def test_another_manner_than_the_voices_is_out_of_style(person: Profile) -> None:
    assert person.telling is not None
    loud = [f"{line.upper()}!!!" for line in person.telling.open]
    rules = {rule for kind, rule in found(person, *loud) if kind == "style"}
    assert {"shouting", "exclamation"} <= rules
    assert ("style", "report") in found(person, "word " * 400)
    assert ("style", "script") in found(person, "Здравствуйте, мне очень плохо", "Не знаю, что делать дальше")


def test_limits_decide_what_is_a_fault(person: Profile) -> None:
    one = record(person, "it is late.", "no.", shifts=(shift("distress", 9.0, 0.0, 6.5),))
    assert audit_episode(one, person, AuditLimits(swing_steps=10)).findings == ()


def test_of_a_person_who_is_hardly_known_only_what_needs_no_profile_is_checked() -> None:
    nobody = PartialProfile(id="nobody")
    assert found(nobody, "it is late.", "it is late, and nobody has answered me at all tonight.") == []
    assert ("style", "report") in found(nobody, "word " * 400)


@pytest.mark.parametrize(
    ("outcome", "audited"),
    [(None, False), (Outcome.INFRASTRUCTURE, False), (Outcome.USER_INVALID, True), (Outcome.SUPPORTER_ERROR, True)],
)
def test_only_what_is_finished_is_audited(outcome: Outcome | None, audited: bool, person: Profile) -> None:
    assert is_audited(record(person, "it is late.", outcome=outcome)) is audited


def test_clamps_are_counted_from_the_moves_that_were_proposed(person: Profile) -> None:
    moves = (shift("distress", 7.0, 9.9, 9.0), shift("trust", 2.0, 2.5), shift("trust", 2.5, 2.0, turn=2))
    audit = audit_episode(record(person, "it is late.", shifts=moves), person)
    assert (audit.moves, audit.clamped) == (3, 1)
    assert audit.trust.risen == 0.5


def test_a_shared_run_is_shown_as_it_was_written() -> None:
    private = "the day that I, of all people, lost the keys"
    text = "Well - The day that I of all people LOST the keys! So."
    assert shared_run(text, [private], tuple, 20) == "The day that I of all people LOST the keys"
    assert shared_run(text, [private], lambda: [private], 20) == ""
    assert chunks_of("abc", 20) == ()
