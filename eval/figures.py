"""From run folders to the figures that people publish: reads runs, hands their episodes to the statistics."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from emoharbor.eval.joinable import joinable
from emoharbor.eval.judging.records import JudgeRecord, RubricRecord
from emoharbor.eval.reported import Reported
from emoharbor.eval.statistics.halo import check_groups
from emoharbor.eval.statistics.joined import join, unique_labels
from emoharbor.eval.statistics.leaderboard import leaderboard
from emoharbor.eval.statistics.method import How
from emoharbor.eval.statistics.rows import Leaderboard, Share
from emoharbor.eval.statistics.sample import Sample
from emoharbor.eval.statistics.scores import Failures, Scale
from emoharbor.eval.statistics.slices import By, slices
from emoharbor.eval.store.ends import read_ends
from emoharbor.eval.store.folder import DATABASE
from emoharbor.eval.store.lean import read_lean
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.errors import RunFolderError
from emoharbor.state.yamlfile import nearest

if TYPE_CHECKING:
    from emoharbor.eval.audit.rates import Rate
    from emoharbor.eval.run import Run
    from emoharbor.eval.statistics.compare import Comparison
    from emoharbor.eval.statistics.reliability_rows import Reliability

_BOUND = 1 / 16
"""Of the rubric's scale: a quarter of a point on 1 to 5."""


def scale_of(rubric: RubricRecord | None) -> Scale | None:
    """Return what a judge rates on; None without one."""
    if rubric is None:
        return None
    return Scale(rubric=rubric.id, low=rubric.low, high=rubric.high, groups=rubric.groups)


def sample_of(run: "Run", judge: str | None = None) -> Sample:
    """Read the episodes of a run.

    Args:
        run: finished or not.
        judge: name or `judge_id` of the judge whose plain ratings to take; None takes the run's own.

    Raises:
        RunFolderError: when no judge of the run is called so.
    """
    planned = Counter(key.supporter for key in run.planned())
    if judge is None:
        return Sample.of(read_lean(run.folder), scale_of(run.manifest.rubric), planned, _reports(run))
    found = _judge(run, judge)
    own = run.manifest.judges[0].judge_id
    wanted = None if found.judge_id == own else found.judge_id
    return Sample.of(read_lean(run.folder), scale_of(found.rubric), planned, _reports(run), wanted)


def board_of(  # noqa: PLR0913 - the choices of a table, all but the runs keyword-only
    runs: Sequence["Run"],
    *,
    failures: Failures = "lowest",
    how: How | None = None,
    judge: str | None = None,
    by: By | None = None,
    groups: bool = False,
    validity: bool = False,
) -> Leaderboard:
    """Return the leaderboard of one run, or of several that may be joined.

    Args:
        runs: at least one.
        failures: how episodes without a score enter the means.
        how: resamples, seed, level, bound; without a bound a sixteenth of the rubric's scale is taken.
        judge: as in `sample_of`.
        by: also a table for each group of people.
        groups: also whether the rubric's groups are there in the ratings.
        validity: also how sound the simulated user was; audits episodes that are new.

    Raises:
        RunFolderError: when the runs may not be joined, naming the first difference.
    """
    opened = [(run.folder, run.manifest) for run in runs]
    notes = [note for other in opened[1:] for note in joinable(opened[0], other)]
    labels = unique_labels([run.manifest.config.run.name for run in runs], [str(run.folder) for run in runs])
    samples = {label: sample_of(run, judge) for label, run in zip(labels, runs, strict=True)}
    sample = join(samples) if len(runs) > 1 else next(iter(samples.values()))
    board = leaderboard(sample, failures, with_bound(how, sample.scale))
    people = people_of_runs(runs) if by else {}
    check, still = check_groups(sample, board.how) if groups else (None, ())
    if groups and check is None:
        notes.append(
            "Groups of dimensions cannot be checked: of too few dimensions do ratings of one supporter differ."
        )
    elif still:
        notes.append(f"Left out of the correlations, since no supporter's episodes differ on them: {', '.join(still)}.")
    if validity:
        board = _with_validity(board, dict(zip(labels, runs, strict=True)))
    return board.model_copy(update={
        "runs": tuple(str(run.folder) for run in runs),
        "judge": judge,
        "slices": tuple(slices(sample, people, by, failures, board.how)) if by else (),
        "groups": check,
        "notes": tuple(notes),
    })  # fmt: skip


