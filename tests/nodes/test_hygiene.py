"""A message that cannot be the person's is found, in any language; what a person might write is let through."""

import gzip
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from emoharbor.nodes.circle import in_a_circle
from emoharbor.nodes.drift import drift_in
from emoharbor.nodes.hygiene import check_message
from emoharbor.profiles.loader import load_people
from emoharbor.profiles.schema import PartialProfile, Profile

SAGE = Path(__file__).parents[3] / "shared" / "data" / "sage"
_ADVICE = "Perhaps you could write it all down once."
NOBODY = PartialProfile(id="P001")
needs_sage = pytest.mark.skipif(not SAGE.is_dir(), reason="the SAGE data are not beside the checkout")


def talk(*texts: str) -> list[AnyMessage]:
    """Return a dialogue: the person first, then by turns."""
    return [HumanMessage(text) if index % 2 == 0 else AIMessage(text) for index, text in enumerate(texts)]


def kind_of(message: str, messages: list[AnyMessage] | None = None, profile: PartialProfile = NOBODY) -> str | None:
    found = check_message(message, messages or [], profile)
    return found[0] if found else None


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Hello! How can I help you today?", "role_drift"),
        ("How may I assist you?", "role_drift"),
        ("I\u2019m here to listen. Take all the time you need.", "role_drift"),
        ("As an AI, I don't have feelings of my own.", "role_drift"),
        ("It sounds like you're feeling overwhelmed by all this.", "role_drift"),
        ("Thank you for sharing that with me.", "role_drift"),
        ("That sounds really hard. Have you considered writing it down?", "role_drift"),
        ("您好！有什么可以帮您的吗？", "role_drift"),
        ("我理解你的感受，你并不孤单。", "role_drift"),
        ("听起来你最近很累。你可以尝试早点休息。", "role_drift"),
        ("Hallo! Wie kann ich dir helfen?", "role_drift"),
        ("¡Hola! ¿En qué puedo ayudarte hoy?", "role_drift"),
        ("Bonjour, comment puis-je vous aider ?", "role_drift"),
        ("Olá! Como posso ajudar?", "role_drift"),
        ("Здравствуйте! Чем могу помочь?", "role_drift"),
        ("こんにちは。何かお手伝いできることはありますか？", "role_drift"),
        ("안녕하세요, 무엇을 도와드릴까요?", "role_drift"),
        ("كيف يمكنني مساعدتك؟", "role_drift"),
        ("(thinking: I will not tell them about my sister) I'm fine.", "leak"),
        ("(Thinking I should not say it.) I'm fine.", "leak"),
        ("*inner thought* I'm fine.", "leak"),
        ("[Internal monologue: he is not listening] Sure.", "leak"),
        ("I'm fine. (inner monologue: I am not.)", "leak"),
        ("Thought: keep it short.\nI'm fine.", "leak"),
        ("**Thinking:** keep it short.\nI'm fine.", "leak"),
        ("<think>short</think> I'm fine.", "leak"),
        ("short</think>I'm fine.", "leak"),
        ("◁think▷short◁/think▷ fine", "leak"),
        ("<|im_start|>user\nI'm fine.", "leak"),
        ('{"message": "I\'m fine."}', "leak"),
        ("```json\n{}\n```", "leak"),
        ('"manner": "short", I\'m fine', "leak"),
        ("wants_to_continue: true\nI'm fine.", "leak"),
        ("felt_understood = -2", "leak"),
        ("Goal: push back\nTone: dry\nWhatever you say.", "leak"),
        ("Hi, I'm [your name] and I can't sleep.", "leak"),
        ("（心理活动：他根本没懂）没事。", "leak"),
        ("内心独白：他没懂。\n没事。", "leak"),
        ("回复态度：负面\n最终回复：没事。", "leak"),
        ("(Gedanke: bloß nichts sagen) Alles gut.", "leak"),
        ("（心の声：言えない）大丈夫です。", "leak"),
        ("User: I can't sleep.", "name_prefix"),
        ("I can't sleep.\nSupporter: Since when?\nUser: Since May.", "name_prefix"),
        ("**Assistant:** Since when?", "name_prefix"),
        ("用户：我睡不着。", "name_prefix"),
        ("Benutzerin: Ich kann nicht schlafen.", "name_prefix"),
        ("ユーザー：眠れません。", "name_prefix"),
        ("", "empty"),
        (" \n\u200b ", "empty"),
    ],
)
def test_what_cannot_be_the_persons_is_found(message: str, kind: str) -> None:
    assert kind_of(message) == kind


