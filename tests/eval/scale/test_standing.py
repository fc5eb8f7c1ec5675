"""How far shards are, and how a run ended, as their folders say it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from emoharbor.eval.api import evaluate_sync
from emoharbor.eval.scale.standing import last_standing, standing
from emoharbor.eval.store.folder import DATABASE

CONFIG = {
    "run": {"max_turns": 2},
    "profiles": ["P010", "P035"],
    "supporters": [{"name": "quiet", "use": "offline", "style": "silent"}],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    evaluate_sync(CONFIG, tmp_path / "run")
    return tmp_path / "run"


def change(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / DATABASE)) as connection, connection:
        connection.execute(statement)
    connection.close()


def test_an_attempt_that_was_replaced_counts_by_its_tokens_only(folder: Path) -> None:
    change(
        folder,
        "INSERT INTO episodes (profile, supporter, repeat, attempt, start, turn, outcome, reason, started) "
        "SELECT profile, supporter, repeat, 1, start, turn, outcome, '', started FROM episodes WHERE id = 1",
    )
    change(folder, "UPDATE episodes SET outcome = 'infrastructure', prompt_tokens = 7 WHERE id = 1")

    found = standing([folder], 2, 1.0)

    assert (found.done, found.failures, found.tokens) == (2, {}, 7)


def test_an_episode_that_was_not_judged_is_a_failure_of_a_run_with_a_judge(folder: Path) -> None:
    change(folder, "DELETE FROM judgements WHERE episode = 1")

    assert last_standing(folder, 2, 1.0, judged=True).failures == {"unjudged": 1}
    assert last_standing(folder, 2, 1.0, judged=False).failures == {}
