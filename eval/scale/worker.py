"""The process of a shard: reads its job from stdin, does it, and writes what came of it to stdout."""

import os
import signal
import sys
from threading import Thread

from emoharbor.eval.runs.signals import leave


def main() -> None:
    """Do one job. When the one who gave it is gone, stop as at Ctrl-C."""
    job = sys.stdin.buffer.readline()
    told = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what somebody's code prints is no answer
    Thread(target=_heed_the_end, daemon=True).start()
    from emoharbor.eval.scale.task import Job, run_shard  # noqa: PLC0415 - takes a second, in which signals count too

    handed = run_shard(Job.model_validate_json(job))
    with os.fdopen(told, "wb") as answer:
        answer.write(handed.model_dump_json().encode())
    if handed.stopped is not None and handed.stopped.kind == "interrupt":
        leave(0)


def _heed_the_end() -> None:
    """Wait for the end of stdin; not with its buffer, whose lock a thread must not hold when Python ends."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