def comparison_of(  # noqa: PLR0913 - the choices of a table
    run: "Run",
    first: str,
    second: str,
    *,
    failures: Failures = "lowest",
    how: How | None = None,
    judge: str | None = None,
    wanted: float | None = None,
) -> "Comparison":
    """Return two supporters side by side.

    Raises:
        RunFolderError: for a supporter that is not in the run, naming the nearest, or a run without a judge.
    """
    from emoharbor.eval.statistics.compare import compare  # noqa: PLC0415 - takes time to import

    names = [item.name for item in run.manifest.config.supporters]
    for name in (first, second):
        if name not in names:
            raise RunFolderError(f"{run.folder}: no supporter of this run is called {name!r}; {nearest(name, names)}")
    if first == second:
        raise RunFolderError(f"{run.folder}: name two supporters, not {first!r} twice")
    sample = sample_of(run, judge)
    if sample.scale is None:
        raise RunFolderError(f"{run.folder}: nothing was rated in this run, so there is nothing to compare")
    return compare(sample, first, second, failures, how, wanted=wanted)


def reliability_of(runs: Sequence["Run"], how: How | None = None) -> "Reliability":
    """Return how far the ratings of a run can be relied on; of several, also across their simulators.

    Raises:
        RunFolderError: for a run without a judge, or runs with different rubrics.
    """
    from emoharbor.eval.statistics.ratings import Ratings  # noqa: PLC0415 - takes time to import
    from emoharbor.eval.statistics.reliability import reliability  # noqa: PLC0415 - as above

    scales = [scale_of(run.manifest.rubric) for run in runs]
    scale = scales[0]
    if scale is None:
        raise RunFolderError(f"{runs[0].folder}: nothing was rated in this run")
    for run, found in zip(runs, scales, strict=True):
        if found != scale:
            raise RunFolderError(f"{run.folder}: was rated on another rubric than {runs[0].folder}")
    labels = unique_labels([run.manifest.config.run.name for run in runs], [str(run.folder) for run in runs])
    samples = {label: sample_of(run) for label, run in zip(labels, runs, strict=True)}
    ratings = Ratings.of({label: read_lean(run.folder) for label, run in zip(labels, runs, strict=True)}, scale)
    return reliability(ratings, samples, how or How())


def with_bound(how: How | None, scale: Scale | None) -> How:
    """Return the choices with a bound for the equivalence test: a sixteenth of the scale unless one was stated."""
    how = how or How()
    if how.bound is not None or scale is None:
        return how
    return how.model_copy(update={"bound": (scale.high - scale.low) * _BOUND})


def people_of_runs(runs: Sequence["Run"]) -> dict[str, PartialProfile]:
    """Return the people of runs, by id."""
    from emoharbor.eval.runs.people import people_of  # noqa: PLC0415 - reads every profile

    return {name: person for run in runs for name, person in people_of(run.manifest, run.folder).items()}


def _reports(run: "Run") -> dict[tuple[str, str, int], Reported]:
    felt = {"feel", "fused"} & set(run.manifest.config.cast.user)  # else the inner world stays as everybody's begins
    if not felt or not (run.folder / DATABASE).exists():
        return {}
    facts = {name: len(person.situation.guarded) for name, person in people_of_runs([run]).items() if person.situation}
    return {(key.profile, key.supporter, key.repeat): found for key, found in read_ends(run.folder, facts)}


def _with_validity(board: Leaderboard, runs: Mapping[str, "Run"]) -> Leaderboard:
    """Put the audit of the simulated user beside each supporter."""
    from emoharbor.eval.audit.run import run_validity  # noqa: PLC0415 - reads dialogues

    found: dict[str, dict[str, Share]] = {}
    for label, run in runs.items():
        for name, audited in run_validity(run).supporters.items():
            shares = {what: _share(rate) for what, rate in audited.rates.items()}
            found[name] = found[f"{name} ({label})"] = shares
    rows = (row.model_copy(update={"validity": found.get(row.name, {})}) for row in board.supporters)
    return board.model_copy(update={"supporters": tuple(rows)})


def _share(rate: "Rate") -> Share:
    ends = None if rate.low is None or rate.high is None else (rate.low, rate.high)
    return Share(share=rate.rate, ci=ends, n=rate.of)


def _judge(run: "Run", name: str) -> JudgeRecord:
    known = run.manifest.judges
    found = next((item for item in known if name in (item.name, item.judge_id, item.judge)), None)
    if found is None:
        names = ", ".join(item.name for item in known) or "nobody"
        raise RunFolderError(f"{run.folder}: no judge of this run is called {name!r}; it was rated by {names}")
    return found
