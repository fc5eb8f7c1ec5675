"""`emoharbor profiles`: who there is, whether they are sound, and people from other sources."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="Look at the people, check them, bring in others: list, show, lint, stats, schema, import.",
    rich_markup_mode=None,
)
_SOURCE = "A set (core, all), ids set apart by commas, a file or a folder."


@app.command("list")
def list_people(
    source: Annotated[str, typer.Argument(help=_SOURCE)] = "all",
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
    from emoharbor.eval.cli.people import one_person_or_part
    from emoharbor.eval.cli.screen import put_model, show
    from emoharbor.eval.reports.people import whole_person

    person = one_person_or_part(profile)
    if as_json:
        put_model(person)
    else:
        show(whole_person(person))


@app.command("lint")
def lint_people(
    source: Annotated[str, typer.Argument(help=_SOURCE)] = "all",
    *,
    silenced: Annotated[bool, typer.Option("--silenced", help="Show silenced findings too, with reasons.")] = False,
    rules: Annotated[bool, typer.Option("--rules", help="List the rules and what they ask for.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> int:
    """Check people for contradictions, leaks, near-duplicates and gaps; exit code 1 when something is found."""
    from dataclasses import asdict

    from emoharbor.eval.cli.people import split
    from emoharbor.eval.cli.screen import put_json, put_text, tell
    from emoharbor.eval.reports.words import counted
    from emoharbor.profiles.lint.lint import lint
    from emoharbor.profiles.lint.lint import rules as all_rules
    from emoharbor.profiles.loader import profile_files
    from emoharbor.state.errors import ProfileError

    if rules:
        put_text("\n".join(f"{name}: {about}" for name, about in all_rules().items()))
        return 0
    files = [file for name in split(source) for file in profile_files(name)]
    if not files:
        raise ProfileError(f"{source!r} holds no people: no file in it ends in .yaml")
    found = lint(files)
    still = [finding for finding in found if not finding.reason]
    if as_json:
        put_json([asdict(finding) for finding in found])
    else:
        if shown := found if silenced else still:
            put_text("\n".join(str(finding) for finding in shown))
        tell(
            f"{counted(len(files), 'person', 'people')}, {counted(len(still), 'finding')}, {len(found) - len(still)} "
            "silenced with a reason"
        )
        if still:
            tell("to silence one, write into the person's file: lint: [{rule: THE-RULE, reason: why it is right here}]")
    return 1 if still else 0


@app.command("stats")
def stats(
    source: Annotated[str, typer.Argument(help=_SOURCE)] = "all",
    *,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Also draw the set as a figure.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Show a set at a glance: counts, spreads, correlations, and the pairs that read most alike."""
    from emoharbor.eval.cli.files import write_new
    from emoharbor.eval.cli.people import split
    from emoharbor.eval.cli.screen import put_json, show, tell
    from emoharbor.eval.reports.people_figure import people_figure
    from emoharbor.eval.reports.people_stats import people_overview, people_stats
    from emoharbor.profiles.loader import load_people

    found = people_stats(list(load_people(split(source)).values()))
    if as_json:
        put_json(found)
    else:
        show(people_overview(found))
    if svg is not None:
        write_new(svg, people_figure(found), replace=True)
        tell(f"wrote {svg}")


@app.command("schema")
def schema() -> None:
    """Print the JSON schema of a person's file, for editors."""
    from emoharbor.eval.cli.screen import put_text
    from emoharbor.profiles.published import schema_text

    put_text(schema_text())


@app.command("import")
def import_file(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to read.")],
    form: Annotated[
        str, typer.Option("--format", help="What it is: sage, esc-eval, esc-judge, esconv, csv, jsonl, yaml.")
    ],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FOLDER", help="Where the people go, a YAML file each.")],
    *,
    mapping: Annotated[
        Path | None, typer.Option(metavar="FILE", help="csv: YAML with the column of each field, as `age: Alter`.")
    ] = None,
    draft_with: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Let a model fill what the source lacks, for you to mend.")
    ] = None,
    base_url: Annotated[str | None, typer.Option(help="Address of the model's endpoint, up to /v1.")] = None,
    api_key_env: Annotated[
        str | None, typer.Option(help="Variable that holds its key; OPENAI_API_KEY without --base-url.")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Write over people that are there already.")] = False,
) -> int:
    """Bring in people from another source. What it lacks stays missing; bad rows are named, good ones kept."""
    from emoharbor.eval.cli.bring import bring, drafts, read_mapping
    from emoharbor.eval.cli.screen import tell
    from emoharbor.eval.reports.words import counted
    from emoharbor.profiles.importers.table import import_people
    from emoharbor.profiles.schema import Profile

    found = import_people(file, form, read_mapping(mapping))
    for row in found.refused:
        tell(f"{file}:{row.line}: left out: {row.reason}")
    people = found.people
    if draft_with is not None:
        people = drafts(people, draft_with, base_url, api_key_env)
    bring(people, out, replace=replace)
    tell(f"{counted(len(people), 'person', 'people')} written to {out}, {counted(len(found.refused), 'row')} left out")
    if draft_with is None and not all(isinstance(person, Profile) for person in people):
        tell(f"the source lacks parts of them, and a run needs whole people; see: emoharbor profiles lint {out}")
    whole = draft_with is None or all(isinstance(person, Profile) for person in people)
    return 0 if people and whole and not found.refused else 1
