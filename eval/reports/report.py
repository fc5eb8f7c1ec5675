"""What a report of a run says, as data: `report_markdown.py` and `eval/viewer/report_page.py` write it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from emoharbor.eval.record import EpisodeKey, EpisodeRecord
from emoharbor.eval.reports.chosen import Chosen, choose
from emoharbor.eval.reports.leaderboard import leaderboard_page
from emoharbor.eval.reports.tables import Page
from emoharbor.profiles.loader import load_people
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.errors import ProfileError

if TYPE_CHECKING:
    from emoharbor.eval.run import Run
    from emoharbor.eval.runs.manifest import Manifest
    from emoharbor.eval.statistics.rows import Leaderboard
    from emoharbor.eval.statistics.scores import Scale

CAUTION = (
    "Persons and judge are simulated. The figures say how these supporters did with these simulated people, rated by "
    "this judge; they are no evidence about any human being who looks for help."
)


@dataclass(frozen=True, slots=True)
class Shown:
    """One episode of a report."""

    why: str
    record: EpisodeRecord
    person: PartialProfile


@dataclass(frozen=True, slots=True)
class Report:
    """A report.

    Attributes:
        title: name of the run.
        facts: what was run, a name and a value each.
        board: the leaderboard's figures.
        tables: the same as tables.
        scale: what the judge rates on; None without one.
        episodes: the episodes it shows.
    """

    title: str
    facts: tuple[tuple[str, str], ...]
    board: "Leaderboard"
    tables: Page
    scale: "Scale | None"
    episodes: tuple[Shown, ...]


def make_report(run: "Run", keys: Sequence[EpisodeKey] | None = None) -> Report:
    """Gather the report of a run, finished or not.

    Args:
        run: the run.
        keys: the episodes to show; None for the best, the worst and the most disputed.

    Raises:
        RunFolderError: for an episode that has not begun.
    """
    wanted = choose(run.results()) if keys is None else [Chosen(key, "") for key in keys]
    board = run.leaderboard()
    people = _people(run.manifest)
    shown = [
        Shown(item.why, run.episode(item.key), people.get(item.key.profile, PartialProfile(id=item.key.profile)))
        for item in wanted
    ]
    return Report(
        title=run.manifest.config.run.name, facts=tuple(_facts(run.manifest)), board=board,
        tables=leaderboard_page(board), scale=run.scale(), episodes=tuple(shown),
    )  # fmt: skip


def _people(manifest: "Manifest") -> dict[str, PartialProfile]:
    try:
        return dict(load_people(manifest.config.profiles))
    except ProfileError:  # the files are no longer where they were
        return {}


def _facts(manifest: "Manifest") -> list[tuple[str, str]]:
    config, of = manifest.config, manifest.branch_of
    facts = [
        ("run", f"{manifest.run_id[:8]}, {manifest.created[:16].replace('T', ' ')} UTC"),
        ("people", f"{len(manifest.profiles)}"),
        ("dialogues each", f"{config.run.repeats}, of up to {config.run.max_turns} turns"),
        ("supporters", ", ".join(item.name for item in config.supporters)),
        ("briefing", config.run.briefing),
        ("the person", ", ".join(f"{part.role} {_played(part)}" for part in manifest.cast if part.role in _PERSON)),
        ("the judge", next((_played(part) for part in manifest.cast if part.role == "judge"), "none")),
        ("rubric", manifest.rubric.id if manifest.rubric else "none"),
        ("seed", str(config.run.seed)),
        ("EmoHarbor", manifest.emoharbor),
    ]
    if of is not None:
        facts.insert(0, ("branch of", f"{of.episode} from turn {of.turn} on (run {of.run_id[:8]})"))
    return facts


_PERSON = ("feel", "think", "speak", "fused")


def _played(part: object) -> str:
    use, model = getattr(part, "use", ""), getattr(part, "model", None)
    return f"{use}:{model}" if model else str(use)
