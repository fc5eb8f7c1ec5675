"""`emoharbor trace`: what each node and each model call of an episode was given and gave back."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

if TYPE_CHECKING:
    from emoharbor.eval.record import EpisodeKey
    from emoharbor.eval.reports.trace import Wanted
    from emoharbor.eval.run import Run

app = typer.Typer(help="Look into an episode, node by node: show, push.", rich_markup_mode=None)
_POLL_S = 0.5


@app.command("show")
def show_trace(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run folder.")],
    episode: Annotated[
        str, typer.Argument(metavar="EPISODE", help="As P010/attuned/0, or a beginning that fits one only.")
    ],
    *,
    node: Annotated[str | None, typer.Option(help="Only this node: feel, think, speak, supporter, judge.")] = None,
    turn: Annotated[int | None, typer.Option(min=0, help="Only this turn.")] = None,
    faults: Annotated[bool, typer.Option("--faults", help="Only nodes at which something went wrong.")] = False,
    prompts: Annotated[bool, typer.Option("--prompts", help="With what models were sent and what they said.")] = False,
    patches: Annotated[bool, typer.Option("--patches", help="With what changed in the inner world.")] = False,
    follow: Annotated[bool, typer.Option("--follow", help="Go on showing turns until the episode ends.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the runs as JSON.")] = False,
) -> None:
    """Show the tree of nodes and model calls of an episode.

    It works while a run goes on, and after it was killed: up to the last finished turn.
    """
    from emoharbor.eval.cli.keys import whole_key
    from emoharbor.eval.cli.screen import put_json, show
    from emoharbor.eval.reports.trace import Wanted, run_data, trace_page
    from emoharbor.eval.run import load_run
    from emoharbor.state.errors import ConfigError

    opened = load_run(run)
    key = whole_key(opened, episode)
    wanted = Wanted(_node(node), turn, faults, prompts, patches)
    if follow and as_json:
        raise ConfigError(
            "--follow: prints the tree as it grows; leave out --json, or ask for it when the episode ended"
        )
    if follow:
        _follow(opened, key, wanted)
        return
    trace = opened.trace(key)
    if as_json:
        seats = [seat for seat in trace.seats() if wanted.takes(seat, trace)]
        put_json([run_data(item) for seat in seats for item in (seat, *trace.below(seat))])
    else:
        show(trace_page(str(key), trace, wanted))


@app.command("push")
def push_traces(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run folder.")],
    *,
    project: Annotated[
        str | None, typer.Option(help="LangSmith project; default: LANGSMITH_PROJECT, else the run's name and id.")
    ] = None,
    episodes: Annotated[str | None, typer.Option(help="Only these episodes, set apart by commas.")] = None,
) -> None:
    """Send the recorded traces of a run to LangSmith, with ratings as feedback.

    Needs LANGSMITH_API_KEY. Sending again changes nothing.
    """
    from emoharbor.eval.cli.keys import whole_key
    from emoharbor.eval.cli.people import split
    from emoharbor.eval.cli.screen import tell
    from emoharbor.eval.reports.words import counted
    from emoharbor.eval.run import load_run
    from emoharbor.eval.traces.push import push

    opened = load_run(run)
    keys = [whole_key(opened, name) for name in split(episodes or "")] or None
    done = push(opened, project=project, keys=keys)
    tell(
        f"sent {counted(done.traces, 'trace')} with {counted(done.runs, 'run')} and "
        f"{counted(done.feedback, 'rating')} to project {done.project!r}"
    )


def _node(name: str | None) -> str | None:
    """Check the name of a node."""
    from emoharbor.state.base import Role
    from emoharbor.state.errors import ConfigError

    if name is not None and name not in get_args(Role):
        raise ConfigError(f"--node {name}: no such node; there are {', '.join(get_args(Role))}")
    return name


def _follow(opened: "Run", key: "EpisodeKey", wanted: "Wanted") -> None:
    """Print each node once it is saved, until the episode has ended, or nobody is writing the run any more."""
    import time

    from rich.text import Text
    from rich.tree import Tree

    from emoharbor.eval.cli.screen import show, tell
    from emoharbor.eval.reports.trace import add_run
    from emoharbor.eval.run import load_run
    from emoharbor.eval.store.folder import is_written
    from emoharbor.state.errors import RunFolderError

    shown: set[str] = set()
    turn: int | None = None
    while True:
        going_on = is_written(opened.folder)  # asked first: what is saved after that is seen in this round
        try:
            ended = opened.episode(key).outcome is not None
            trace = opened.trace(key)
        except RunFolderError:  # it has not begun
            if not going_on:
                tell(f"{key}: has not begun, and no run is writing into {opened.folder}")
                return
            time.sleep(_POLL_S)
            opened = load_run(opened.folder)  # which may have had no database before
            continue
        for seat in trace.seats():
            if seat.id in shown or not wanted.takes(seat, trace):
                continue
            shown.add(seat.id)
            if seat.turn != turn:
                turn = seat.turn
                show(Text(f"turn {turn}", "bold cyan"))
            tree = Tree("", hide_root=True, guide_style="dim")
            add_run(tree, seat, trace, wanted)
            show(tree)
        if ended:
            return
        if not going_on:
            tell(f"{key}: was broken off after its last finished turn; no run is writing into {opened.folder}")
            return
        time.sleep(_POLL_S)
