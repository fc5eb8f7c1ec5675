"""`emoharbor datasets`: the people for LangSmith's experiments."""

from typing import Annotated

import typer

app = typer.Typer(help="Make the people a LangSmith dataset: push.", rich_markup_mode=None)


@app.callback()
def _group() -> None:
    """Keep `push` a command of its own: typer would else make the group the command."""


@app.command("push")
def push_dataset(
    source: Annotated[
        str, typer.Argument(help="A set (core, all), ids set apart by commas, a file or a folder.")
    ] = "core",
    name: Annotated[str | None, typer.Option(help="The dataset's name; default emoharbor-SOURCE.")] = None,
) -> None:
    """Make a LangSmith dataset of people, or bring it up to date.

    Each example's input is `{"profile_id": ...}`, which starts the episode graph; see examples/langsmith_eval.py. Needs
    LANGSMITH_API_KEY.
    """
    from emoharbor.eval.cli.people import split
    from emoharbor.eval.cli.screen import tell
    from emoharbor.eval.reports.people import brief_of
    from emoharbor.eval.traces.datasets import push_people
    from emoharbor.profiles.loader import load_people

    people = load_people(split(source))
    done = push_people({who: brief_of(person) for who, person in people.items()}, name or f"emoharbor-{source}")
    kept = len(people) - done.new - done.changed
    tell(f"dataset {done.dataset!r}: {done.new} new people, {done.changed} changed, {kept} as they were")
