"""`emoharbor run`: every episode of a config."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from emoharbor.eval.cli.codes import Code
from emoharbor.eval.cli.fork import Fork
from emoharbor.eval.cli.fork import fork as play_fork
from emoharbor.eval.cli.job import EngineName, Job
from emoharbor.eval.cli.located import located

if TYPE_CHECKING:
    from emoharbor.eval.cli.watch import Watch
    from emoharbor.eval.run import Run
    from emoharbor.eval.runs.plan import Selection
    from emoharbor.eval.runs.shard import Shard


def run(
    config: Annotated[
        Path, typer.Argument(help="The run config (YAML; `emoharbor init` writes one), or a run folder to go on with.")
    ],
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
        EngineName,
        typer.Option(
            help="local: this process; processes: shards in processes of this machine, merged; ray: shards as tasks "
            "on a Ray cluster, merged."
        ),
    ] = "local",
    shards: Annotated[
        int | None, typer.Option(min=1, help="With --engine processes or ray: how many; default one a core.")
    ] = None,
    fork: Annotated[
        str | None,
        typer.Option(metavar="EPISODE", help="Of a run folder: play this episode on from --turn, with a change."),
    ] = None,
    turn: Annotated[int | None, typer.Option(min=0, help="With --fork: the first turn to be played anew.")] = None,
    supporter: Annotated[
        str | None,
        typer.Option(
            metavar="OTHER",
            help="With --fork: who answers from there on: one of the run's supporters, a rule-based one (attuned, "
            "generic, advice, silent), package.module:object, or human: you.",
        ),
    ] = None,
    edit: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="FIELD=VALUE",
            help="With --fork: change the inner world first: trust=6, "
            "emotions=hope:5, needs.n1=met, or a JSON file; may be repeated.",
        ),
    ] = None,
    source: Annotated[
        Path | None, typer.Option("--from", metavar="CONFIG", help="With --fork: the config that OTHER is taken from.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="With --fork: name of the branch.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the leaderboard as JSON.")] = False,
) -> int:
    """Run every episode of a config into a folder.

    It can be stopped at any time (Ctrl-C) and resumed. With --fork, play one episode of a run on from a turn with
    another supporter or another inner world: `emoharbor run RUN --fork P010/attuned --turn 4 --supporter generic`. The
    branch is a run folder in RUN/branches, and counts in no figure of RUN.
    """
    changes = {"--turn": turn, "--supporter": supporter, "--set": edit, "--from": source, "--name": name}
    if fork is not None:
        _not_with_fork({"-o": out, "--resume": resume, "--amend": amend, "--shard": shard, "--limit": limit}, turn)
        return play_fork(config, Fork(fork, turn or 0, supporter, list(edit or ()), source, name), as_json=as_json)
    _only_with_fork(changes)
    job = Job.of(config, out, shard, resume=resume, amend=amend, engine=engine, shards=shards)
    with located(config):
        return _carried_out(job, _selection(profiles, supporters, job.part, limit), as_json=as_json)


def _carried_out(job: Job, only: "Selection", *, as_json: bool) -> int:
    """Run it, say what came of it, and return the exit code."""
    from emoharbor.eval.cli.screen import tell
    from emoharbor.eval.cli.unscored import tell_unscored
    from emoharbor.eval.cli.watch import Watch

    try:
        with Watch() as watch:
            finished, stopped = job.run(watch, only)
    except KeyboardInterrupt:
        tell(f"stopped; what is finished is saved. Go on with: {job.go_on}")
        return Code.INTERRUPTED
    if watch.last is not None and not watch.last.planned:
        tell("nothing was left to do")
    if stopped is not None and stopped.kind == "interrupt":
        _sum_up(finished, watch)
        tell(f"stopped; what is finished is saved. Go on with: {job.go_on}")
        return Code.INTERRUPTED
    if finished is not None:
        _show(finished, job.folder, as_json=as_json)
    _sum_up(finished, watch)
    if stopped is not None:
        first = "Raise the limit in the config, then go on with" if stopped.kind == "budget" else "Go on with"
        tell(f"stopped: {stopped}. What is finished is saved. {first}: {job.go_on}")
        return Code.BUDGET if stopped.kind == "budget" else Code.USER_MISTAKE
    if finished is not None and tell_unscored(finished, job.folder):
        return Code.NOT_ALL_SCORED
    return Code.DONE


def _selection(profiles: str | None, supporters: str | None, part: "Shard | None", limit: int | None) -> "Selection":
    from emoharbor.eval.cli.people import split
    from emoharbor.eval.runs.plan import Selection

    return Selection(
        profiles=tuple(split(profiles or "")), supporters=tuple(split(supporters or "")), shard=part, limit=limit
    )


def _not_with_fork(rest: Mapping[str, object], turn: int | None) -> None:
    from emoharbor.state.errors import ConfigError

    if turn is None:
        raise ConfigError("--fork: say from which turn on, such as --turn 4")
    given = [name for name, value in rest.items() if value]
    if given:
        raise ConfigError(f"{given[0]}: does not go with --fork, which plays one episode into a folder of its own")


def _only_with_fork(changes: Mapping[str, object]) -> None:
    from emoharbor.state.errors import ConfigError

    given = [name for name, value in changes.items() if value is not None]
    if given:
        raise ConfigError(
            f"{given[0]}: goes with --fork only: emoharbor run RUN --fork EPISODE --turn 4 {given[0]} ..."
        )


def _sum_up(finished: "Run | None", watch: "Watch") -> None:
    """Say what the run came to."""
    from emoharbor.eval.cli.screen import tell
    from emoharbor.eval.reports.progress import summary_lines

    if finished is None or watch.last is None or not watch.last.planned:
        return
    for line in summary_lines(watch.last, finished.results()):
        tell(line)


def _show(finished: "Run", folder: Path, *, as_json: bool) -> None:
    from emoharbor.eval.cli.screen import put_model, screen, tell
    from emoharbor.eval.reports.glyphs import glyphs_for
    from emoharbor.eval.reports.leaderboard import short_table

    board = finished.leaderboard(validity=True)
    if as_json:
        put_model(board)
        return
    console = screen()
    console.print(short_table(board, glyphs_for(console)))
    best = board.supporters[0].name if board.supporters else ""
    example = next((str(record.episode) for record in finished.episodes() if record.supporter == best), "")
    tell(f"The run is in {folder}. All figures: emoharbor leaderboard {folder}")
    tell(f"One episode: emoharbor show {folder} {example}")
