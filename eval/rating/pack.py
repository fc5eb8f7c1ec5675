"""A pack: which episodes people rate by hand, under which names, in which order for whom. It is the key that unblinds.

The names say nothing: they are numbers dealt out at random. Every rater gets the same dialogues, so that raters can be
compared with one another, in an order of their own, so that no dialogue is always rated tired.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Annotated

from pydantic import Field, ValidationError

from emoharbor.eval.record import EpisodeKey, EpisodeResult
from emoharbor.eval.store.folder import write_whole
from emoharbor.nodes.rubric import Rubric
from emoharbor.state.base import FilledText, Frozen
from emoharbor.state.errors import ConfigError, RunFolderError

FOLDER = "rating"
"""The folder inside a run that keeps packs and what came back."""
_FORMAT = 1


class Pack(Frozen):
    """One pack. Stays with the owner of the run; raters get forms only."""

    format: int = _FORMAT
    id: Annotated[str, Field(pattern=r"^[0-9a-f]{8}$")]
    run_id: str
    seed: int
    rubric: Rubric
    """What is rated, as the forms show it."""
    items: dict[FilledText, FilledText]
    """Episode of each dialogue, by the name that raters see: `D01`."""
    orders: dict[FilledText, tuple[FilledText, ...]]
    """The order in which each rater sees them, by rater: `R1`."""

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Ids of what is rated."""
        return tuple(item.id for item in self.rubric.dimensions)


def make_pack(  # noqa: PLR0913 - the choices of a draw, all keyword-only
    run_id: str, results: Sequence[EpisodeResult], rubric: Rubric, *, n: int, raters: int, seed: int
) -> Pack:
    """Draw the episodes: completed ones only, as evenly over the supporters as there are.

    Args:
        run_id: of the run.
        results: its episodes.
        rubric: what is rated.
        n: how many episodes at most.
        raters: how many raters.
        seed: of the draw, the names and the orders.

    Raises:
        ConfigError: when no episode is completed.
    """
    random = Random(f"{run_id}/{seed}/{n}/{raters}")  # noqa: S311 - a draw that can be made again
    drawn = _drawn([_key(item) for item in results if item.outcome is not None and item.outcome.judged], n, random)
    if not drawn:
        raise ConfigError("no episode of this run is completed, so there is nothing to rate")
    random.shuffle(drawn)
    width = max(2, len(str(len(drawn))))
    items = {f"D{number:0{width}}": str(key) for number, key in enumerate(drawn, start=1)}
    orders = {}
    for rater in range(1, raters + 1):
        order = list(items)
        random.shuffle(order)
        orders[f"R{rater}"] = tuple(order)
    name = hashlib.sha256(json.dumps([run_id, seed, rubric.id, items, orders]).encode()).hexdigest()[:8]
    # a rubric keeps its id once asked for it, and pydantic would take that for a field it does not know
    bare = Rubric.model_validate(rubric.model_dump())
    return Pack(id=name, run_id=run_id, seed=seed, rubric=bare, items=items, orders=orders)


def keep_pack(folder: Path, pack: Pack) -> Path:
    """Keep a pack with its run; the same pack again changes nothing.

    Raises:
        RunFolderError: when it cannot be written.
    """
    path = _place(folder, pack.id)
    _make(path.parent)
    write_whole(path, json.dumps(pack.model_dump(mode="json"), ensure_ascii=False, indent=1) + "\n")
    return path


def packs_of(folder: Path) -> Mapping[str, Pack]:
    """Return the packs of a run, by id.

    Raises:
        RunFolderError: when one is broken.
    """
    found = {}
    for path in sorted((folder / FOLDER).glob("*/key.json")):
        try:
            pack = Pack.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            first = error.errors(include_url=False)[0]["msg"] if isinstance(error, ValidationError) else str(error)
            raise RunFolderError(f"{path}: is broken: {first}") from None
        found[pack.id] = pack
    return found


def _place(folder: Path, pack: str) -> Path:
    return folder / FOLDER / pack / "key.json"


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFolderError(f"{folder}: cannot be made: {error.strerror}") from None


def _key(found: EpisodeResult) -> EpisodeKey:
    return EpisodeKey(profile=found.profile, supporter=found.supporter, repeat=found.repeat)


def _drawn(keys: Sequence[EpisodeKey], n: int, random: Random) -> list[EpisodeKey]:
    """Return one of each supporter in turn, each supporter's in random order."""
    by_supporter: dict[str, list[EpisodeKey]] = {}
    for key in sorted(keys, key=str):
        by_supporter.setdefault(key.supporter, []).append(key)
    for found in by_supporter.values():
        random.shuffle(found)
    rounds = max((len(found) for found in by_supporter.values()), default=0)
    in_turn = [found[place] for place in range(rounds) for found in by_supporter.values() if place < len(found)]
    return in_turn[:n]
