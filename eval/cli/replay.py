"""`emoharbor replay`: recorded dialogues of real people through the same graph."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from emoharbor.eval.cli.codes import Code

if TYPE_CHECKING:
    from emoharbor.eval.cli.watch import Watch
    from emoharbor.eval.run import Run


def replay(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="The dialogues. Several files: each labels its own by its name."),
    ],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="RUN", help="The run folder.")],
    *,
    form: Annotated[
        Literal["esconv", "jsonl", "sage"],
        typer.Option("--format", help="esconv: a JSON array; jsonl: our own, see docs/replay.md; sage: SAGE's logs."),
    ] = "jsonl",
    config: Annotated[
        Path | None,
        typer.Option(metavar="CAST", help="A config with cast, models, run.seed, limits. Default: the offline cast."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a replay that was broken off.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many dialogues.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures of agreement as JSON.")] = False,
) -> int:
    """Replay recorded dialogues of real people.

    What was said stays as it is; feel and think live through it, and the judge rates at the end. The result is an
    ordinary run folder. Then: emoharbor agree RUN.
    """
    import asyncio
    import shlex
    from contextlib import nullcontext

    from emoharbor.eval.cli.located import located
    from emoharbor.eval.cli.screen import tell
    from emoharbor.eval.cli.watch import Watch
    from emoharbor.eval.replay.formats import read_replay
    from emoharbor.eval.replay.play import play_replay, read_cast
    from emoharbor.eval.reports.words import counted
    from emoharbor.eval.runs.plan import Selection
    from emoharbor.eval.runs.start import Options

    if form == "sage":
        return _sage(files, out, {"--config": config, "--resume": resume, "--limit": limit, "--json": as_json})
    found, refused = read_replay(files, form)
    for line in refused:
        tell(line)
    more = [*(["--config", str(config)] if config else []), *(["--limit", str(limit)] if limit else [])]
    go_on = shlex.join(["emoharbor", "replay", *map(str, files), "--format", form, "-o", str(out), "--resume", *more])
    try:
        with located(config) if config else nullcontext(), Watch() as watch:
            how = Options(resume=resume, on_progress=watch, only=Selection(limit=limit), heed_signals=True)
            finished = asyncio.run(play_replay(found, read_cast(config), out, how))
    except KeyboardInterrupt:
        tell(f"stopped; what is finished is saved. Go on with: {go_on}")
        return Code.INTERRUPTED
    if finished.stopped is not None:
        tell(f"stopped: {finished.stopped}. What is finished is saved. Go on with: {go_on}")
        codes = {"interrupt": Code.INTERRUPTED, "budget": Code.BUDGET, "endpoint": Code.USER_MISTAKE}
        return codes[finished.stopped.kind]
    code = _ended(finished, watch, out, as_json=as_json)
    if refused:
        planned = len(refused) + len(found.recording.dialogues)
        tell(f"{counted(len(refused), 'dialogue')} of {planned} left out, see above")
        return Code.NOT_ALL_SCORED
    return code


def _ended(finished: "Run", watch: "Watch", out: Path, *, as_json: bool) -> int:
    from emoharbor.eval.cli.screen import put_model, tell
    from emoharbor.eval.cli.unscored import tell_unscored
    from emoharbor.eval.reports.progress import summary_lines

    if as_json:
        from emoharbor.eval.cli.agree import figures

        put_model(figures(finished, None, seed=0))
    if watch.last is not None and watch.last.planned:
        for line in summary_lines(watch.last, finished.results()):
            tell(line)
    else:
        tell("nothing was left to do")
    tell(f"The run is in {out}. Compare with the people: emoharbor agree {out}")
    return Code.NOT_ALL_SCORED if tell_unscored(finished, out, "dialogue") else Code.DONE


def _sage(files: list[Path], out: Path, more: Mapping[str, object]) -> int:
    import asyncio

    from emoharbor.eval.cli.screen import tell
    from emoharbor.eval.replay.sage import import_sage
    from emoharbor.state.errors import ConfigError

    for name, given in more.items():
        if given:
            raise ConfigError(f"{name}: SAGE's logs hold the simulated user's own states, so nothing is played")
    tell(f"The run is in {asyncio.run(import_sage(files, out)).folder}.")
    return Code.DONE
