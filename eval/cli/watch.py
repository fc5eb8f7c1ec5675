"""Showing how far a run is, on stderr: one line that changes on a terminal, a plain line now and then elsewhere."""

import sys
from contextlib import redirect_stdout
from types import TracebackType
from typing import Self

from rich.live import Live
from rich.text import Text

from emoharbor.eval.cli.screen import screen, tell
from emoharbor.eval.reports.progress import progress_line
from emoharbor.eval.runs.progress import Progress

_EVERY = 15.0
"""Seconds between plain lines."""


class Watch:
    """Use it as a context manager, and give it to `evaluate` as `on_progress`.

    Meanwhile what somebody's node prints goes to stderr: results, JSON above all, have stdout to themselves.
    """

    def __init__(self) -> None:
        console = screen(stderr=True)
        live = console.is_terminal and not console.is_dumb_terminal
        self._prints = redirect_stdout(sys.stderr)
        self._live = Live(Text(""), console=console, transient=True, auto_refresh=False) if live else None
        self._told_at = -_EVERY
        self._told = ""
        self._stopping = False
        self.last: Progress | None = None

    def __enter__(self) -> Self:
        """Start."""
        self._prints.__enter__()
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Leave the last line standing."""
        if self._live is not None:
            self._live.stop()  # first, for it puts back the stdout that it found
        self._prints.__exit__(kind, error, traceback)
        if self._live is not None and self.last is not None and self.last.planned:
            tell(progress_line(self.last))

    def __call__(self, progress: Progress) -> None:
        """Show it."""
        self.last = progress
        if not progress.planned:
            return
        if progress.stopping and not self._stopping:
            self._stopping = True
            what = "turns" if progress.unit == "episodes" else progress.unit
            tell(f"stopping: the {what} under way are finished first; once more to stop at once")
        if self._live is not None:
            self._live.update(Text(progress_line(progress), no_wrap=True, overflow="ellipsis"), refresh=True)
        elif progress.done == progress.planned or progress.seconds - self._told_at >= _EVERY:
            line = progress_line(progress)
            if line != self._told:
                self._told_at, self._told = progress.seconds, line
                tell(line)
