"""`emoharbor show`: one episode of a run, or the list of them."""

from pathlib import Path
from typing import Annotated

import typer


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
    from emoharbor.eval.api import load_run
    from emoharbor.eval.cli.keys import whole_key
    from emoharbor.eval.cli.page import show_page
    from emoharbor.eval.cli.people import person_of
    from emoharbor.eval.cli.screen import put_json, put_model, show, tell
    from emoharbor.eval.reports.episodes import episodes_table, line_of_episode

    opened = load_run(run)
    if episode is None:
        records = list(opened.episodes())
        if as_json:
            put_json([line_of_episode(record) for record in records])
        else:
            show(episodes_table(records))
        return
    record = opened.episode(whole_key(opened, episode))
    if as_json:
        put_model(record)
    else:
        show_page(record, person_of(record.profile, opened.manifest.config.profiles))
        tell(f"Node by node: emoharbor trace show {run} {record.episode} --patches")
