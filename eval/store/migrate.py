"""Databases of earlier versions: brought up to date when they are written, seen as if they were when they are read."""

from collections.abc import Iterator
from typing import Any

from emoharbor.eval.store.schema import judgements, judgings, metadata

OLDEST = 2
"""The oldest version that can be read. Its tables are other ones; version 3 has traces of an older form only."""
_OLD = "judgements_before"
_JUDGEMENTS = (
    "episode, '' AS judge_id, repeat, '' AS control, counterfactual, 1 AS with_log, judge, own, body, saved, "
    "NULL AS trace"
)


def upgrade(connection: Any, found: int) -> None:
    """Bring the tables of an earlier version up to date, within the transaction of a SQLAlchemy connection."""
    if found > OLDEST:
        return
    for table in ("episodes", "openings"):
        connection.exec_driver_sql(f"ALTER TABLE {table} ADD COLUMN counted BOOLEAN NOT NULL DEFAULT 1")
    connection.exec_driver_sql(f"ALTER TABLE judgements RENAME TO {_OLD}")
    metadata.create_all(connection, tables=[judgements, judgings])
    names = ", ".join(column.name for column in judgements.columns)
    connection.exec_driver_sql(f"INSERT INTO judgements ({names}) SELECT {_JUDGEMENTS} FROM {_OLD}")  # noqa: S608 - our own names
    connection.exec_driver_sql(f"DROP TABLE {_OLD}")


def views(found: int) -> Iterator[str]:
    """Yield the statements that let a read-only connection see an earlier version as the newest.

    Temporary views hide the tables of the same names; the file stays as it is.
    """
    if found > OLDEST:
        return
    for table in ("episodes", "openings"):
        yield f"CREATE TEMP VIEW {table} AS SELECT *, 1 AS counted FROM main.{table}"  # noqa: S608 - our own names
    yield f"CREATE TEMP VIEW judgements AS SELECT {_JUDGEMENTS} FROM main.judgements"  # noqa: S608 - our own names
    empty = ", ".join(f"NULL AS {column.name}" for column in judgings.columns)
    yield f"CREATE TEMP VIEW judgings AS SELECT {empty} WHERE 0"
