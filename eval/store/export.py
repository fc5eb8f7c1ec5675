"""Writing a run out: JSON lines, CSV, Parquet. `canonical` leaves out what differs from run to run: times and tokens.

| table | one row | columns |
|---|---|---|
| episodes | an episode | `profile supporter repeat outcome reason turns`; of the run's own ratings, their mean over repeats, `judge overall general tailored gap unscored`; simulator-reported `distress_start distress_end distress_lowest trust_end facts_told needs_met`; not canonical `attempt started finished prompt_tokens completion_tokens cached_tokens cost_usd` |
| turns | a turn | `profile supporter repeat turn user reply`; simulator-reported, at its end `distress trust felt_understood readiness emotions intention monologue facts_told` |
| ratings | one dimension of one rating | `profile supporter repeat judge judge_id own judge_repeat control counterfactual with_log rubric dimension group score reason evidence_ok certainty unscored` |

`emotions` is written `label:intensity`, joined by ` | `. `distress_start` is after the opening's feel. `facts_told` counts
guarded facts told so far, `needs_met` the needs met at the end. A rating that could not be read is one row without a
dimension. Missing is null, never 0; `cost_usd` is null when the price of a model is not known, and leaves the opening out.
"""  # noqa: E501 - a table cannot be broken

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

import polars as pl

from emoharbor.eval.record import EpisodeRecord
from emoharbor.eval.store.reader import Times
from emoharbor.state.errors import RunFolderError
from emoharbor.state.inner_world import InnerWorld
from emoharbor.state.verdict import Judgement

Pair = tuple[EpisodeRecord, Times]
TableName = Literal["episodes", "turns", "ratings"]
Format = Literal["jsonl", "csv", "parquet"]
TABLES: tuple[TableName, ...] = ("episodes", "turns", "ratings")

_KEY: dict[str, Any] = {"profile": pl.String, "supporter": pl.String, "repeat": pl.Int64}
_TIMES: dict[str, Any] = {
    "attempt": pl.Int64, "started": pl.Float64, "finished": pl.Float64, "prompt_tokens": pl.Int64,
    "completion_tokens": pl.Int64, "cached_tokens": pl.Int64, "cost_usd": pl.Float64,
}  # fmt: skip
_COLUMNS: Mapping[TableName, dict[str, Any]] = {
    "episodes": {
        **_KEY, "outcome": pl.String, "reason": pl.String, "turns": pl.Int64, "judge": pl.String,
        "overall": pl.Float64, "general": pl.Float64, "tailored": pl.Float64, "gap": pl.Float64,
        "unscored": pl.String, "distress_start": pl.Float64, "distress_end": pl.Float64,
        "distress_lowest": pl.Float64, "trust_end": pl.Float64, "facts_told": pl.Int64, "needs_met": pl.Int64, **_TIMES,
    },
    "turns": {
        **_KEY, "turn": pl.Int64, "user": pl.String, "reply": pl.String, "distress": pl.Float64, "trust": pl.Float64,
        "felt_understood": pl.Int64, "readiness": pl.Float64, "emotions": pl.String, "intention": pl.String,
        "monologue": pl.String, "facts_told": pl.Int64,
    },
    "ratings": {
        **_KEY, "judge": pl.String, "judge_id": pl.String, "own": pl.Boolean, "judge_repeat": pl.Int64,
        "control": pl.String, "counterfactual": pl.String, "with_log": pl.Boolean, "rubric": pl.String,
        "dimension": pl.String, "group": pl.String, "score": pl.Int64, "reason": pl.String,
        "evidence_ok": pl.Boolean, "certainty": pl.Int64, "unscored": pl.String,
    },
}  # fmt: skip


def jsonl(pairs: Iterable[Pair], *, canonical: bool = False) -> Iterator[str]:
    """Yield one line an episode: the record with sorted keys, and unless canonical its times beside it."""
    for record, times in pairs:
        data = record.model_dump(mode="json")
        if not canonical:
            data |= asdict(times)
        yield json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def frame(table: TableName, pairs: Iterable[Pair], *, canonical: bool = False) -> pl.DataFrame:
    """Return one of the tables described above."""
    rows = [row for pair in pairs for row in _ROWS[table](*pair)]
    found = pl.DataFrame(rows, schema=_COLUMNS[table], orient="row")
    return found.drop(list(_TIMES)) if canonical and table == "episodes" else found


