"""`emoharbor show`: one episode of a run, or the list of them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
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
    from emoharbor.eval.api import load_run
    from emoharbor.eval.cli.page import show_page
    from emoharbor.eval.cli.people import person_of
    from emoharbor.eval.cli.screen import put_json, put_model, show
    from emoharbor.eval.reports.episodes import episodes_table, line_of_episode

    opened = load_run(run)
    if episode is None:
        records = list(opened.episodes())
        if as_json:
            put_json([line_of_episode(record) for record in records])
        else:
            show(episodes_table(records))
        return
    record = opened.episode(_whole_key(opened, episode))
    if as_json:
        put_model(record)
    else:
        show_page(record, person_of(record.profile, opened.manifest.config.profiles))


def _whole_key(run: "Run", wanted: str) -> str:
    """Complete a beginning that fits one episode only.

    Raises:
        ConfigError: when it fits several.
    """
    from emoharbor.state.errors import ConfigError

    keys = [str(key) for key in run.planned()]
    if wanted in keys:
        return wanted
    found = [key for key in keys if key.startswith(wanted)]
    if len(found) > 1:
        more = f" and {len(found) - 4} more" if len(found) > 4 else ""
        raise ConfigError(
            f"{wanted!r} fits {len(found)} episodes: {', '.join(found[:4])}{more}; write more of the name"
        )
    return found[0] if found else wanted
