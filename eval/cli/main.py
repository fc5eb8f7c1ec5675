"""The entry point: registers the commands, and turns every expected error into one line and an exit code."""

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from emoharbor.eval.cli import (
    ablate,
    agree,
    audit,
    chat,
    check,
    compare,
    datasets,
    demo,
    diff,
    endpoint,
    export,
    graph,
    init,
    judge,
    leaderboard,
    merge,
    nodes,
    profiles,
    rate,
    reliability,
    replay,
    report,
    run,
    schema,
    show,
    trace,
    trial,
    view,
)
from emoharbor.eval.cli.codes import Code
from emoharbor.eval.cli.screen import open_streams, tell
from emoharbor.state.errors import BudgetReached, EmoHarborError, UserError


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(version("emoharbor"))
        raise typer.Exit


def build_app() -> typer.Typer:
    """Return the command line."""
    app = typer.Typer(
        name="emoharbor",
        help="Measures whether an AI gives personal emotional support: it plays a person, talks with the AI, and rates "
        "the talk as that person. Start with: emoharbor demo",
        epilog="Exit codes: 0 done; 1 finished, but something could not be scored; 2 a mistake of yours, explained in "
        "one line; 3 budget reached; 130 interrupted, with everything finished saved.",
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # rich help costs 0.2 s of the 0.4 that --help may take
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    app.command("demo")(demo.demo)
    app.command("try")(trial.trial)
    app.command("init")(init.init)
    app.command("check")(check.check)
    app.command("run")(run.run)
    app.command("merge")(merge.merge)
    app.command("judge")(judge.judge)
    app.command("leaderboard")(leaderboard.leaderboard)
    app.command("compare")(compare.compare)
    app.command("reliability")(reliability.reliability)
    app.command("show")(show.show_episode)
    app.command("chat")(chat.chat)
    app.command("view")(view.view)
    app.command("replay")(replay.replay)
    app.command("agree")(agree.agree)
    app.command("audit")(audit.audit)
    app.add_typer(rate.app, name="rate")
    app.command("ablate")(ablate.ablate)
    app.add_typer(trace.app, name="trace")
    app.command("diff")(diff.diff)
    app.command("report")(report.report)
    app.command("export")(export.export)
    app.command("graph")(graph.graph)
    app.command("nodes")(nodes.nodes)
    app.add_typer(profiles.app, name="profiles")
    app.add_typer(datasets.app, name="datasets")
    app.command("endpoint")(endpoint.endpoint)
    app.command("schema")(schema.schema)
    return app


def main() -> None:
    """Run the command line and exit."""
    code = call(sys.argv[1:])
    if code == Code.INTERRUPTED:
        from emoharbor.eval.runs.signals import leave

        leave(code)
    sys.exit(code)


def call(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code. A bug passes through, with its traceback."""
    open_streams()
    _see_current_folder()
    try:
        code = build_app()(list(arguments) or ["--help"], prog_name="emoharbor", standalone_mode=False)
        sys.stdout.flush()
        return int(code or 0)
    except (BrokenPipeError, SystemExit):  # typer itself exits when a pipe breaks, and only then
        return _reader_left()
    except (KeyboardInterrupt, typer.Abort):
        tell("stopped")
        return Code.INTERRUPTED
    except typer.TyperException as error:
        return _say(f"{error.format_message().rstrip('.')}; see --help", Code.USER_MISTAKE)
    except EmoHarborError as error:
        return _say(str(error), _code_of(error))


def _code_of(error: EmoHarborError) -> Code:
    if isinstance(error, UserError):
        return Code.USER_MISTAKE
    return Code.BUDGET if isinstance(error, BudgetReached) else Code.NOT_ALL_SCORED


def _say(message: str, code: Code) -> int:
    """Say what is wrong in one line."""
    tell(f"error: {' '.join(message.split())}")
    return code


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Take the options that stand before a command."""


def _see_current_folder() -> None:
    """Let `package.module:object` name a file of the folder the command is given in, as `python -m` would."""
    if "" not in sys.path and (here := os.getcwd()) not in sys.path:
        sys.path.insert(0, here)


def _reader_left() -> int:
    """Whoever read our output stopped reading (`| head`): end quietly, also when Python flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return Code.DONE