def export(pairs: Callable[[], Iterable[Pair]], to: Path, kind: Format, *, canonical: bool = False) -> list[Path]:
    """Write a run out and return the files.

    Args:
        pairs: gives the episodes; asked once for each table.
        to: the file for `jsonl`; the folder for the three tables of `csv` and `parquet`.
        kind: the form.
        canonical: leave out times and tokens.

    Raises:
        RunFolderError: when a file cannot be written.
    """
    try:
        if kind == "jsonl":
            to.parent.mkdir(parents=True, exist_ok=True)
            with _whole(to) as part, part.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(f"{line}\n" for line in jsonl(pairs(), canonical=canonical))
            return [to]
        to.mkdir(parents=True, exist_ok=True)
        return [_write(frame(table, pairs(), canonical=canonical), to / f"{table}.{kind}", kind) for table in TABLES]
    except OSError as error:
        raise RunFolderError(f"{to}: cannot be written: {error.strerror or error}") from None


def _write(table: pl.DataFrame, path: Path, kind: Format) -> Path:
    with _whole(path) as part:
        try:
            if kind == "csv":
                table.write_csv(part)
            else:
                table.write_parquet(part)
        except pl.exceptions.ComputeError as error:  # what polars calls a full disk
            raise OSError(" ".join(str(error).split())) from None
    return path


@contextmanager
def _whole(path: Path) -> Iterator[Path]:
    """Give a neighbour to be written, which takes the file's place at the end: what stood there stays until then."""
    if path.exists() and not path.is_file():
        yield path  # a pipe or a terminal
        return
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield part
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _key(record: EpisodeRecord) -> dict[str, Any]:
    return {"profile": record.profile, "supporter": record.supporter, "repeat": record.repeat}


def _episode_rows(record: EpisodeRecord, times: Times) -> Iterator[dict[str, Any]]:
    own = record.primary
    worlds = [turn.inner_world for turn in record.turns if turn.inner_world is not None]
    yield {
        **_key(record),
        "outcome": record.outcome.value if record.outcome else None,
        "reason": record.outcome_reason or None,
        "turns": sum(turn.supporter is not None for turn in record.turns),
        "judge": own[0].judge if own else None,
        "overall": _mean(own, "overall"),
        "general": _mean(own, "general"),
        "tailored": _mean(own, "tailored"),
        "gap": _mean(own, "gap"),
        "unscored": next((item.unscored for item in own if item.unscored), None),
        "distress_start": worlds[0].distress if worlds else None,
        "distress_end": worlds[-1].distress if worlds else None,
        "distress_lowest": min((world.distress for world in worlds), default=None),
        "trust_end": worlds[-1].trust if worlds else None,
        "facts_told": len(worlds[-1].disclosed) if worlds else None,
        "needs_met": sum(need.status == "met" for need in worlds[-1].needs) if worlds else None,
        **asdict(times),
    }


def _mean(own: Sequence[Judgement], name: str) -> float | None:
    """Return a mean over the repeats that have a score; None when one of them lacks this mean, or there are none."""
    found = [getattr(item.scores, name) for item in own if item.scores is not None]
    return fmean(found) if found and None not in found else None


def _turn_rows(record: EpisodeRecord, _: Times) -> Iterator[dict[str, Any]]:
    for index, turn in enumerate(record.turns):
        yield {
            **_key(record), "turn": index, "user": turn.user, "reply": turn.supporter, **_inner(turn.inner_world)
        }  # fmt: skip


def _inner(world: InnerWorld | None) -> dict[str, Any]:
    if world is None:
        return {}
    return {
        "distress": world.distress,
        "trust": world.trust,
        "felt_understood": world.felt_understood,
        "readiness": world.readiness,
        "emotions": " | ".join(f"{emotion.label}:{emotion.intensity}" for emotion in world.emotions),
        "intention": world.thought.intention if world.thought else None,
        "monologue": world.thought.monologue if world.thought else None,
        "facts_told": len(world.disclosed),
    }


def _rating_rows(record: EpisodeRecord, _: Times) -> Iterator[dict[str, Any]]:
    for judgement in record.judgements:
        shared = {**_key(record), **_judge(judgement)}
        if not judgement.ratings:
            yield shared
        for rating in judgement.ratings:
            yield {
                **shared, "dimension": rating.dimension, "group": rating.group, "score": rating.score,
                "reason": rating.reason, "evidence_ok": rating.evidence_ok, "certainty": rating.certainty,
            }  # fmt: skip


def _judge(judgement: Judgement) -> dict[str, Any]:
    return {
        "judge": judgement.judge, "judge_id": judgement.judge_id, "own": judgement.own,
        "judge_repeat": judgement.repeat, "control": judgement.control, "counterfactual": judgement.counterfactual,
        "with_log": judgement.with_log, "rubric": judgement.rubric, "unscored": judgement.unscored,
    }  # fmt: skip


_ROWS: Mapping[TableName, Callable[[EpisodeRecord, Times], Iterator[dict[str, Any]]]] = {
    "episodes": _episode_rows, "turns": _turn_rows, "ratings": _rating_rows,
}  # fmt: skip
