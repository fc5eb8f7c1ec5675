"""Finding episodes by what was said in them."""

from pathlib import Path

import pytest
from helpers.runs import assembly, play
from helpers.scripted import Script

from emoharbor.eval.run import Run
from emoharbor.eval.store.browse import Browser

QUESTION, GERMAN = "And your Sister?", "Wie geht es der Älteren? 100 % ehrlich"


def found_in(run: Run, words: str) -> dict[str, int]:
    browser = Browser(run.folder)
    keys = {line.number: str(line.key) for line in browser.refresh()}
    return {keys[number]: turn for number, turn in browser.saying(words).items()}


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("sister", QUESTION),
        ("YOUR SISTER", QUESTION),
        ("älteren", GERMAN),
        ("ÄLTEREN", GERMAN),
        ("100 %", GERMAN),
        ("0%", None),  # a sign like any other, and no wildcard
        ("your_sister", None),
    ],
)
async def test_words_are_found_in_any_case_and_as_they_are(tmp_path: Path, words: str, answer: str | None) -> None:
    for said in (QUESTION, GERMAN):
        script = Script(answers=lambda request, said=said: said if request.turn else "Answer")  # type: ignore[misc]  # bound now
        run = await play(assembly(script), tmp_path / said[:3])

        assert found_in(run, words) == ({str(key): 1 for key in run.planned()} if said == answer else {})


async def test_what_the_person_said_is_searched_too(tmp_path: Path) -> None:
    script = Script()
    script.speaks = lambda turn: f"My brother, {turn}"
    run = await play(assembly(script), tmp_path / "run")

    assert found_in(run, "my brother, 1") == {str(key): 1 for key in run.planned()}
