"""`emoharbor agree`: the figures of a run against people."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from emoharbor.eval.replay.figures import Agreement
    from emoharbor.eval.run import Run


def agree(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run folder: a replay, or one with ratings by hand.")],
    *,
    ablation: Annotated[
        Path | None,
        typer.Option(metavar="RUN", help="The same dialogues replayed without an inner world (cast.user: [speak])."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of intervals and shuffles.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Compare a run with what people said.

    Of a replay: the recorded people's own ratings. Of any run: the ratings by hand that were imported.
    """
    from emoharbor.eval.cli.screen import put_json, screen
    from emoharbor.eval.rating.agree import by_hand
    from emoharbor.eval.reports.agree import agree_page
    from emoharbor.eval.reports.formats import drawn
    from emoharbor.eval.reports.glyphs import glyphs_for
    from emoharbor.eval.reports.raters import raters_page
    from emoharbor.eval.run import load_run
    from emoharbor.state.errors import RunFolderError

    opened = load_run(run)
    found = figures(opened, ablation, seed=seed) if opened.manifest.replay is not None else None
    if found is not None and not found.compared:
        found = None  # a record without any ratings of the people's own
    hands = by_hand(opened, seed=seed)
    if found is None and hands is None:
        why = "its recorded people rated nothing" if opened.manifest.replay else "it is no replay"
        raise RunFolderError(
            f"{run}: nobody's ratings are here: {why}, and none were imported; make forms to rate it with: "
            f"emoharbor rate export {run}"
        )
    if as_json:
        parts = {"replay": found, "by_hand": hands}
        put_json({name: part.model_dump(mode="json") for name, part in parts.items() if part is not None})
        return
    console = screen()
    for page in [*([agree_page(found)] if found else []), *([raters_page(hands)] if hands else [])]:
        console.print(drawn(page, glyphs_for(console)))


def figures(opened: "Run", ablation: Path | None, *, seed: int) -> "Agreement":
    """Return the agreement of a replay.

    Raises:
        RunFolderError: when the recording is missing, or the other run replays other dialogues.
    """
    from emoharbor.eval.replay.agree import agreement
    from emoharbor.eval.replay.pairs import pairs_of
    from emoharbor.eval.replay.scales import on_one_scale
    from emoharbor.eval.replay.source import recording_of
    from emoharbor.eval.run import load_run
    from emoharbor.state.errors import RunFolderError

    recording, moved = on_one_scale(recording_of(opened.folder))
    scale = opened.scale()
    other = []
    if ablation is not None:
        without = load_run(ablation)
        mine, theirs = opened.manifest.replay, without.manifest.replay
        if mine is None or theirs is None or mine.recording != theirs.recording:
            raise RunFolderError(
                f"{ablation}: replays other dialogues than {opened.folder}; give one of the same files"
            )
        other = pairs_of(recording, without.episodes())
    pairs = pairs_of(recording, opened.episodes())
    found = agreement(recording, pairs, (scale.low, scale.high) if scale else None, other, seed=seed)
    return found.model_copy(update={"moved": moved})
