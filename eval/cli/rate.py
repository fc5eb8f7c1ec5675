"""`emoharbor rate`: forms for people who rate by hand, and reading what they send back."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Let people rate a run by hand: blind forms out, ratings back in.", no_args_is_help=True)


@app.command("export")
def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run folder.")],
    *,
    n: Annotated[int, typer.Option(min=1, help="How many dialogues, drawn evenly over the supporters.")] = 30,
    seed: Annotated[int, typer.Option(help="Of the draw and the orders.")] = 0,
    raters: Annotated[int, typer.Option(min=1, max=100, help="How many raters; all rate the same dialogues.")] = 2,
    rubric: Annotated[str | None, typer.Option(help="What to rate; default what the run's judge rates.")] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FOLDER", help="Where the forms go; default RUN-forms.")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Write over forms that are there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was written as JSON.")] = False,
) -> None:
    """Write a blind form for each rater: one HTML file that works offline, and a table to fill in by hand.

    Supporters are hidden, the order is random. The key that says which dialogue is which stays in the run folder:
    send raters the forms only.
    """
    from emoharbor.eval.cli.screen import put_json, tell
    from emoharbor.eval.rating.export import write_forms
    from emoharbor.eval.run import load_run

    opened = load_run(run)
    folder = out or run.with_name(f"{run.resolve().name}-forms")
    made = write_forms(opened, folder, n=n, seed=seed, raters=raters, rubric=rubric, replace=replace)
    if as_json:
        put_json({"pack": made.pack.id, "dialogues": len(made.pack.items), "key": str(made.key),
                  "forms": [str(path) for path in made.files]})  # fmt: skip
        return
    for path in made.files:
        tell(f"wrote {path}")
    tell(f"The key stays here: {made.key}. Read ratings back: emoharbor rate import {run} FILE...")


@app.command("import")
def bring_back(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run folder.")],
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="What raters sent back: JSON or CSV.")],
    *,
    replace: Annotated[bool, typer.Option("--replace", help="Take these in place of a rater's earlier ones.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was taken as JSON.")] = False,
) -> None:
    """Read ratings back. A file with a mistake is named with its lines, and then nothing is taken from any file."""
    from emoharbor.eval.cli.screen import put_json, tell
    from emoharbor.eval.rating.pack import packs_of
    from emoharbor.eval.rating.read import keep_ratings, read_ratings
    from emoharbor.eval.reports.words import counted
    from emoharbor.eval.run import load_run
    from emoharbor.state.errors import ConfigError

    opened = load_run(run)
    packs = packs_of(opened.folder)
    read = [read_ratings(path, packs) for path in files]
    for line in [line for item in read for line in (*item.problems, *item.missing)]:
        tell(line)
    wrong = sum(len(item.problems) for item in read)
    if wrong:
        raise ConfigError(f"{wrong} mistake{'s' if wrong > 1 else ''} in the ratings, named above; nothing was taken")
    taken = [item.found for item in read if item.found is not None]
    twice = [item.rater for item in taken if sum((item.pack, item.rater) == (o.pack, o.rater) for o in taken) > 1]
    if twice:
        raise ConfigError(f"two files are by rater {twice[0]}; give one")
    for item in taken:
        keep_ratings(opened.folder, item, replace=replace)
        tell(f"took {counted(len(item.ratings), 'rating')} of {item.rater}")
    if as_json:
        put_json([{"pack": item.pack, "rater": item.rater, "ratings": len(item.ratings)} for item in taken])
    else:
        tell(f"Compare: emoharbor rate agree {run}")


@app.command("agree")
def agree(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run folder.")],
    *,
    pack: Annotated[
        str | None, typer.Option(help="Which pack; default the one with ratings that was made last.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of intervals.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Compare the judge with those who rated by hand, and them with one another."""
    from emoharbor.eval.cli.screen import put_model, screen
    from emoharbor.eval.rating.agree import by_hand
    from emoharbor.eval.reports.formats import drawn
    from emoharbor.eval.reports.glyphs import glyphs_for
    from emoharbor.eval.reports.raters import raters_page
    from emoharbor.eval.run import load_run
    from emoharbor.state.errors import RunFolderError

    found = by_hand(load_run(run), pack, seed=seed)
    if found is None:
        raise RunFolderError(f"{run}: no ratings by hand are here; make forms with: emoharbor rate export {run}")
    if as_json:
        put_model(found)
        return
    console = screen()
    console.print(drawn(raters_page(found), glyphs_for(console)))
