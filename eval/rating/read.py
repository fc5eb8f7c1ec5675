"""Reading what raters sent back: checked against the pack, kept with the run."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from emoharbor.eval.rating.pack import FOLDER, Pack
from emoharbor.eval.rating.table import CANNOT_TELL, Given, Returned, read_table
from emoharbor.eval.store.folder import write_whole
from emoharbor.state.base import Frozen, Text
from emoharbor.state.errors import ConfigError, RunFolderError

_MAX_BYTES = 20_000_000


class Rated(Frozen):
    """What one rater gave for one question; no score for `cannot tell`."""

    item: str
    dimension: str
    score: int | None


class HandRatings(Frozen):
    """One rater's ratings of one pack."""

    pack: str
    rater: str
    imported: str
    """Date and time, UTC."""
    ratings: tuple[Rated, ...]
    remarks: dict[str, Text]


@dataclass(frozen=True, slots=True)
class Checked:
    """A file that was read.

    Attributes:
        found: what it holds; None when there are problems.
        problems: one line each, naming the place; any of them keeps the file out.
        missing: one line for each dialogue that lacks ratings.
    """

    found: HandRatings | None
    problems: tuple[str, ...]
    missing: tuple[str, ...]


def read_ratings(path: Path, packs: Mapping[str, Pack]) -> Checked:
    """Read a file that a form made (JSON or CSV), or a table filled in by hand.

    Args:
        path: the file.
        packs: the packs of the run, by id.

    Raises:
        ConfigError: when it cannot be read at all, or belongs to no pack of the run or no rater of the pack.
    """
    try:
        returned = _returned(path)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        why = f"{error} is missing" if isinstance(error, KeyError) else str(error) or "has another form"
        raise ConfigError(f"{path}: no file of ratings: {why}") from None
    pack = packs.get(returned.pack)
    if pack is None:
        raise ConfigError(f"{path}: belongs to pack {returned.pack}, which this run does not have; it has: "
                          f"{', '.join(packs) or 'none'}")  # fmt: skip
    if returned.rater not in pack.orders:
        raise ConfigError(f"{path}: pack {pack.id} has no rater {returned.rater!r}; it has: {', '.join(pack.orders)}")
    problems = tuple(f"{path}: {line}" for line in _problems(returned, pack))
    missing = tuple(f"{path}: {line}" for line in _missing(returned, pack))
    return Checked(None if problems else _taken(returned), problems, missing)


def keep_ratings(folder: Path, found: HandRatings, *, replace: bool) -> Path:
    """Keep them with the run.

    Raises:
        RunFolderError: when this rater's are there already and are other ones, or they cannot be written.
    """
    path = folder / FOLDER / found.pack / f"{found.rater}.json"
    if path.exists() and not replace:
        old = _kept(path)
        if (old.ratings, old.remarks) == (found.ratings, found.remarks):
            return path
        raise RunFolderError(f"{path}: {found.rater}'s ratings are there already and differ; to take these, --replace")
    write_whole(path, json.dumps(found.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n")
    return path


def ratings_of(folder: Path, pack: str) -> list[HandRatings]:
    """Return what came back of a pack, by rater.

    Raises:
        RunFolderError: when a file is broken.
    """
    paths = sorted((folder / FOLDER / pack).glob("*.json"))
    return [_kept(path) for path in paths if path.name != "key.json"]


def _kept(path: Path) -> HandRatings:
    try:
        return HandRatings.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise RunFolderError(f"{path}: is broken: {error.__class__.__name__}; import the rater's file again") from None


def _returned(path: Path) -> Returned:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise ConfigError(f"{path}: no file of ratings: larger than {_MAX_BYTES} bytes")
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not UTF-8; save the file as CSV UTF-8") from None
    if not text.lstrip().startswith("{"):
        return read_table(text)
    data = json.loads(text)
    ratings = tuple(
        Given(f"ratings[{number}]", str(row["item"]), str(row["dimension"]), _written(row["score"]))
        for number, row in enumerate(data["ratings"])
    )
    remarks = {str(item): str(note) for item, note in data.get("remarks", {}).items()}
    return Returned(str(data["pack"]), str(data["rater"]), ratings, remarks)


def _written(score: object) -> str:
    return "null" if score is None else str(score)


def _problems(returned: Returned, pack: Pack) -> Iterator[str]:
    seen: dict[tuple[str, str], str] = {}
    for given in returned.ratings:
        if given.item not in pack.items:
            yield f"{given.place}: no dialogue of this pack is called {given.item!r}"
        elif given.dimension not in pack.dimensions:
            yield f"{given.place}: {given.item}: nothing that is rated is called {given.dimension!r}"
        elif (first := seen.setdefault((given.item, given.dimension), given.place)) != given.place:
            yield f"{given.place}: {given.item} {given.dimension} is rated twice, first in {first}"
        elif given.score is not None and not _fits(given.score, pack):
            low, high = pack.rubric.low, pack.rubric.high
            yield f"{given.place}: {given.item} {given.dimension}: {given.score!r} is none of {low} to {high}, or ?"
    for item in returned.remarks:
        if item not in pack.items:
            yield f"a remark names {item!r}, which is no dialogue of this pack"


def _fits(score: str, pack: Pack) -> bool:
    if score in CANNOT_TELL:
        return True
    return score in {str(level) for level in range(pack.rubric.low, pack.rubric.high + 1)}


def _missing(returned: Returned, pack: Pack) -> Iterator[str]:
    """Say what is not rated; of a line left empty, which line."""
    empty = {(given.item, given.dimension): given.place for given in returned.ratings if given.score is None}
    rated = {(given.item, given.dimension) for given in returned.ratings if given.score is not None}
    per_item: Counter[str] = Counter(item for item, _ in rated)
    for item in pack.orders[returned.rater]:
        left = [name for name in pack.dimensions if (item, name) not in rated]
        if left and per_item[item]:
            yield f"{item}: not rated: " + ", ".join(
                f"{name} ({empty[item, name]})" if (item, name) in empty else name for name in left
            )
        elif left:
            first = empty.get((item, left[0]))
            yield f"{item}: nothing is rated" + (f" (from {first} on)" if first else "")


def _taken(returned: Returned) -> HandRatings:
    return HandRatings(
        pack=returned.pack,
        rater=returned.rater,
        imported=datetime.now(UTC).isoformat(timespec="seconds"),
        ratings=tuple(
            Rated(item=given.item, dimension=given.dimension, score=_score(given.score))
            for given in returned.ratings
            if given.score is not None
        ),
        remarks=returned.remarks,
    )


def _score(written: str) -> int | None:
    return None if written in CANNOT_TELL else int(written)
