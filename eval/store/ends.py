"""How each dialogue began and ended in the person's inner world, read without the dialogues: many times as fast."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from sqlalchemy import text

from emoharbor.eval.record import EpisodeKey
from emoharbor.eval.reported import Reported
from emoharbor.eval.store.database import open_to_read
from emoharbor.eval.store.folder import DATABASE

# of several attempts at an episode the newest: SQLite takes bare columns from the row that holds the maximum
_QUERY = text("""
    SELECT profile, supporter, repeat,
      (SELECT json_extract(inner, '$.distress') FROM turns
        WHERE episode = id AND inner IS NOT NULL ORDER BY turn LIMIT 1) AS begun,
      (SELECT json_extract(inner, '$.distress', '$.trust', '$.disclosed', '$.needs') FROM turns
        WHERE episode = id AND inner IS NOT NULL ORDER BY turn DESC LIMIT 1) AS ended
    FROM (SELECT id, profile, supporter, repeat, max(attempt) FROM episodes GROUP BY profile, supporter, repeat)
""")


def read_ends(folder: Path, facts: Mapping[str, int]) -> Iterator[tuple[EpisodeKey, Reported]]:
    """Yield what the inner world says of every episode that has one; a run without `feel` has none.

    Args:
        folder: the run folder.
        facts: number of guarded facts of each person, where known.

    Raises:
        RunFolderError: when there is no database, or it is of another version of this program.
    """
    engine = open_to_read(folder / DATABASE)
    try:
        with engine.begin() as connection:
            rows = connection.execute(_QUERY).all()
    finally:
        engine.dispose()
    for profile, supporter, repeat, begun, ended in rows:
        if begun is not None and ended is not None:
            key = EpisodeKey(profile=profile, supporter=supporter, repeat=repeat)
            yield key, _reported(float(begun), ended, facts.get(profile))


def _reported(begun: float, ended: str, facts: int | None) -> Reported:
    distress, trust, disclosed, needs = json.loads(ended)
    told = len({item["fact"] for item in disclosed or ()})
    met = sum(item["status"] == "met" for item in needs or ())
    return Reported(
        distress_change=distress - begun,
        trust_end=float(trust),
        facts=told / facts if facts else None,
        needs=met / len(needs) if needs else None,
    )
