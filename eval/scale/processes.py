"""The `processes` engine: shards as processes of this machine, so that a run has more than one core to work with.

Python runs on one core, and each model call costs some milliseconds of it. Where calls are quick or many are in flight,
that core is what a run waits for.
"""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from threading import current_thread, main_thread
from types import FrameType, TracebackType
from typing import IO, Any, Self, cast

from emoharbor.eval.machine import cores
from emoharbor.eval.runs.stop import Stopped
from emoharbor.eval.scale.sharded import EVERY_S, RETRIES, Report, lost
from emoharbor.eval.scale.task import Handed, Job
from emoharbor.state.errors import RunFolderError

_LOOK_S = 0.02
_ENDING_S = 5.0
"""What a process may take to end, beside its time to finish its turns."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_INTERRUPTED = Handed(stopped=Stopped("interrupt", "interrupted"))


class ProcessEngine:
    """As many processes as there are shards.

    Ctrl-C and SIGTERM are handed on to them: the first lets them finish the turns under way, the second ends them at
    once. When we are gone, they wind down by themselves.
    """

    name = "processes"
    one_machine = True

    def __init__(self) -> None:
        self._workers: list[_Worker] = []
        self._asked = 0
        """How often we were asked to stop."""
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Self:
        """Heed signals, where they arrive: in the main thread."""
        if current_thread() is main_thread():
            self._handlers = {number: signal.signal(number, self._heed) for number in _SIGNALS}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End those that still work, since another one cannot go on."""
        for worker in self._workers:
            worker.stop(self._asked + 1)
        for worker in self._workers:
            worker.end()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def _heed(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - what the system calls
        self._asked += 1

    def places(self) -> int:
        """Return how many cores we may use."""
        return cores()

    def work(self, jobs: Sequence[Job], report: Report) -> Iterator[tuple[Job, Handed]]:
        """Do the jobs.

        Raises:
            RunFolderError: when the process of a job was lost too often, or ended by a mistake in somebody's code.
        """
        self._workers = [_Worker(job) for job in jobs]
        told = 0.0
        while self._workers:
            if time.monotonic() - told >= EVERY_S:
                told = time.monotonic()
                report(stopping=self._asked > 0)
            for worker in list(self._workers):
                worker.stop(self._asked)
                handed = worker.handed(interrupted=self._asked > 0)
                if handed is not None:
                    self._workers.remove(worker)
                    yield worker.job, handed
            time.sleep(_LOOK_S)
        report(stopping=self._asked > 0)


class _Worker:
    """A job in a process of its own. What the process says goes to `NofM.log`, beside the folder of the shard."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self._log = Path(f"{job.folder}.log")
        self._lost = 0
        self._asked = 0
        self._process = self._start()

    def handed(self, *, interrupted: bool) -> Handed | None:
        """Return what came of the job once it has ended. A process that was killed is started again.

        Args:
            interrupted: whether it was asked to stop, and so may end in any way.
        """
        code = self._process.poll()
        if code is None:
            return None
        answer = self._close()
        if answer:
            self._forget_empty_log()
            return Handed.model_validate_json(answer)
        if interrupted:
            return _INTERRUPTED
        if code >= 0:
            raise RunFolderError(f"shard {self.job.shard}: its process ended by itself (code {code}); see {self._log}")
        self._lost += 1
        if self._lost > RETRIES:
            raise lost(self.job, signal.Signals(-code).name)
        self._process = self._start()
        return None

    def stop(self, times: int) -> None:
        """Ask it to stop, until it was asked so many times."""
        for _ in range(self._asked, times):
            self._process.send_signal(signal.SIGINT)
        self._asked = max(self._asked, times)

    def end(self) -> None:
        """Wait for its end, and no longer than it was given to finish its turns."""
        try:
            self._process.wait(self.job.config["limits"]["grace_s"] + _ENDING_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._close()

    def _start(self) -> subprocess.Popen[bytes]:
        with self._log.open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "emoharbor.eval.scale.worker"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                start_new_session=True,  # Ctrl-C comes to us, who hand it on
            )  # fmt: skip
        told = cast("IO[bytes]", process.stdin)
        with suppress(BrokenPipeError):  # ended already: seen when it is asked
            told.write(self.job.model_dump_json().encode() + b"\n")
            told.flush()  # and left open: its end tells the process that we are gone
        return process

    def _close(self) -> bytes:
        """Return what it told, once it has ended; nothing when that was asked already."""
        with suppress(BrokenPipeError):
            cast("IO[bytes]", self._process.stdin).close()
        told = cast("IO[bytes]", self._process.stdout)
        if told.closed:
            return b""
        with told:
            return told.read()

    def _forget_empty_log(self) -> None:
        if not self._log.stat().st_size:
            self._log.unlink()
