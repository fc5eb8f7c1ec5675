"""`emoharbor merge`: the shards of a run as one run."""

from pathlib import Path
from typing import Annotated

import typer


def merge(
    shards: Annotated[list[Path], typer.Argument(metavar="SHARD...", help="The shards' folders, in any order.")],
    *,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="RUN", help="The folder of the whole run.")],
) -> None:
    """Join the shards of a run (`run --shard i/n`) into one run.

    The shards stay as they are.
    """
    from emoharbor.eval.cli.screen import tell
    from emoharbor.eval.scale.merge import merge as join

    done = join(shards, out, lambda number, of: tell(f"shard {number}/{of} copied"))
    tell(
        f"{out} holds {done.finished} finished episodes of {done.planned}"
        + ("" if done.copied else "; these shards were merged before, nothing was left to do")
    )
    if done.finished < done.planned:
        tell(f"The rest can be run there: emoharbor run CONFIG -o {out} --resume")
    else:
        tell(f"See how they did: emoharbor leaderboard {out}")
