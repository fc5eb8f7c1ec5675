"""Several runs as one table: whether they may be joined, and the joined episodes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from emoharbor.eval.statistics.sample import Sample


def why_not(one: Mapping[str, object], other: Mapping[str, object]) -> str | None:
    """Return the first thing in which two runs differ and may not, as `the judge differs: ... here, ... there`.

    Args:
        one: what must agree, by name.
        other: the same of another run.
    """
    for what, here in one.items():
        there = other.get(what)
        if here == there:
            continue
        if isinstance(here, Mapping) and isinstance(there, Mapping):
            return f"{what}: {_inside(here, there)}"
        return f"{what}: {_short(here)} here, {_short(there)} there"
    return None


def _inside(here: Mapping[object, object], there: Mapping[object, object]) -> str:
    names = [*here, *(name for name in there if name not in here)]
    apart = [name for name in names if here.get(name) != there.get(name)]
    first = apart[0]
    more = f" (and {len(apart) - 1} more)" if len(apart) > 1 else ""
    if first not in there or first not in here:
        return f"{first} is only {'here' if first in here else 'there'}{more}"
    mine, theirs = here[first], there[first]
    if isinstance(mine, Mapping) and isinstance(theirs, Mapping):
        return f"{first}.{_inside(mine, theirs)}{more}"
    return f"{first} is {_short(mine)} here, {_short(theirs)} there{more}"


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def join(samples: Mapping[str, Sample]) -> Sample:
    """Return the episodes of several samples as one.

    A supporter that is in more than one sample is named after its run too, so that none is counted twice as one.

    Args:
        samples: by the name of their run; with one scale and one judge.
    """
    names = [name for sample in samples.values() for name in sample.names]
    twice = {name for name in names if names.count(name) > 1}
    parts = [_renamed(sample, {name: f"{name} ({run})" for name in twice}) for run, sample in samples.items()]
    return Sample(
        scale=parts[0].scale,
        planned={name: count for part in parts for name, count in part.planned.items()},
        entries=tuple(entry for part in parts for entry in part.entries),
        effects=tuple(effect for part in parts for effect in part.effects),
        reports={key: value for part in parts for key, value in part.reports.items()},
        judge=parts[0].judge,
    )


def _renamed(sample: Sample, names: Mapping[str, str]) -> Sample:
    if not names.keys() & set(sample.names):
        return sample
    return replace(
        sample,
        planned={names.get(name, name): count for name, count in sample.planned.items()},
        entries=tuple(replace(item, supporter=names.get(item.supporter, item.supporter)) for item in sample.entries),
        effects=tuple(replace(item, supporter=names.get(item.supporter, item.supporter)) for item in sample.effects),
        reports={(who, names.get(name, name), repeat): found for (who, name, repeat), found in sample.reports.items()},
    )


def unique_labels(names: Sequence[str], folders: Sequence[str]) -> list[str]:
    """Return what runs are called in one table: their names, or their folders when names repeat."""
    return list(names) if len(set(names)) == len(names) else list(folders)
