"""One run, opened for reading: kept up to date, with its figures made in the background."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar, cast

from emoharbor.eval.audit.run import KEPT
from emoharbor.eval.record import EpisodeKey, EpisodeRecord
from emoharbor.eval.run import Run
from emoharbor.eval.runs.manifest import Manifest
from emoharbor.eval.statistics.leaderboard import Leaderboard
from emoharbor.eval.store.browse import Browser, Line
from emoharbor.eval.store.folder import DATABASE
from emoharbor.eval.traces.trace import Trace
from emoharbor.eval.viewer.later import Later
from emoharbor.profiles.loader import load_people
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.errors import ProfileError

T = TypeVar("T")
_AFRESH = 1.0
"""Seconds after which a run that goes on is read again."""
GOING_ON = 90.0
"""A run that was written to within so many seconds counts as going on."""
_TRACES = 6
"""Traces kept in memory, about 2 MB each."""
_SAID = 16
"""Words looked for in the dialogues that are kept: each step through a list that was searched for asks again."""


@dataclass(frozen=True, slots=True)
class Shelved:
    """A run in the list.

    Attributes:
        slug: its name in addresses.
        folder: where it is.
        name: the folder as people read it.
        manifest: None when it cannot be read; `problem` says why.
        parent: slug of the run it branched from.
    """

    slug: str
    folder: Path
    name: str
    manifest: Manifest | None
    problem: str
    parent: str | None


class OpenRun:
    """One run that somebody looks at."""

    def __init__(self, shelved: Shelved, pool: ThreadPoolExecutor) -> None:
        self.slug, self.folder, self.name, self.parent = shelved.slug, shelved.folder, shelved.name, shelved.parent
        self.run = Run(self.folder)
        self._lock = threading.Lock()
        self._browser: Browser | None = None
        self._read_at = 0.0
        self._written: tuple[float, int] | None = None
        self._lines: Sequence[Line] = ()
        self._index: Later[Sequence[Line]] = Later(pool)
        self._board: Later[Leaderboard] = Later(pool)
        self._traces: OrderedDict[tuple[EpisodeKey, int], Trace] = OrderedDict()
        self._said: OrderedDict[tuple[str, int], Mapping[int, int]] = OrderedDict()
        self._kept: dict[str, tuple[int, object]] = {}

    @property
    def manifest(self) -> Manifest:
        """What was run."""
        return self.run.manifest

    @cached_property
    def people(self) -> Mapping[str, PartialProfile]:
        """The people of the run; only ids of those whose files are gone."""
        found: dict[str, PartialProfile] = {}
        for source in self.manifest.config.profiles:
            try:
                found |= load_people(source)
            except ProfileError:
                continue  # the record does not need them: it names the people by id
        return {name: found.get(name, PartialProfile(id=name)) for name in self.manifest.profiles}

    @cached_property
    def planned(self) -> int:
        """How many episodes it has once it is done."""
        return len(self.run.planned())

    def person(self, name: str) -> PartialProfile:
        """Return a person, or only the id."""
        return self.people.get(name) or PartialProfile(id=name)

    def lines(self) -> Sequence[Line] | None:
        """Return a line for each episode begun; None while a big run is read for the first time."""
        if self._browser is None:
            found = self._index.get("first", self._first)
            if found is None or self._browser is None:
                return found
        with self._lock:
            if time.monotonic() - self._read_at > _AFRESH:
                now = written(self.folder)
                if now != self._written:
                    self._lines = self._browser.refresh()
                self._written, self._read_at = now, time.monotonic()
            return self._lines

    def saying(self, words: str) -> Mapping[int, int]:
        """Return the numbers of the lines in whose dialogue `words` were said, each with the turn they were first said.

        The last few answers are kept.
        """
        place = (words, self.stamp)
        with self._lock:
            if place not in self._said and self._browser is not None:
                self._said[place] = self._browser.saying(words)
                while len(self._said) > _SAID:
                    self._said.popitem(last=False)
            return self._said.get(place, {})

    @property
    def stamp(self) -> int:
        """Grows whenever something in the run changed, as far as `lines` has seen."""
        return self._browser.stamp if self._browser else 0

    def going_on(self) -> bool:
        """Tell whether somebody seems to be writing: it is unfinished, and was written to a moment ago."""
        return time.time() - written(self.folder)[0] < GOING_ON and not self.finished()

    def finished(self) -> bool:
        """Tell whether every planned episode has ended."""
        lines = self.lines()
        return lines is not None and sum(line.outcome is not None for line in lines) >= self.planned

    def board(self) -> tuple[Leaderboard | None, bool]:
        """Return the figures, None while they are made for the first time; and whether they are the newest."""
        if self.lines() is None:
            return None, False
        audited = (self.folder / KEPT).is_file()  # else it would be written here: a viewer leaves runs as they are
        found = self._board.get((self.stamp, audited), lambda: self.run.leaderboard(validity=audited))
        return found, self._board.fresh

    def kept(self, name: str, make: Callable[[], T]) -> T:
        """Return what was made before for the run as it is now, or make it; for what takes a tenth of a second."""
        known = self._kept.get(name)
        if known is None or known[0] != self.stamp:
            known = self._kept[name] = (self.stamp, make())
        return cast("T", known[1])

    def record(self, key: EpisodeKey) -> EpisodeRecord:
        """Return one episode.

        Raises:
            RunFolderError: when there is none, or it has not begun.
        """
        return self.run.episode(key)

    def trace(self, key: EpisodeKey) -> Trace:
        """Return the trace of an episode; the last few stay in memory for stepping through."""
        self.lines()
        place = (key, self.stamp)
        with self._lock:
            if place in self._traces:
                self._traces.move_to_end(place)
                return self._traces[place]
        found = self.run.trace(key)
        with self._lock:
            self._traces[place] = found
            while len(self._traces) > _TRACES:
                self._traces.popitem(last=False)
        return found

    def close(self) -> None:
        """Let go of the database."""
        if self._browser is not None:
            self._browser.close()

    def _first(self) -> Sequence[Line]:
        """Read the whole run once, and its people."""
        if not (self.folder / DATABASE).is_file():
            return ()
        _ = self.people
        self.run = Run(self.folder)  # the database may be newer than what was opened
        browser = Browser(self.folder)
        lines = browser.refresh()
        with self._lock:
            self._lines, self._read_at, self._browser = lines, time.monotonic(), browser
        return lines


def written(folder: Path) -> tuple[float, int]:
    """Return when the database of a run was last written to, and its size."""
    found = [path.stat() for name in (DATABASE, f"{DATABASE}-wal") if (path := folder / name).is_file()]
    return max((item.st_mtime for item in found), default=0.0), sum(item.st_size for item in found)
