"""The steps of an episode, node by node, from its trace: what each was asked, what it answered, what that changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from emoharbor.eval.traces.patch import Change
from emoharbor.eval.traces.trace import Trace, TraceRun, total_usage
from emoharbor.state.episode import Fault
from emoharbor.state.shift import Shift

_LONGEST = 200_000
"""Characters of one text that a page shows; nothing a person reads is longer."""


@dataclass(frozen=True, slots=True)
class Step:
    """One node that ran, as the list has it.

    Attributes:
        number: counts from 0.
        role: its seat in the graph.
        turn: of the episode.
        implementation: who played it.
        seconds: None when it was broken off.
        calls: to models.
        faults: how many things went wrong.
        opening: whether it was made once for all supporters of the run.
    """

    number: int
    role: str
    turn: int | None
    implementation: str
    seconds: float | None
    calls: int
    faults: int
    opening: bool


@dataclass(frozen=True, slots=True)
class Call:
    """One call to a model.

    Attributes:
        model: who was called.
        messages: kind and text of each message sent.
        reasoning, reply: what came back; None for a call that gave nothing.
        error: why it failed.
        seconds: how long it took.
        prompt, completion, cached: tokens; None where the endpoint did not say.
    """

    model: str
    messages: Sequence[tuple[str, str]]
    reasoning: str
    reply: str | None
    error: str
    seconds: float | None
    prompt: int | None
    completion: int | None
    cached: int | None


@dataclass(frozen=True, slots=True)
class Detail:
    """All about one step.

    Attributes:
        step: the step.
        before: the role that ran before it, for the graph.
        calls: what models were asked and answered.
        tools: runs below it that are no model calls, such as the steps of somebody's agent.
        parsed: what the node made of it, before the person's limits.
        patch: what it changed in the inner world.
        limited: what the limits did not let through as proposed.
        said: the message it sent.
        ends: how it ended the episode, if it did.
        faults: what went wrong.
        error: why it broke off.
    """

    step: Step
    before: str
    calls: Sequence[Call]
    tools: Sequence[TraceRun]
    parsed: Mapping[str, Any] | None
    patch: Sequence[Change]
    limited: Sequence[Shift]
    said: str
    ends: str
    faults: Sequence[Fault]
    error: str


def steps(trace: Trace) -> list[Step]:
    """Return the nodes in the order they ran."""
    opening = {run.id for run in trace.opening}
    return [_step(number, seat, trace, seat.id in opening) for number, seat in enumerate(trace.seats())]


def detail(trace: Trace, number: int) -> Detail | None:
    """Return one step, or None when there is no such step."""
    seats = trace.seats()
    if not 0 <= number < len(seats):
        return None
    seat = seats[number]
    below = list(trace.below(seat))
    return Detail(
        step=_step(number, seat, trace, seat.id in {run.id for run in trace.opening}),
        before=seats[number - 1].name if number else "__start__",
        calls=[_call(run) for run in below if run.type == "llm"],
        tools=[run for run in below if run.type != "llm" and "langsmith:hidden" not in run.tags],
        parsed=seat.proposed or _rest(seat),
        patch=seat.change,
        limited=seat.limited,
        said="\n".join(str(message.get("content", "")) for message in seat.update.get("messages", ())),
        ends=_ends(seat),
        faults=seat.faults,
        error=_cut((seat.error or "").partition("Traceback (most recent call last)")[0]),
    )


def _step(number: int, seat: TraceRun, trace: Trace, opening: bool) -> Step:  # noqa: FBT001 - one flag of a row
    below = list(trace.below(seat))
    return Step(
        number=number,
        role=seat.name,
        turn=seat.turn,
        implementation=seat.implementation or "",
        seconds=seat.seconds,
        calls=sum(run.type == "llm" for run in below),
        faults=len(seat.faults) + bool(seat.error),
        opening=opening,
    )


def _call(run: TraceRun) -> Call:
    usage = total_usage([run])
    return Call(
        model=run.model or run.name,
        messages=[(kind, _cut(text)) for kind, text in run.messages],
        reasoning=_cut(run.reasoning),
        reply=None if run.outputs is None else _cut(run.reply),
        error=_cut((run.error or "").partition("Traceback (most recent call last)")[0]),
        seconds=run.seconds,
        prompt=usage.prompt,
        completion=usage.completion,
        cached=usage.cached,
    )


def _rest(seat: TraceRun) -> Mapping[str, Any] | None:
    """What a node without proposals gave back: the judge's verdict."""
    verdict = seat.update.get("verdict")
    return verdict if isinstance(verdict, dict) else None


def _ends(seat: TraceRun) -> str:
    outcome, reason = seat.update.get("outcome"), seat.update.get("outcome_reason")
    return "" if not outcome else f"{outcome}{f' ({reason})' if reason else ''}"


def _cut(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST]}\n[{len(text) - _LONGEST:,} more characters are in the trace]"
