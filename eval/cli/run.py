"""`emoharbor run`: every episode of a config."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from emoharbor.eval.cli.codes import Code

if TYPE_CHECKING:
    from emoharbor.eval.run import Run


def run(
    config: Annotated[Path, typer.Argument(help="The run config (YAML); `emoharbor init` writes one.")],
    *,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FOLDER", help="The run folder; default runs/NAME.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was broken off.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many episodes.")] = None,
    profiles: Annotated[str | None, typer.Option(help="Only these people: ids set apart by commas.")] = None,
    supporters: Annotated[str | None, typer.Option(help="Only these supporters, set apart by commas.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the leaderboard as JSON.")] = False,
) -> int:
    """Run every episode of a config into a folder.

    It can be stopped at any time and resumed.
    """
    from emoharbor.eval.api import evaluate_sync
    from emoharbor.eval.cli.people import split
    from emoharbor.eval.cli.screen import tell
    from emoharbor.eval.cli.watch import Watch
    from emoharbor.eval.config import load_config
    from emoharbor.eval.runs.plan import Selection

    loaded = load_config(config)
    folder = out or Path("runs") / loaded.run.name
    only = Selection(profiles=tuple(split(profiles or "")), supporters=tuple(split(supporters or "")), limit=limit)
    try:
        with Watch() as watch:
            finished = evaluate_sync(loaded, folder, resume=resume, on_progress=watch, only=only)
    except KeyboardInterrupt:
        tell(f"stopped; what is finished is saved. Go on with: emoharbor run {config} -o {folder} --resume")
        return Code.INTERRUPTED
    if watch.last is not None and not watch.last.planned:
        tell("nothing was left to do")
    _show(finished, folder, as_json=as_json)
    if finished.stopped is not None:
        tell(f"stopped: {finished.stopped}. Go on with: emoharbor run {config} -o {folder} --resume")
        return Code.BUDGET if finished.stopped.kind == "budget" else Code.NOT_ALL_SCORED
    failures = watch.last.failures if watch.last else {}
    missing = sum(count for kind, count in failures.items() if not kind.startswith("supporter_"))
    if missing:
        tell(f"{missing} episode{'s' if missing > 1 else ''} could not be scored; see: emoharbor show {folder}")
        return Code.NOT_ALL_SCORED
    return Code.DONE


def _show(finished: "Run", folder: Path, *, as_json: bool) -> None:
    from emoharbor.eval.cli.screen import put_model, screen, tell
    from emoharbor.eval.reports.glyphs import glyphs_for
    from emoharbor.eval.reports.leaderboard import leaderboard_table

    board = finished.leaderboard()
    if as_json:
        put_model(board)
        return
    console = screen()
    console.print(leaderboard_table(board, glyphs_for(console)))
    best = board.supporters[0].name if board.supporters else ""
    example = next((str(record.episode) for record in finished.episodes() if record.supporter == best), "")
    tell(f"The run is in {folder}. Read an episode: emoharbor show {folder} {example}")
