"""Uploading the traces of a run that was recorded offline, under the ids they were recorded with."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from langsmith import utils

from emoharbor.eval.record import EpisodeKey, EpisodeRecord
from emoharbor.eval.run import Run
from emoharbor.eval.runs.manifest import project_name
from emoharbor.eval.traces.feedback import feedback_of
from emoharbor.eval.traces.remote import langsmith_client
from emoharbor.eval.traces.trace import TraceRun

if TYPE_CHECKING:
    from langsmith import Client

_AT_ONCE = 100
"""Runs in one request."""


@dataclass(slots=True)
class Pushed:
    """What was sent.

    Attributes:
        project: where to.
        traces, runs, feedback: how many.
    """

    project: str
    traces: int = 0
    runs: int = 0
    feedback: int = 0


def push(run: Run, *, project: str | None = None, keys: Sequence[EpisodeKey] | None = None) -> Pushed:
    """Send traces and ratings. All ids are the recorded ones, so that sending them again changes nothing.

    Args:
        run: the run.
        project: where to; by default `LANGSMITH_PROJECT`, as for live tracing, else the run's own project.
        keys: only these episodes; None for all that have begun.

    Raises:
        ConfigError: when LangSmith cannot be reached or refuses.
        RunFolderError: for an episode that has not begun.
    """
    openings: set[str] = set()
    with langsmith_client() as client:
        done = Pushed(project or utils.get_env_var("PROJECT") or project_name(run.manifest))
        session = client.create_project(done.project, upsert=True).id
        for key in keys or [EpisodeKey.parse(record.episode) for record in run.episodes()]:
            trace = run.trace(key)
            new = [item for item in trace.opening if item.trace not in openings]
            openings.update(item.trace for item in trace.opening)
            _send(client, (*new, *trace.runs, *trace.ratings), done)
            if trace.roots:
                done.feedback += _rate(client, session, UUID(trace.roots[-1].id), run.episode(key))
    return done


def _send(client: "Client", runs: Sequence[TraceRun], done: Pushed) -> None:
    done.runs += len(runs)
    done.traces += sum(run.parent is None for run in runs)
    for begin in range(0, len(runs), _AT_ONCE):
        client.multipart_ingest(create=[uploaded(run, done.project) for run in runs[begin : begin + _AT_ONCE]])


def _rate(client: "Client", session: UUID, root: UUID, record: EpisodeRecord) -> int:
    items = list(feedback_of(record.outcome, record.outcome_reason, record.judgements))
    for item in items:
        client.create_feedback(
            root, item.key, score=item.score, value=item.value, comment=item.comment, session_id=session,
            feedback_id=item.id_for(root), stop_after_attempt=2,
        )  # fmt: skip
    return len(items)


def uploaded(run: TraceRun, project: str) -> dict[str, Any]:
    """Return a run as LangSmith takes it."""
    return {
        "id": run.id, "trace_id": run.trace, "parent_run_id": run.parent, "dotted_order": run.order,
        "session_name": project, "name": run.name, "run_type": run.type, "start_time": run.began,
        "end_time": run.ended, "inputs": dict(run.inputs), "outputs": run.outputs, "error": run.error,
        "tags": list(run.tags), "extra": {"metadata": dict(_metadata(run))},
    }  # fmt: skip


def _metadata(run: TraceRun) -> Iterator[tuple[str, Any]]:
    yield from run.metadata.items()
    if run.turn is not None:
        yield "turn", run.turn
    if run.implementation is not None:
        yield "implementation", run.implementation
    usage = run.usage
    if run.type == "llm" and usage.prompt is not None and usage.completion is not None:
        yield "usage_metadata", {
            "input_tokens": usage.prompt, "output_tokens": usage.completion,
            "total_tokens": usage.prompt + usage.completion,
            **({"input_token_details": {"cache_read": usage.cached}} if usage.cached is not None else {}),
        }  # fmt: skip
