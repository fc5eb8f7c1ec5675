"""`emoharbor run`: every episode of a config."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from emoharbor.eval.cli.codes import Code

if TYPE_CHECKING:
    from emoharbor.eval.cli.watch import Watch
    from emoharbor.eval.run import Run


def run(
    config: Annotated[Path, typer.Argument(help="The run config (YAML); `emoharbor init` writes one.")],
    *,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FOLDER", help="The run folder; default runs/NAME.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was broken off.")] = False,
    amend: Annotated[
        bool,
        typer.Option("--amend", help="With --resume: add the people, supporters or repeats the config has more of."),
    ] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many episodes.")] = None,
    profiles: Annotated[str | None, typer.Option(help="Only these people: ids set apart by commas.")] = None,
    supporters: Annotated[str | None, typer.Option(help="Only these supporters, set apart by commas.")] = None,
    shard: Annotated[
        str | None, typer.Option(metavar="I/N", help="Only part I of N, in a folder of its own; see `emoharbor merge`.")
    ] = None,
    engine: Annotated[
        Literal["local", "ray"],
        typer.Option(help="local: this process; ray: shards as tasks on a Ray cluster, merged."),
    ] = "local",
    shards: Annotated[int | None, typer.Option(min=1, help="With --engine ray: how many; default one a CPU.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the leaderboard as JSON.")] = False,
) -> int:
    """Run every episode of a config into a folder.

    It can be stopped at any time (Ctrl-C) and resumed.
    """
    from emoharbor.eval.api import evaluate_sync
    from emoharbor.eval.cli.people import split
    from emoharbor.eval.cli.screen import tell
    from emoharbor.eval.cli.watch import Watch
    from emoharbor.eval.config import load_config
    from emoharbor.eval.runs.plan import Selection
    from emoharbor.eval.runs.shard import Shard

    loaded = load_config(config)
    part = Shard.parse(shard) if shard else None
    folder = out or Path("runs") / (f"{loaded.run.name}-{part.number}of{part.of}" if part else loaded.run.name)
    only = Selection(
        profiles=tuple(split(profiles or "")), supporters=tuple(split(supporters or "")), shard=part, limit=limit
    )
    go_on = f"emoharbor run {config} -o {folder} --resume{' --engine ray' if engine == 'ray' else ''}"
    finished: Run | None
    try:
        with Watch() as watch:
            if engine == "ray":
                from emoharbor.eval.scale.ray_engine import evaluate_on_ray

                _not_with_ray(amend=amend)
                ended = evaluate_on_ray(loaded, folder, shards=shards, resume=resume, on_progress=watch, only=only)
                finished, stopped = ended.run, ended.stopped
            else:
                _only_with_ray(shards)
                _only_with_resume(amend=amend, resume=resume)
                finished = evaluate_sync(
                    loaded, folder, resume=resume, amend=amend, on_progress=watch, only=only, heed_signals=True
                )
                stopped = finished.stopped
    except KeyboardInterrupt:
        tell(f"stopped; what is finished is saved. Go on with: {go_on}")
        return Code.INTERRUPTED
    if watch.last is not None and not watch.last.planned:
        tell("nothing was left to do")
    if stopped is not None and stopped.kind == "interrupt":
        _sum_up(finished, watch)
        tell(f"stopped; what is finished is saved. Go on with: {go_on}")
        return Code.INTERRUPTED
    if finished is not None:
        _show(finished, folder, as_json=as_json)
    _sum_up(finished, watch)
    if stopped is not None:
        first = "Raise the limit in the config, then go on with" if stopped.kind == "budget" else "Go on with"
        tell(f"stopped: {stopped}. What is finished is saved. {first}: {go_on}")
        return Code.BUDGET if stopped.kind == "budget" else Code.USER_MISTAKE
    failures = watch.last.failures if watch.last else {}
    missing = sum(count for kind, count in failures.items() if not kind.startswith("supporter_"))
    if missing:
        tell(f"{missing} episode{'s' if missing > 1 else ''} could not be scored; see: emoharbor show {folder}")
        return Code.NOT_ALL_SCORED
    return Code.DONE


def _only_with_resume(*, amend: bool, resume: bool) -> None:
    from emoharbor.state.errors import ConfigError

    if amend and not resume:
        raise ConfigError("--amend: adds to a run that exists, so say --resume --amend")


def _sum_up(finished: "Run | None", watch: "Watch") -> None:
    """Say what the run came to."""
    from emoharbor.eval.cli.screen import tell
    from emoharbor.eval.reports.progress import summary_lines

    if finished is None or watch.last is None or not watch.last.planned:
        return
    for line in summary_lines(watch.last, finished.results()):
        tell(line)


def _not_with_ray(*, amend: bool) -> None:
    from emoharbor.state.errors import ConfigError

    if amend:
        raise ConfigError("--amend: does not go with --engine ray; amend the merged run without it")


def _only_with_ray(shards: int | None) -> None:
    from emoharbor.state.errors import ConfigError

    if shards is not None:
        raise ConfigError("--shards: goes with --engine ray only; for one part of a run write --shard i/n")


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
