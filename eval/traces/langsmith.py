"""Live tracing to LangSmith, watched over: it never changes results, never holds up the exit, and warns once.

LangSmith's variables (`LANGSMITH_TRACING=true`, `LANGSMITH_API_KEY` ...) turn it on. A run is one project: named after
the run, or by `LANGSMITH_PROJECT`. This is the one place where a client is made for live tracing.
"""

import logging
import os
import queue
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING
from uuid import UUID

from langsmith import utils

from emoharbor.eval.traces.feedback import Feedback

if TYPE_CHECKING:
    from langsmith import Client

_LOG = logging.getLogger("emoharbor.traces")
_END_S = 2.5
"""Seconds that the end of a run may wait for what is still on its way."""
_FEEDBACK_S = 1.0
"""How many of them for ratings."""


class Watch:
    """Live tracing of one run.

    Attributes:
        on: whether runs are being sent.
    """

    def __init__(self, client: "Client | None" = None, project: str = "") -> None:
        self.on = client is not None
        self._ratings = _Ratings(client, project) if client is not None else None

    def rate(self, run: UUID, items: Sequence[Feedback]) -> None:
        """Attach ratings and outcome to the trace of an episode. Returns at once."""
        if self._ratings is not None:
            self._ratings.put(run, items)

    def end(self) -> bool:
        """Wait a little for the ratings to be on their way; tell whether they are."""
        return self._ratings is None or self._ratings.end()


@contextmanager
def langsmith_watch(project: str) -> Iterator[Watch]:
    """Watch over live tracing while a run goes on; does nothing when it is not turned on.

    Args:
        project: name of the project, unless `LANGSMITH_PROJECT` gives one.
    """
    if not utils.tracing_is_enabled():
        yield Watch()
        return
    from langsmith import Client, tracing_context  # noqa: PLC0415 - an untraced run never needs it

    # with the default threads a hanging endpoint held the exit for over 20 s
    os.environ.setdefault("LANGSMITH_USE_DAEMON", "true")
    utils.get_env_var.cache_clear()  # type: ignore[attr-defined]  # an lru_cache, which its overloads hide
    name = utils.get_env_var("PROJECT") or project
    with _one_warning() as troubles:
        try:
            client = Client(tracing_error_callback=lambda error: troubles.append(str(error)))
        except utils.LangSmithError as error:
            troubles.append(str(error))
            with tracing_context(enabled=False):
                yield Watch()
            return
        watch = Watch(client, name)
        try:
            with tracing_context(enabled=True, client=client, project_name=name):
                yield watch
        finally:
            deadline = time.monotonic() + _END_S
            sent = watch.end()
            client.flush(timeout=deadline - time.monotonic())
            waiting = client.tracing_queue is not None and client.tracing_queue.unfinished_tasks
            if waiting or not sent:
                troubles.append(f"not everything could be sent within {_END_S:g} s")


class _Ratings:
    """Sends feedback from a thread of its own: the client asks the server before the first one, and waits."""

    def __init__(self, client: "Client", project: str) -> None:
        self._client = client
        self._project = project
        self._waiting: queue.SimpleQueue[tuple[UUID, Feedback] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def put(self, run: UUID, items: Sequence[Feedback]) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="emoharbor-feedback", daemon=True)
            self._thread.start()
        for item in items:
            self._waiting.put((run, item))

    def end(self) -> bool:
        if self._thread is None:
            return True
        self._waiting.put(None)
        self._thread.join(_FEEDBACK_S)
        return not self._thread.is_alive()

    def _work(self) -> None:
        try:
            session = self._client.create_project(self._project, upsert=True).id
            while (found := self._waiting.get()) is not None:
                run, item = found
                self._client.create_feedback(
                    run, item.key, score=item.score, value=item.value, comment=item.comment, trace_id=run,
                    session_id=session, feedback_id=item.id_for(run), stop_after_attempt=2,
                )  # fmt: skip
        except Exception as error:  # noqa: BLE001 - a thread of its own; the watcher says it once
            logging.getLogger("langsmith.client").warning("ratings: %s: %s", type(error).__name__, error)


@contextmanager
def _one_warning() -> Iterator[list[str]]:
    """Gather what LangSmith's client complains of, and say it in one line at the end."""
    troubles: list[str] = []
    theirs = logging.getLogger("langsmith")
    listener = _Listener(troubles)
    before = theirs.propagate
    theirs.addHandler(listener)
    theirs.propagate = False
    try:
        yield troubles
    finally:
        if troubles:
            # the client's threads go on complaining until the process ends, so the listener stays
            first = " ".join(troubles[0].split())[:300]
            _LOG.warning(
                "LangSmith did not get everything; results and local traces are complete, and "
                "`emoharbor trace push RUN` sends them later: %s",
                first,
            )
        else:
            theirs.removeHandler(listener)
            theirs.propagate = before


class _Listener(logging.Handler):
    def __init__(self, troubles: list[str]) -> None:
        super().__init__(logging.WARNING)
        self._troubles = troubles

    def emit(self, record: logging.LogRecord) -> None:
        self._troubles.append(record.getMessage())
