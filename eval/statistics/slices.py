"""People in groups: who shares a problem, a need, a way of coping, a trait, a culture; and the table of each group."""

from collections.abc import Callable, Mapping
from typing import Literal, get_args

from emoharbor.eval.statistics.bootstrap import mean_estimates
from emoharbor.eval.statistics.grid import Grid
from emoharbor.eval.statistics.method import How, limits
from emoharbor.eval.statistics.rows import Slice, SliceCell
from emoharbor.eval.statistics.sample import Sample
from emoharbor.eval.statistics.scores import MEANS, Failures
from emoharbor.profiles.schema import PartialProfile, Traits

By = Literal["problem", "need", "coping", "trait", "culture"]
WAYS: tuple[By, ...] = get_args(By)
MIDDLE = 50
"""From this score on a trait counts as high; traits run from 0 to 100."""


def groups_of(person: PartialProfile, by: By) -> tuple[str, ...]:
    """Return the groups a person belongs to; several for coping (up to two) and traits (five), none where not known."""
    return _GROUPS[by](person)


def slices(sample: Sample, people: Mapping[str, PartialProfile], by: By, failures: Failures, how: How) -> list[Slice]:
    """Return one table a group, the largest group first.

    Args:
        sample: the episodes.
        people: by id; those of the sample that are not here are in no group.
        by: what to group by.
        failures: how episodes without a score enter.
        how: resamples, seed, level.
    """
    if sample.scale is None:
        return []
    grid = Grid.of(sample.entries, sample.names, sample.scale, failures)
    members: dict[str, list[str]] = {}
    for profile in grid.profiles:
        for group in groups_of(people[profile], by) if profile in people else ():
            members.setdefault(group, []).append(profile)
    found = [_slice(grid.among(profiles), by, name, how) for name, profiles in members.items()]
    return sorted(found, key=lambda item: (-item.people, item.name))


def _slice(grid: Grid, by: By, name: str, how: How) -> Slice:
    found = {
        figure: mean_estimates(
            grid.of_figure(figure), level=how.level, resamples=how.resamples, seed=how.seed,
            method="expanded" if figure == "overall" else "t",
        )
        for figure in MEANS
    }  # fmt: skip
    counts = grid.counts[grid.figures.index("overall")].sum(axis=0)
    cells = tuple(
        SliceCell(
            name=supporter, n=int(counts[index]), people=found["overall"][index].n,
            overall_ci=limits(found["overall"][index].interval),
            **{figure: found[figure][index].value for figure in MEANS},
        )
        for index, supporter in enumerate(grid.supporters)
    )  # fmt: skip
    return Slice(by=by, name=name, people=len(grid.profiles), supporters=cells)


def _problem(person: PartialProfile) -> tuple[str, ...]:
    known = person.situation or person.sheet
    return (known.problem,) if known and known.problem else ()


def _traits(person: PartialProfile) -> tuple[str, ...]:
    if person.person is None:
        return ()
    traits = person.person.traits
    return tuple(f"{name}, {'high' if getattr(traits, name) >= MIDDLE else 'low'}" for name in Traits.model_fields)


_GROUPS: Mapping[By, Callable[[PartialProfile], tuple[str, ...]]] = {
    "problem": _problem,
    "need": lambda person: (person.person.needs.primary,) if person.person else (),
    "coping": lambda person: person.person.coping if person.person else (),
    "trait": _traits,
    "culture": lambda person: (person.person.region,) if person.person else (),
}