@pytest.mark.parametrize(
    "message",
    [
        "you said you're here to help. then help",
        'They wrote "how can I help you today" and that was all.',
        "How can I help him if he won't even look at me?",
        "I hear you. But it doesn't change anything.",
        "It sounds like you're reading from a card.",
        "that must be nice, having a plan",
        "(sorry, I'm typing this on the bus) so yesterday she rang",
        "I keep thinking: what if he's right?",
        "Plan: sleep. That's the plan.",
        "Me: fine. Him: furious. Every single evening.",
        "My sister: not a word. My mother: the same.",
        "It was 7:30 and the user manual was still in the box.",
        "see https://example.org/a_b:c",
        "I gave it {all} I had :)",
        "*sigh* okay",
        "The system is the problem: nobody answers the phone.",
        "我一直在想：他是不是对的？",
        "你有没有想过，这不是我的错？",
        "心想算了吧，反正说了也没用。",
        "Ich denke: vielleicht hat er recht.",
        "Bye for now.",
    ],
)
def test_what_a_person_might_write_is_let_through(message: str) -> None:
    assert kind_of(message) is None


def test_the_persons_own_name_before_a_colon_is_found(person: Profile) -> None:
    first = person.person.name.split()[0]
    assert kind_of(f"{first}: i can't sleep", profile=person) == "name_prefix"
    assert kind_of(f"{person.person.name}： i can't sleep", profile=person) == "name_prefix"
    assert kind_of(f"{first} is what they call me: short and easy", profile=person) is None


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("I don't know what to do.", "repeat"),
        ("i DON'T know what to do", "repeat"),
        ("Yes.", None),
        ("No.", "repeat"),
        (_ADVICE, "role_drift"),
        ("I still don't know what to do.", None),
    ],
)
def test_repeats(message: str, kind: str | None) -> None:
    messages = talk("I don't know what to do.", "Since when?", "Yes.", _ADVICE, "No.", "Oh?")
    assert kind_of(message, messages) == kind


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("I am off to bed now.", "Bye!", "Bye!", "Take care!", "See you!"), True),
        (("It went badly.", "Sleep well.", "晚安！", "晚安，保重。", "拜拜！"), True),
        (("Hyvää yötä sitten.", "Hyvää yötä!", "Hyvää yötä sitten."), True),
        (("Mm.", "Mm.", "Mm.", "Mm.", "Mm."), True),
        (("It went badly.", "Goodbye!", "He said goodbye and left.", "Bye!", "Why bye? I just came."), False),
        (("I slept badly.", "Since when?", "Since May, about.", "And before that?", "Before that, fine."), False),
        (("I slept badly.", "Mm.", "I slept badly."), False),
        (("Hello.",), False),
    ],
)
def test_circles(texts: tuple[str, ...], expected: bool) -> None:
    *before, last = texts
    assert in_a_circle(last, talk(*before)) is expected


def lines_of(person: Profile) -> Iterator[str]:
    voice = person.person.voice
    yield from (*voice.touched, *voice.missed, *voice.asking, *voice.closing)
    if person.telling:
        yield from (person.telling.opening, *person.telling.open, *(item.says for item in person.telling.guarded))


def test_no_line_of_a_bundled_person_is_a_false_alarm() -> None:
    people = load_people("all").values()
    lines = [(person, line) for person in people for line in lines_of(person)]
    assert len(lines) > 12 * 20
    assert [(person.id, line) for person, line in lines if check_message(line, [], person)] == []


_LABEL = re.compile(r"(?:Thinking|Origin|Response|Change)\s*[:：\"]|最终回复|初始回复")
"""The working labels that SAGE's simulator let slip, as its README counts them."""


def published(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield from json.loads(line)["history"]


@needs_sage
def test_every_published_leak_is_found_and_no_other_turn_of_those_dialogues() -> None:
    turns = [item["content"] for item in published(SAGE / "leaked_label_samples.jsonl.gz") if item["role"] == "user"]
    leaked = [text for text in turns if _LABEL.search(text)]
    assert len(leaked) == 15
    assert [kind_of(text) for text in leaked] == ["leak"] * 15
    assert [text for text in turns if text not in leaked and kind_of(text)] == []


@needs_sage
def test_false_alarms_on_published_turns_of_simulated_people_are_under_one_in_a_hundred() -> None:
    picked = random.Random(4)  # noqa: S311 - a sample
    turns = [
        item["content"]
        for path in sorted((SAGE / "transcripts").glob("*.gz"))[::3]
        for item in published(path)
        if item["role"] == "user" and picked.random() < 0.25 and item["content"].strip()
    ]
    assert len(turns) > 1000
    alarms = [text for text in turns if kind_of(text) and not _LABEL.search(text)]
    assert len(alarms) < len(turns) / 100


@needs_sage
def test_a_third_of_published_supporters_turns_would_each_be_taken_for_drift() -> None:
    picked = random.Random(4)  # noqa: S311 - a sample
    theirs = [
        item["content"]
        for path in sorted((SAGE / "transcripts").glob("*.gz"))[::3]
        for item in published(path)
        if item["role"] == "assistant" and picked.random() < 0.05
    ]
    found = sum(drift_in(text) is not None for text in theirs)
    assert len(theirs) > 200
    assert found / len(theirs) > 1 / 3
