"""Writing the forms of a pack."""

from dataclasses import dataclass
from pathlib import Path

from emoharbor.eval.rating.form import form, shown
from emoharbor.eval.rating.pack import Pack, keep_pack, make_pack
from emoharbor.eval.rating.table import blank_table
from emoharbor.eval.run import Run
from emoharbor.eval.runs.people import people_of
from emoharbor.eval.store.folder import write_whole
from emoharbor.nodes.rubric import Rubric, load_rubric
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Forms:
    """What was written.

    Attributes:
        pack: what the forms hold.
        key: the file that unblinds it, inside the run folder.
        files: a form and a table for each rater.
    """

    pack: Pack
    key: Path
    files: tuple[Path, ...]


def write_forms(  # noqa: PLR0913 - the choices of a pack, all keyword-only
    run: Run, folder: Path, *, n: int = 30, seed: int = 0, raters: int = 2, rubric: str | None = None,
    replace: bool = False,
) -> Forms:  # fmt: skip
    """Draw a pack of a run and write its forms.

    Args:
        run: the run.
        folder: where the forms go; outside the run, since the run knows who is who.
        n: how many dialogues at most.
        seed: of the draw.
        raters: how many raters.
        rubric: name or path of what is rated; None takes the judge's.
        replace: write over files that are there.

    Raises:
        ConfigError: when there is nothing to rate, or a file is there already.
        RubricError: for a rubric that cannot be used.
        RunFolderError: when something cannot be written.
    """
    pack = make_pack(run.manifest.run_id, list(run.results()), _rubric(run, rubric), n=n, raters=raters, seed=seed)
    people = people_of(run.manifest, run.folder)
    dialogues = {}
    for item, episode in pack.items.items():
        record = run.episode(episode)
        dialogues[item] = shown(item, record, people.get(record.profile) or PartialProfile(id=record.profile))
    texts = {}
    for rater in pack.orders:
        texts[folder / f"{pack.id}-{rater}.html"] = form(pack, rater, dialogues)
        texts[folder / f"{pack.id}-{rater}.csv"] = blank_table(pack, rater)
    there = [path for path in texts if path.exists()]
    if there and not replace:
        raise ConfigError(f"{there[0]} exists; a rater may have filled it in. Name another folder, or say --replace")
    key = keep_pack(run.folder, pack)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be made: {error.strerror}") from None
    for path, text in texts.items():
        write_whole(path, text)
    return Forms(pack, key, tuple(texts))


def _rubric(run: Run, asked: str | None) -> Rubric:
    """Return what is rated. The judge's own rubric, if it is still what it was."""
    record = run.manifest.rubric
    if asked is not None or record is None:
        return load_rubric(asked or "ten")
    judge = run.manifest.config.cast.judge
    named = judge.args.get("rubric", "ten") if judge else "ten"
    rubric = load_rubric(named if isinstance(named, str) else "ten")
    if rubric.id != record.id:
        raise ConfigError(
            f"the run's judge rated by {record.id}, which is {rubric.id} by now, so the two would not compare; "
            "name the old one with --rubric"
        )
    return rubric
