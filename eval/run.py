"""A run as people read it: its folder, opened for reading. Works while the run is still going on."""

from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emoharbor.eval.record import EpisodeKey, EpisodeRecord, EpisodeResult
from emoharbor.eval.runs.manifest import Manifest, read_manifest
from emoharbor.eval.runs.plan import planned
from emoharbor.eval.runs.stop import Stopped
from emoharbor.eval.store.folder import DATABASE
from emoharbor.eval.store.reader import Reader, Times
from emoharbor.state.episode import EpisodeState
from emoharbor.state.errors import RunFolderError

if TYPE_CHECKING:
    import polars

    from emoharbor.eval.statistics.compare import Comparison
    from emoharbor.eval.statistics.method import How
    from emoharbor.eval.statistics.reliability_rows import Reliability
    from emoharbor.eval.statistics.rows import Leaderboard
    from emoharbor.eval.statistics.scores import Failures, Scale
    from emoharbor.eval.store.export import Format, TableName
    from emoharbor.eval.traces.trace import Trace


class Run:
    """One run folder.

    Attributes:
        folder: where it is.
        manifest: what was run.
        stopped: why the call that made this object ended early (`str()` of it is one line); None when it did not.
    """

    def __init__(self, folder: Path | str, stopped: Stopped | None = None) -> None:
        """Open the folder.

        Raises:
            RunFolderError: when it is no run folder, or was written by a newer version.
        """
        self.folder = Path(folder)
        self.manifest: Manifest = read_manifest(self.folder)
        self.stopped = stopped
        self._reader = Reader(self.folder) if (self.folder / DATABASE).exists() else None

    def planned(self) -> list[EpisodeKey]:
        """Return every episode the manifest asks for, in the order of running (see `plan.planned`)."""
        return planned(self.manifest)

    def episodes(self) -> Iterator[EpisodeRecord]:
        """Yield the episodes begun so far, by profile, supporter, repeat; the newest attempt of each."""
        return (record for record, _ in self.records())

    def records(self) -> Iterator[tuple[EpisodeRecord, Times]]:
        """Yield the same with the times and tokens that records leave out."""
        return iter(()) if self._reader is None else self._reader.records()

    def results(self) -> Iterator[EpisodeResult]:
        """Yield the same without the dialogues: outcome and judgements, many times as fast."""
        return iter(()) if self._reader is None else self._reader.results()

    def episode(self, key: EpisodeKey | str) -> EpisodeRecord:
        """Return one episode, named as `P010/attuned/0` (or `P010/attuned`).

        Raises:
            RunFolderError: for one that is not in the run, naming the nearest, or that has not begun.
        """
        return self._open().record(self._known(key))

    def state(self, key: EpisodeKey | str, turn: int | None = None) -> EpisodeState:
        """Return the state of an episode at the start of a turn (0: before the first node), or as last saved.

        Raises:
            RunFolderError: as `episode`, or when it did not get that far.
        """
        return self._open().rebuild(self._known(key), turn)

    def trace(self, key: EpisodeKey | str) -> "Trace":
        """Return what each node and model call of an episode was given and gave back, up to its last finished turn.

        Raises:
            RunFolderError: as `episode`.
        """
        from emoharbor.eval.traces.load import load_trace  # noqa: PLC0415 - langchain's messages take time to import

        return load_trace(self._open(), self._known(key))

    def leaderboard(self, failures: "Failures" = "lowest", **choices: Any) -> "Leaderboard":
        """Return what is known of each supporter; `choices` as in `emoharbor.eval.figures.board_of`."""
        from emoharbor.eval.figures import board_of  # noqa: PLC0415 - numpy takes time to import

        return board_of([self], failures=failures, **choices)

    def compare(self, first: str, second: str, **choices: Any) -> "Comparison":
        """Return two supporters side by side; `choices` as in `emoharbor.eval.figures.comparison_of`.

        Raises:
            RunFolderError: for a supporter that is not in the run, or a run without a judge.
        """
        from emoharbor.eval.figures import comparison_of  # noqa: PLC0415 - as above

        return comparison_of(self, first, second, **choices)

    def reliability(self, how: "How | None" = None) -> "Reliability":
        """Return how far the ratings can be relied on.

        Raises:
            RunFolderError: for a run without a judge.
        """
        from emoharbor.eval.figures import reliability_of  # noqa: PLC0415 - as above

        return reliability_of([self], how)

    def scale(self) -> "Scale | None":
        """Return what the judge rates on; None without a judge."""
        from emoharbor.eval.figures import scale_of  # noqa: PLC0415 - as above

        return scale_of(self.manifest.rubric)

    def frame(self, table: "TableName") -> "polars.DataFrame":
        """Return `episodes`, `turns` or `ratings` as a data frame; `eval/store/export.py` documents the columns."""
        from emoharbor.eval.store.export import frame  # noqa: PLC0415 - polars takes 0.1 s to import

        return frame(table, self.records())

    def export(self, to: Path | str, kind: "Format", *, canonical: bool = False) -> list[Path]:
        """Write the run out: one `jsonl` file, or the three tables of `csv` or `parquet` into a folder.

        Raises:
            RunFolderError: when a file cannot be written.
        """
        from emoharbor.eval.store.export import export  # noqa: PLC0415 - polars takes 0.1 s to import

        return export(self.records, Path(to), kind, canonical=canonical)

    def _open(self) -> Reader:
        if self._reader is None:
            raise RunFolderError(f"{self.folder}: no episode of this run has begun yet")
        return self._reader

    def _known(self, key: EpisodeKey | str) -> EpisodeKey:
        wanted = key if isinstance(key, EpisodeKey) else EpisodeKey.parse(key)
        planned = self.planned()
        if wanted in planned:
            return wanted
        names = [str(item) for item in planned]
        close = ", ".join(get_close_matches(str(wanted), names, n=3, cutoff=0.4) or names[:3])
        raise RunFolderError(f"{self.folder}: no episode of this run is called {str(key)!r}; for example: {close}")


def load_run(folder: Path | str) -> Run:
    """Open a run folder for reading, finished or not.

    Raises:
        RunFolderError: when it is no run folder, or was written by a newer version.
    """
    return Run(folder)
