"""`emoharbor profiles`: who there is."""

from typing import Annotated

import typer

app = typer.Typer(help="Look at the people: list, show.", rich_markup_mode=None)


@app.command("list")
def list_people(
    source: Annotated[
        str, typer.Argument(help="A set (core, all), ids set apart by commas, a file or a folder.")
    ] = "all",
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """List the people, one a line."""
    from emoharbor.eval.cli.people import split
    from emoharbor.eval.cli.screen import put_json, show
    from emoharbor.eval.reports.people import brief_of, people_table
    from emoharbor.profiles.loader import load_people

    people = list(load_people(split(source)).values())
    if as_json:
        put_json([brief_of(person) for person in people])
    else:
        show(people_table(people))


@app.command("show")
def show_person(
    profile: Annotated[str, typer.Argument(help="Id of the person, or a file.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Show everything about one person, also what they hold back."""
    from emoharbor.eval.cli.people import one_person
    from emoharbor.eval.cli.screen import put_model, show
    from emoharbor.eval.reports.people import whole_person

    person = one_person(profile)
    if as_json:
        put_model(person)
    else:
        show(whole_person(person))
