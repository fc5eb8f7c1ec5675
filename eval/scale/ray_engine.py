"""The `ray` engine: shards as tasks on a Ray cluster.

Workers that do not share the driver's disk hand their folder back as bytes; such a shard is only gone on with on the
same machine.
"""

import os
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from emoharbor.eval.scale.sharded import EVERY_S, RETRIES, Report, lost
from emoharbor.eval.scale.task import Handed, Job, run_shard
from emoharbor.state.errors import ConfigError


class RayEngine:
    """The cluster that is connected, the one of `RAY_ADDRESS`, or one of this machine, which ends with us."""

    name = "ray"
    one_machine = False

    def __init__(self) -> None:
        """Load Ray.

        Raises:
            ConfigError: when it is not installed.
        """
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # read when Ray is loaded; nothing is sent unasked
        try:
            self._ray: Any = import_module("ray")
        except ImportError:
            raise ConfigError("--engine ray: Ray is not installed; pip install 'emoharbor[ray]'") from None
        self._ours = False

    def __enter__(self) -> Self:
        """Connect to the cluster."""
        if not self._ray.is_initialized():
            here = {} if "RAY_ADDRESS" in os.environ else {"include_dashboard": False, "_node_ip_address": "127.0.0.1"}
            self._ray.init(log_to_driver=False, logging_level="error", **here)
            self._ours = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave it as it was found."""
        if self._ours:
            self._ray.shutdown()

    def places(self) -> int:
        """Return how many CPUs the cluster has."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def work(self, jobs: Sequence[Job], report: Report) -> Iterator[tuple[Job, Handed]]:
        """Do the jobs, and put the files that come back into their place.

        Raises:
            RunFolderError: when the worker of a job was lost too often.
        """
        task = self._ray.remote(max_retries=RETRIES)(run_shard)
        waiting = {task.remote(job): job for job in jobs}
        while waiting:
            report()
            ended, _ = self._ray.wait(list(waiting), timeout=EVERY_S)
            for reference in ended:
                job = waiting.pop(reference)
                yield job, self._received(reference, job)
        report()

    def _received(self, reference: Any, job: Job) -> Handed:
        try:
            handed: Handed = self._ray.get(reference)
        except self._ray.exceptions.RayTaskError:
            raise  # a bug, with its traceback
        except self._ray.exceptions.RayError as error:
            raise lost(job, type(error).__name__) from None
        for name, data in handed.files.items():
            (Path(job.folder) / name).write_bytes(data)
        return Handed(stopped=handed.stopped, error=handed.error)
