"""The runs of a folder, opened for reading when somebody looks at them.

An address names a run by a short name made here, never by a path: what is not in the list cannot be asked for.
"""

import hashlib
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from emoharbor.eval.runs.manifest import read_manifest
from emoharbor.eval.runs.plan import planned
from emoharbor.eval.store.browse import ended
from emoharbor.eval.store.folder import DATABASE, MANIFEST
from emoharbor.eval.viewer.open_run import GOING_ON, OpenRun, Shelved, written
from emoharbor.state.errors import RunFolderError

TALKS = "talks"
"""Folder of the talks that were held or watched in the viewer, below the folder that it shows."""
_BRANCHES = "branches"
_DEEP = 3
"""Levels of folders searched for runs."""
_MOST = 2000
"""Folders looked at, so that a home folder given by mistake does not hold the page up."""


class Library:
    """All runs below a folder, or one run and its branches."""

    def __init__(self, root: Path) -> None:
        """Look at a folder.

        Raises:
            RunFolderError: when it is no folder, or holds no run.
        """
        if not root.is_dir():
            raise RunFolderError(f"{root}: is no folder; name a run folder, or a folder that holds some")
        self.root = root
        self._pool = ThreadPoolExecutor(2, thread_name_prefix="emoharbor-view")
        self._lock = threading.Lock()
        self._open: dict[str, tuple[float, OpenRun]] = {}
        self._known: dict[str, Shelved] = {}
        self._counted: dict[str, tuple[object, int]] = {}
        if not self.shelves():
            raise RunFolderError(
                f"{root}: holds no run that can be read; `emoharbor run CONFIG -o {root / 'NAME'}` makes one"
            )

    def shelves(self) -> list[Shelved]:
        """Look again, and return the runs, newest first, each followed by its branches."""
        found = [run for folder in _runs_below(self.root) for run in self._with_branches(folder, None)]
        with self._lock:
            self._known = {item.slug: item for item in found}
        tops = sorted((item for item in found if item.parent is None), key=_created, reverse=True)
        return [item for top in tops for item in _family(top, found)]

    def branches(self, slug: str) -> list[Shelved]:
        """Return the branches of a run."""
        return [item for item in self.shelves() if item.parent == slug]

    def get(self, slug: str) -> OpenRun:
        """Return a run, opened.

        Raises:
            RunFolderError: when no run is called so, or it cannot be read.
        """
        if slug not in self._known:
            self.shelves()
        if slug not in self._known:
            raise RunFolderError(f"no run here is called {slug!r}")
        shelved = self._known[slug]
        try:
            changed = (shelved.folder / MANIFEST).stat().st_mtime
        except OSError:
            raise RunFolderError(f"{shelved.name}: the run folder is gone") from None
        with self._lock:
            known = self._open.get(slug)
            if known is not None and known[0] == changed:
                return known[1]
            opened = OpenRun(shelved, self._pool)
            self._open[slug] = (changed, opened)
        return opened

    def progress(self, item: Shelved) -> tuple[int, int, bool]:
        """Return episodes ended and planned, and whether the run was written to a moment ago.

        Raises:
            RunFolderError: when its database cannot be read.
        """
        assert item.manifest is not None  # noqa: S101 - a run that cannot be read has no progress
        when = written(item.folder)
        if when != self._counted.get(item.slug, (None, 0))[0]:
            count = ended(item.folder) if (item.folder / DATABASE).is_file() else 0
            self._counted[item.slug] = (when, count)
        return self._counted[item.slug][1], len(planned(item.manifest)), time.time() - when[0] < GOING_ON

    def warm_up(self) -> None:
        """Begin to read a run that is the only one, so that its first page is there at once."""
        tops = [item for item in self.shelves() if item.parent is None and item.manifest is not None]
        if len(tops) == 1:
            self._pool.submit(self.get(tops[0].slug).lines)

    def close(self) -> None:
        """Let go of everything."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for _, opened in self._open.values():
            opened.close()

    def _with_branches(self, folder: Path, parent: str | None) -> Iterator[Shelved]:
        shelved = self._shelve(folder, parent)
        yield shelved
        below = folder / _BRANCHES
        if below.is_dir():
            for item in sorted(below.iterdir()):
                if (item / MANIFEST).is_file():
                    yield from self._with_branches(item, shelved.slug)

    def _shelve(self, folder: Path, parent: str | None) -> Shelved:
        where = folder.relative_to(self.root)
        name = where.as_posix() if where.parts else folder.resolve().name
        slug = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:10]
        try:
            return Shelved(slug, folder, name, read_manifest(folder), "", parent)
        except RunFolderError as error:
            return Shelved(slug, folder, name, None, str(error), parent)


def _runs_below(root: Path) -> list[Path]:
    """Return the folders that hold a run. Talks held in this viewer lie below the root, also when it is a run."""
    found: list[Path] = []
    waiting, seen = [(root, 0), *([(root / TALKS, 0)] if (root / MANIFEST).is_file() else [])], 0
    while waiting and seen < _MOST:
        folder, depth = waiting.pop(0)
        seen += 1
        if (folder / MANIFEST).is_file():
            found.append(folder)
        elif depth < _DEEP:
            waiting += [(item, depth + 1) for item in _folders(folder)]
    return found


def _folders(folder: Path) -> list[Path]:
    try:
        found = (item for item in folder.iterdir() if not item.name.startswith(".") and not item.is_symlink())
        return sorted(item for item in found if item.is_dir())
    except OSError:
        return []  # a folder that may not be read holds nothing for us


def _created(item: Shelved) -> str:
    return item.manifest.created if item.manifest else ""


def _family(top: Shelved, everything: Sequence[Shelved]) -> Iterator[Shelved]:
    yield top
    for item in everything:
        if item.parent == top.slug:
            yield from _family(item, everything)
