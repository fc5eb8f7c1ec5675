"""The audit of a run: every finished episode, kept beside the run so that each is held against its profile once.

`audit.json` in the run folder holds what was found; it is made again from the run whenever it is gone, the limits or
the rules differ, or an episode was played again. A folder that cannot be written is audited all the same.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from emoharbor.eval.audit.episode import EpisodeAudit, audit_episode, is_audited
from emoharbor.eval.audit.limits import AuditLimits
from emoharbor.eval.audit.validity import Validity, validity
from emoharbor.eval.record import EpisodeRecord
from emoharbor.eval.run import Run
from emoharbor.eval.runs.people import people_of
from emoharbor.eval.store.folder import DATABASE, write_whole
from emoharbor.eval.store.reader import Reader, Standing
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.base import Frozen
from emoharbor.state.errors import RunFolderError
from emoharbor.state.outcome import Outcome

KEPT = "audit.json"
_RULES = 3
"""Version of the checks: raised when they find other things than before."""


class _Entry(Frozen):
    """One episode; `attempt` tells whether it was played again since. `audit` is None where nothing was said."""

    attempt: int
    audit: EpisodeAudit | None


class _Kept(Frozen):
    """What `audit.json` holds."""

    stamp: str
    """Of the rules, the limits and the people."""
    episodes: dict[str, _Entry]


class RunValidity(Frozen):
    """The validity of the simulated user in a run, over all and by supporter."""

    all: Validity
    supporters: dict[str, Validity]


def run_validity(run: Run, limits: AuditLimits | None = None) -> RunValidity:
    """Return how far the simulated person kept to its part, to stand beside the scores of a run.

    Args:
        run: the run, also one that goes on.
        limits: in place of those of the run's config.
    """
    return validities(audit_run(run, limits), [item.name for item in run.manifest.config.supporters])


def validities(audits: tuple[EpisodeAudit, ...], supporters: list[str], *, by_model: bool = False) -> RunValidity:
    """Return the validity over all audits and by supporter."""
    by_name = {name: [audit for audit in audits if audit.supporter == name] for name in supporters}
    return RunValidity(
        all=validity(audits, by_model=by_model),
        supporters={name: validity(found, by_model=by_model) for name, found in by_name.items()},
    )


def audit_run(run: Run, limits: AuditLimits | None = None) -> tuple[EpisodeAudit, ...]:
    """Return the audit of every finished episode in which the person said something, by profile, supporter, repeat."""
    if not (run.folder / DATABASE).exists():
        return ()
    using = limits or run.manifest.config.audit
    people = people_of(run.manifest, run.folder)
    stamp = _stamp(using, people)
    kept = _read(run.folder / KEPT, stamp)
    reader = Reader(run.folder)
    try:
        finished = [item for item in reader.standings() if item.outcome not in (None, Outcome.INFRASTRUCTURE)]
        fresh = [item for item in finished if not _is_kept(kept, item)]
        made = {
            record.episode: _Entry(attempt=attempt, audit=_audit(record, people, using))
            for record, attempt in _records(reader, fresh, everything=not kept)
        }
    finally:
        reader.close()
    found = {**kept, **made}
    there = {name: found[name] for item in finished if (name := str(item.key)) in found}
    if made:
        with suppress(RunFolderError):  # it is only kept to be quicker next time
            write_whole(run.folder / KEPT, _Kept(stamp=stamp, episodes=there).model_dump_json() + "\n")
    return tuple(entry.audit for entry in there.values() if entry.audit is not None)


def _is_kept(kept: Mapping[str, _Entry], item: Standing) -> bool:
    entry = kept.get(str(item.key))
    return entry is not None and entry.attempt == item.attempt


def _audit(record: EpisodeRecord, people: Mapping[str, PartialProfile], limits: AuditLimits) -> EpisodeAudit | None:
    if not is_audited(record):
        return None
    return audit_episode(record, people.get(record.profile) or PartialProfile(id=record.profile), limits)


def _records(reader: Reader, wanted: Sequence[Standing], *, everything: bool) -> Iterator[tuple[EpisodeRecord, int]]:
    """Yield the episodes that are wanted, with their attempt; `everything` reads them in one go."""
    if not everything:
        yield from ((reader.record(item.key), item.attempt) for item in wanted)
        return
    names = {str(item.key) for item in wanted}
    yield from ((record, times.attempt) for record, times in reader.records() if record.episode in names)


def _stamp(limits: AuditLimits, people: Mapping[str, PartialProfile]) -> str:
    parts = [str(_RULES), limits.model_dump_json(), *(person.model_dump_json() for person in people.values())]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _read(path: Path, stamp: str) -> dict[str, _Entry]:
    """Return what was found before by the same rules; nothing when there is none, or it cannot be read."""
    with suppress(OSError, ValidationError):
        kept = _Kept.model_validate_json(path.read_text(encoding="utf-8"))
        return dict(kept.episodes) if kept.stamp == stamp else {}
    return {}
