"""`emoharbor show`: one episode of a run, or the list of them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from emoharbor.eval.record import EpisodeRecord
    from emoharbor.eval.run import Run


def show_episode(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run folder.")],
    episode: Annotated[
        str | None,
        typer.Argument(
            metavar="EPISODE", help="As P010/attuned/0, or a beginning that fits one only. None lists them."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Read an episode: dialogue, inner world, verdict.

    Without EPISODE, list the episodes of the run.
    """
    from emoharbor.eval.cli.keys import whole_key
    from emoharbor.eval.cli.page import show_page
    from emoharbor.eval.cli.screen import put_json, show, tell
    from emoharbor.eval.reports.episodes import episodes_table, line_of_episode
    from emoharbor.eval.run import load_run
    from emoharbor.eval.runs.people import people_of

    opened = load_run(run)
    if episode is None:
        records = list(opened.episodes())
        if as_json:
            put_json([line_of_episode(record) | _origin(opened) for record in records])
        else:
            _tell_origin(opened)
            show(episodes_table(records))
            _tell_branches(opened)
        return
    record = opened.episode(whole_key(opened, episode))
    if as_json:
        put_json(record.model_dump(mode="json") | _origin(opened))
    else:
        show_page(record, people_of(opened.manifest, opened.folder)[record.profile])
        _tell_origin(opened)
        _tell_branches(opened, record)
        tell(f"Node by node: emoharbor trace show {run} {record.episode} --patches")


def _origin(run: "Run") -> dict[str, Any]:
    """Return what the JSON of a branch says beside its episode's own keys."""
    from emoharbor.eval.reports.branches import branch_data

    of = run.manifest.branch_of
    return branch_data(of) if of is not None else {}


def _tell_origin(run: "Run") -> None:
    from emoharbor.eval.cli.screen import show
    from emoharbor.eval.reports.branches import branch_line

    if run.manifest.branch_of is not None:
        show(branch_line(run.manifest.branch_of))


def _tell_branches(run: "Run", record: "EpisodeRecord | None" = None) -> None:
    """Name the branches of a run, or of one of its episodes."""
    from emoharbor.eval.cli.screen import show
    from emoharbor.eval.people.branches import branches
    from emoharbor.eval.record import EpisodeKey
    from emoharbor.eval.reports.branches import branches_lines

    found = branches(run.folder, EpisodeKey.parse(record.episode) if record else None)
    if found:
        show(branches_lines(found))
