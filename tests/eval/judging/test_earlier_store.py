"""A run folder of schema version 2 is read as it is, and brought up to date when it is judged."""

import sqlite3
from contextlib import closing
from pathlib import Path

from helpers.judging import Command

from emoharbor.eval.run import load_run
from emoharbor.eval.store.schema import VERSION

_BACK = """
ALTER TABLE episodes DROP COLUMN counted;
ALTER TABLE openings DROP COLUMN counted;
DROP TABLE judgings;
CREATE TABLE old (
  episode INTEGER NOT NULL REFERENCES episodes (id), judge TEXT NOT NULL, repeat INTEGER NOT NULL,
  counterfactual TEXT NOT NULL, own BOOLEAN NOT NULL, body TEXT NOT NULL, saved FLOAT NOT NULL,
  PRIMARY KEY (episode, judge, repeat, counterfactual)
);
INSERT INTO old SELECT episode, judge, repeat, counterfactual, own,
  json_remove(body, '$.judge_id', '$.own', '$.control', '$.with_log', '$.scores.groups'), saved FROM judgements;
DROP TABLE judgements;
ALTER TABLE old RENAME TO judgements;
PRAGMA user_version = 2;
"""
"""Makes of a database what version 2 was."""


def test_a_run_of_version_3_is_read_as_it_is_and_judged(run: Path, judge: Command) -> None:
    before = list(load_run(run).episodes())
    with closing(sqlite3.connect(run / "run.db")) as database:
        database.executescript("PRAGMA user_version = 3;")

    assert list(load_run(run).episodes()) == before
    assert version(run) == 3
    assert judge("--repeats", "2", "--json").data["planned"] == len(before)
    assert version(run) == VERSION


def version(run: Path) -> int:
    with closing(sqlite3.connect(run / "run.db")) as database:
        return int(database.execute("PRAGMA user_version").fetchone()[0])


def test_an_earlier_run_is_read_without_being_changed_and_judged_after_an_upgrade(run: Path, judge: Command) -> None:
    before = [(item.episode, item.turns, item.primary[0].scores) for item in load_run(run).episodes()]
    with closing(sqlite3.connect(run / "run.db")) as database:
        database.executescript(_BACK)
    assert version(run) == 2
    opened = load_run(run)

    for (episode, turns, scores), record in zip(before, opened.episodes(), strict=True):
        (own,) = record.primary
        assert (record.episode, record.turns, own.judge_id) == (episode, turns, "")
        assert own.scores is not None
        assert scores is not None
        assert own.scores.overall == scores.overall
    assert [len(item.primary) for item in opened.results()] == [1] * len(before)
    assert opened.frame("episodes")["cost_usd"].null_count() == len(before)
    assert version(run) == 2

    assert judge("--repeats", "2", "--json").data["planned"] == len(before)
    assert version(run) == VERSION
    assert [len(item.primary) for item in load_run(run).results()] == [2] * len(before)
