"""Whether the rubric's groups show in the ratings, or one impression colours them all."""

import numpy as np

from emoharbor.eval.statistics.arrays import column_means
from emoharbor.eval.statistics.grid import DimensionRows, dimension_rows
from emoharbor.eval.statistics.groups import GroupCheck, group_check
from emoharbor.eval.statistics.method import How
from emoharbor.eval.statistics.sample import Sample


def check_groups(sample: Sample, how: How) -> tuple[GroupCheck | None, tuple[str, ...]]:
    """Return how the dimensions go together once each supporter's mean is taken off, and the dimensions left out.

    A dimension on which no supporter's episodes ever differ has no correlation, so it is left out.

    Args:
        sample: the episodes.
        how: level and seed.
    """
    if sample.scale is None:
        return None, ()
    names, groups = list(sample.scale.groups), list(sample.scale.groups.values())
    rows = dimension_rows(sample.entries, sample.scale)
    moves = [index for index in range(len(names)) if _differs(rows, index)]
    found = group_check(
        rows.scores[:, moves], [groups[index] for index in moves], names=[names[index] for index in moves],
        cluster=rows.people, stratum=rows.supporters, level=how.level, seed=how.seed,
    )  # fmt: skip
    return found, tuple(name for index, name in enumerate(names) if index not in moves)


def _differs(rows: DimensionRows, index: int) -> bool:
    """Whether a dimension differs between the episodes of any one supporter."""
    column = rows.scores[:, [index]]
    for supporter in np.unique(rows.supporters):
        mine = column[rows.supporters == supporter]
        if np.nanmax(np.abs(mine - column_means(mine)), initial=0.0) > 0:
            return True
    return False
