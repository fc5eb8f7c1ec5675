"""The audit of a run folder from beginning to end, with a model's check if one is named."""

import asyncio
from pathlib import Path

from emoharbor.eval.audit.contradiction import Checked, check_run
from emoharbor.eval.audit.episode import EpisodeAudit
from emoharbor.eval.audit.limits import AuditLimits
from emoharbor.eval.audit.run import audit_run
from emoharbor.eval.audit.summary import RunAudit, summarise
from emoharbor.eval.run import load_run
from emoharbor.eval.runs.people import people_of


def whole_audit(folder: Path, limits: AuditLimits | None = None, model: str | None = None) -> RunAudit:
    """Return everything the audit has to say about a run.

    Args:
        folder: the run folder; the run may still be going on.
        limits: in place of those of the run's config.
        model: name of a model of the run's config that looks for contradictions.

    Raises:
        UserError: when the folder is no run, or the config has no such model.
    """
    run = load_run(folder)
    audits = audit_run(run, limits)
    checked = asyncio.run(check_run(run, model)) if model else Checked()
    return summarise(
        str(folder),
        tuple(_with(audit, checked) for audit in audits),
        people=people_of(run.manifest, run.folder),
        supporters=[item.name for item in run.manifest.config.supporters],
        limits=limits or run.manifest.config.audit,
        model=checked.model,
        unread=len(checked.unread),
    )


def _with(audit: EpisodeAudit, checked: Checked) -> EpisodeAudit:
    more = checked.findings.get(audit.episode, ())
    if not more:
        return audit
    together = sorted((*audit.findings, *more), key=lambda finding: finding.turn)
    return audit.model_copy(update={"findings": tuple(together)})
