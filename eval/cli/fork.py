"""`emoharbor run RUN --fork EPISODE --turn K --supporter OTHER`: play an episode on from one turn, with a change."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from emoharbor.eval.cli.codes import Code

if TYPE_CHECKING:
    from emoharbor.eval.record import EpisodeRecord
    from emoharbor.eval.run import Run
    from emoharbor.nodes.spec import SupporterSpec


@dataclass(frozen=True, slots=True)
class Fork:
    """What is asked for.

    Attributes:
        episode: the episode, or a beginning of its name.
        turn: the first turn to be played anew.
        supporter: who answers from there on; None for the one who did.
        edits: changes of the inner world, as typed.
        source: a config whose supporters may be named too.
        name: of the branch.
    """

    episode: str
    turn: int
    supporter: str | None = None
    edits: list[str] = field(default_factory=list)
    source: Path | None = None
    name: str | None = None


def fork(run: Path, wanted: Fork, *, as_json: bool = False) -> int:
    """Make a branch of a run's episode, play it to its end, and show both ends.

    Raises:
        UserError: for a mistake in what is asked for, before anything is played.
    """
    import asyncio

    from emoharbor.eval.api import resume_run_sync
    from emoharbor.eval.cli.keys import whole_key
    from emoharbor.eval.cli.screen import tell
    from emoharbor.eval.cli.watch import Watch
    from emoharbor.eval.people.branch import make_branch
    from emoharbor.eval.people.edits import parse_edits
    from emoharbor.eval.run import load_run
    from emoharbor.state.errors import ConfigError

    parent = load_run(run)
    key = whole_key(parent, wanted.episode)
    edits = parse_edits(wanted.edits)
    if wanted.supporter is None and not edits:
        raise ConfigError("--fork: say what is to be different: --supporter OTHER, or --set trust=6")
    spec = _supporter(parent, wanted.supporter or key.supporter, wanted.source)
    folder = asyncio.run(make_branch(parent, key, wanted.turn, spec, edits=edits, name=wanted.name))
    if spec.use == "human":
        from emoharbor.eval.cli.keyboard import converse
        from emoharbor.eval.people.talk import Talk

        return converse(lambda: Talk.resume(folder), folder, as_json=as_json)
    go_on = f"emoharbor run {folder} --resume"
    try:
        with Watch() as watch:
            finished = resume_run_sync(folder, on_progress=watch, heed_signals=True)
    except KeyboardInterrupt:
        tell(f"stopped; what is finished is saved. Go on with: {go_on}")
        return Code.INTERRUPTED
    if finished.stopped is not None:
        tell(f"stopped: {finished.stopped}. Go on with: {go_on}")
        return _code_of(finished.stopped.kind)
    record = finished.episode(finished.planned()[0])
    _show(finished, record, parent.episode(key), as_json=as_json)
    return Code.DONE if any(item.scores for item in record.judgements) else Code.NOT_ALL_SCORED


def _supporter(parent: "Run", name: str, source: Path | None) -> "SupporterSpec":
    """Find who is to answer: a supporter of the run, of another config, or a target as `try` takes it."""
    from emoharbor.eval.config import load_config
    from emoharbor.eval.people.branch import named
    from emoharbor.state.errors import ConfigError

    if source is None:
        return named(parent, name)
    found = {item.name: item for item in load_config(source).supporters}
    if name not in found:
        raise ConfigError(f"--supporter {name}: {source} has no such supporter; it has: {', '.join(found)}")
    return found[name]


def _code_of(kind: str) -> Code:
    return {"interrupt": Code.INTERRUPTED, "budget": Code.BUDGET}.get(kind, Code.USER_MISTAKE)


def _show(branch: "Run", record: "EpisodeRecord", before: "EpisodeRecord", *, as_json: bool) -> None:
    from emoharbor.eval.cli.page import show_page
    from emoharbor.eval.cli.people import person_of
    from emoharbor.eval.cli.screen import put_json, show, tell
    from emoharbor.eval.reports.branches import branch_data, branch_line, ends_table

    of = branch.manifest.branch_of
    if of is None:
        return
    if as_json:
        put_json({**record.model_dump(mode="json"), **branch_data(of)})
        return
    show_page(record, person_of(record.profile, branch.manifest.config.profiles))
    show(branch_line(of))
    show(ends_table(of, record, before))
    tell(f"The branch is in {branch.folder}. Read it again: emoharbor show {branch.folder} {record.episode}")
