"""Drawing a pack and writing its forms: blind, even, and the same for the same seed."""

import csv
import io
import re
from collections import Counter
from pathlib import Path

import pytest

from emoharbor.eval.rating.export import write_forms
from emoharbor.eval.rating.form import form, shown
from emoharbor.eval.rating.pack import Pack, make_pack, packs_of
from emoharbor.eval.rating.table import blank_table
from emoharbor.eval.record import EpisodeRecord, EpisodeResult, TurnRecord
from emoharbor.eval.run import Run
from emoharbor.nodes.rubric import load_rubric
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.errors import ConfigError
from emoharbor.state.outcome import Outcome

SUPPORTERS = ("gpt-4o", "zephyr-7b", "our-own-bot")
HOSTILE = "</p><script>document.title='owned'</script><img src=x onerror=alert(1)>{{ 7*7 }}"


def results(outcome: Outcome = Outcome.TURN_CAP) -> list[EpisodeResult]:
    return [
        EpisodeResult(profile=f"P{person:03}", supporter=name, repeat=0, outcome=outcome, judgements=())
        for person in range(10)
        for name in SUPPORTERS
    ]


def pack(n: int = 9, raters: int = 2, seed: int = 7) -> Pack:
    return make_pack("run", results(), load_rubric(), n=n, raters=raters, seed=seed)


def test_the_draw_is_even_over_supporters_and_repeats_with_its_seed() -> None:
    assert Counter(episode.split("/")[1] for episode in pack().items.values()) == dict.fromkeys(SUPPORTERS, 3)
    assert pack() == pack()
    assert pack().items != pack(seed=8).items


def test_every_rater_has_the_same_dialogues_in_an_order_of_their_own() -> None:
    orders = pack().orders

    assert set(orders) == {"R1", "R2"}
    assert sorted(orders["R1"]) == sorted(orders["R2"]) == sorted(pack().items)
    assert orders["R1"] != orders["R2"]


def test_only_completed_episodes_are_rated() -> None:
    with pytest.raises(ConfigError, match="nothing to rate"):
        make_pack("run", results(Outcome.SUPPORTER_ERROR), load_rubric(), n=3, raters=1, seed=0)


def record(text: str = "I see.") -> EpisodeRecord:
    return EpisodeRecord(
        episode="P001/gpt-4o/0", profile="P001", supporter="gpt-4o", repeat=0, outcome=Outcome.TURN_CAP,
        outcome_reason="", turns=(TurnRecord(user="Hello.", supporter=text, inner_world=None),), judgements=(),
    )  # fmt: skip


def html(text: str = "I see.", note: str = "") -> str:
    made = pack(n=2, raters=1)
    person = PartialProfile(id="P001", note=note)
    return form(made, "R1", {item: shown(item, record(text), person) for item in made.items})


def test_a_form_names_no_supporter_and_no_episode() -> None:
    made = pack(n=2, raters=1)

    assert not any(name in html() for name in SUPPORTERS)
    assert not any(name in blank_table(made, "R1") for name in SUPPORTERS)
    assert not any(episode.split("/")[0] in html() for episode in made.items.values())


def test_text_of_a_dialogue_or_profile_stays_text() -> None:
    page = html(HOSTILE, note=HOSTILE)

    assert page.count("<script>") == 1
    assert "<img" not in page
    assert "&lt;script&gt;" in page
    assert "{{ 7*7 }}" in page


def test_a_form_asks_nothing_of_any_network() -> None:
    addresses = re.findall(r"(?:src|href|action)\s*=\s*\"([^\"]+)\"", html())

    assert set(addresses) == {"data:,", "#dialogues"}
    assert "://" not in html()
    assert "url(" not in html()
    assert "localStorage" not in html()
    assert "default-src 'none'" in html()
    assert "unsafe" not in html()


def test_the_table_has_a_line_for_each_question_with_the_score_left_open() -> None:
    made = pack(n=2, raters=1)
    rows = list(csv.DictReader(io.StringIO(blank_table(made, "R1"))))

    assert len(rows) == 2 * 10
    assert {row["score"] for row in rows} == {""}
    assert [row["item"] for row in rows[::10]] == list(made.orders["R1"])


def test_forms_go_outside_the_run_and_the_key_stays_inside(rated_run: Run, tmp_path: Path) -> None:
    made = write_forms(rated_run, tmp_path / "forms", n=3, seed=1)

    assert {path.suffix for path in (tmp_path / "forms").iterdir()} == {".html", ".csv"}
    assert made.key.is_relative_to(rated_run.folder)
    assert packs_of(rated_run.folder)[made.pack.id].items == made.pack.items
    with pytest.raises(ConfigError, match="--replace"):
        write_forms(rated_run, tmp_path / "forms", n=3, seed=1)
