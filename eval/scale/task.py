"""What a worker is told, does and hands back: one shard, run as `run --shard i/n` would."""

from pathlib import Path
from typing import Any

from pydantic import Field

from emoharbor.eval.config import make_config
from emoharbor.eval.runs.plan import Selection
from emoharbor.eval.runs.shard import Shard
from emoharbor.eval.runs.stop import Stopped
from emoharbor.eval.store.folder import DATABASE, MANIFEST
from emoharbor.state.base import Frozen
from emoharbor.state.errors import EmoHarborError

TOKEN = ".shared"  # noqa: S105 - a file by which workers see that they have the driver's disk


class Job(Frozen):
    """What a worker is told."""

    config: dict[str, Any]
    folder: str
    shard: Shard
    only: Selection
    """What of the run is asked for, by profiles or supporters."""
    token: str
    """What the file `.shared` beside the folder holds, on the driver's disk."""
    one_machine: bool = False
    """The shards are processes of one machine that do nothing else: they keep the limits of what is in flight together,
    and stop gracefully at SIGINT and SIGTERM."""


class Handed(Frozen):
    """What a worker hands back."""

    files: dict[str, bytes] = Field(default_factory=dict)
    """Its run folder, name by name; empty when the driver sees it on a shared disk."""
    stopped: Stopped | None = None
    """Why it ended early."""
    error: str = ""
    """A mistake of the user's, in one line."""


def run_shard(job: Job) -> Handed:
    """Run one shard, or go on with what is left of it. It does not know who asks."""
    from emoharbor.eval.api import evaluate_sync  # noqa: PLC0415 - who hands out the jobs plays nothing

    folder = Path(job.folder)
    try:
        run = evaluate_sync(
            make_config(job.config), folder, resume=(folder / MANIFEST).is_file(),
            only=job.only.model_copy(update={"shard": job.shard}),
            together=job.one_machine, heed_signals=job.one_machine,
        )  # fmt: skip
    except EmoHarborError as error:
        return Handed(error=str(error))
    token = folder.parent / TOKEN
    shared = token.is_file() and token.read_text(encoding="utf-8") == job.token
    names = () if shared else (MANIFEST, DATABASE)
    return Handed(files={name: (folder / name).read_bytes() for name in names}, stopped=run.stopped)
