"""One question to a model: all the requests it takes until there is a usable reply, or a typed fault."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.callbacks import BaseCallbackManager
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableConfig
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, wait_exponential, wait_random

from emoharbor.nodes.models.adapt import blames_form, drop_refused, next_rung
from emoharbor.nodes.models.body import read_usage
from emoharbor.nodes.models.faults import RequestRefused, ServerFailed, is_too_long
from emoharbor.nodes.models.jsontext import Misread
from emoharbor.nodes.models.line import Line
from emoharbor.nodes.models.protocol import Note, Usage
from emoharbor.nodes.models.schema import Rung, SentSchema
from emoharbor.nodes.models.shaping import fault_of_reply, shaped
from emoharbor.nodes.models.throttle import LONGEST_PAUSE_S
from emoharbor.state.errors import (
    EndpointFault,
    ModelFault,
    Overloaded,
    RateLimited,
    ReplyFault,
    Truncated,
)
from emoharbor.state.text import is_blank

_TRIES_OF_A_NEW_RUNG = 2
_QUESTIONS_TO_CONVICT = 2
_LONGEST_BACKOFF_S = 30
_SEED_BITS = 0x7FFFFFFF


@dataclass(slots=True)
class Question:
    """The state of one question.

    Attributes:
        line: who is asked.
        name: what the traced runs are called.
        note: told of each mended fault.
        form: the schema of the answer, or None for plain text.
        seed: for endpoints that take one.
        callbacks: the trace to hang the calls on, when the context has none.
        rung: the way of asking for the schema now.
        cap: the token cap now.
        sent: requests sent so far.
        usages: tokens of each reply so far.
        suspected: rungs that were left because of server errors.
    """

    line: Line
    name: str
    note: Note
    form: SentSchema | None = None
    seed: int | None = None
    callbacks: BaseCallbackManager | None = None
    rung: Rung = "json_schema"
    cap: int = 0
    sent: int = 0
    usages: list[Usage] = field(default_factory=list)
    suspected: list[Rung] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rung = self.line.learned.rung
        self.cap = self.line.settings.max_tokens

    async def send(self, messages: Sequence[BaseMessage]) -> str:
        """Return the text of a reply that is neither a refusal, nor empty, nor cut off.

        An empty one is asked for once more, a cut one once more with twice the cap.

        Raises:
            ModelFault: when there is none.
        """
        mended: set[str] = set()
        while True:
            reply = await self._reply(messages)
            fault = fault_of_reply(reply, self.cap, structured=self.form is not None)
            if fault is None:
                return str(reply.content)
            fault = self.line.placed(fault)
            self.line.learned.faults[fault.kind] += 1
            if not fault.retryable or fault.kind in mended:
                raise fault
            mended.add(fault.kind)
            self.note(fault.kind, f"{fault}; asked again")
            self._change_for(fault)

    def proved(self) -> None:
        """Take note that the present rung gave a readable answer."""
        learned = self.line.learned
        learned.proven.add(self.rung)
        for rung in self.suspected:
            learned.suspects[rung] += 1
        # one question may have met an outage; two that fared better further down have met a habit
        if all(learned.suspects[rung] >= _QUESTIONS_TO_CONVICT for rung in self.suspected):
            learned.settle(self.rung)

    def misread(self, wrong: Misread) -> None:
        """Put the schema into the prompt when a rung that never worked brought no JSON at all."""
        if not wrong.found and self.rung in ("json_schema", "tool") and self._is_new():
            self._to("prompt", "the endpoint does not seem to heed it")

    def usage(self) -> Usage:
        """Return the tokens of all replies; unknown if one of them did not say."""
        return Usage(*(_sum([getattr(usage, name) for usage in self.usages]) for name in Usage.__slots__))

    def _change_for(self, fault: ReplyFault) -> None:
        if isinstance(fault, Truncated):
            self.cap = 2 * self.line.settings.max_tokens
            below = next_rung(self.rung)
            if self.form and below and self._is_new() and is_blank(fault.raw):
                self._to(below, "it brought nothing but white space")
        elif self.seed is not None:
            self.seed = (self.seed + 1) & _SEED_BITS  # the same request would bring the same nothing

    async def _reply(self, messages: Sequence[BaseMessage]) -> AIMessage:
        """Return a reply, after sending something else as often as the endpoint refuses a part of the request."""
        while True:
            try:
                return await self._retried(messages)
            except RequestRefused as fault:
                self._adapt(fault)
            except ServerFailed as fault:
                below = next_rung(self.rung)
                if below is None or not self._may_be_the_form(fault):
                    raise
                self.suspected.append(self.rung)
                self._to(below, str(fault))

    async def _retried(self, messages: Sequence[BaseMessage]) -> AIMessage:
        """Return a reply, after as many tries as the settings allow. Most questions need one, and no machinery."""
        faults: list[EndpointFault] = []
        try:
            return await self._once(messages)
        except EndpointFault as fault:
            faults.append(fault)

        async def from_the_first() -> AIMessage:
            if faults:
                raise faults.pop()
            return await self._once(messages)

        retrying = AsyncRetrying(
            retry=retry_if_exception(lambda fault: isinstance(fault, EndpointFault) and fault.retryable),
            stop=self._is_enough,
            wait=self._wait,
            before_sleep=self._tell,
            reraise=True,
        )
        return await retrying(from_the_first)

    async def _once(self, messages: Sequence[BaseMessage]) -> AIMessage:
        throttle, learned = self.line.endpoint.throttle, self.line.learned
        async with throttle:
            started = asyncio.get_running_loop().time()
            learned.calls += 1
            try:
                reply = await self._invoke(messages)
            except ModelFault as fault:
                learned.faults[fault.kind] += 1
                if isinstance(fault, RateLimited) or (isinstance(fault, ServerFailed) and fault.retry_after):
                    throttle.pushed_back(started, fault.retry_after)
                raise self.line.placed(fault) from None
            throttle.went_well()
        usage = read_usage(reply.response_metadata.get("token_usage"))
        self.usages.append(usage)
        learned.reports_usage = learned.reports_usage is not False and usage.prompt is not None
        return reply

    async def _invoke(self, messages: Sequence[BaseMessage]) -> AIMessage:
        fields: dict[str, Any] = self.form.fields(self.rung) if self.form else {}
        if self.seed is not None and "seed" not in self.line.learned.dropped:
            fields["seed"] = self.seed
        if self.line.settings.rehearsal:
            fields["attempt"] = self.sent
        self.sent += 1
        config = RunnableConfig(run_name=self.name)
        if self.callbacks is not None:
            config["callbacks"] = self.callbacks
        reply = await self.line.chat.ainvoke(
            shaped(messages, self._words(), folds_system=self.line.learned.folds_system),
            config,
            max_tokens=self.cap,
            **fields,
        )
        if reply.response_metadata.get("finish_reason") == "error":
            raise Overloaded("the endpoint broke off its reply", raw=str(reply.content))
        return reply

    def _words(self) -> str:
        return self.form.words(self.rung) if self.form else ""

    def _adapt(self, fault: RequestRefused) -> None:
        """Change what the next request holds, or raise the fault when nothing can be changed."""
        failure, learned = fault.failure, self.line.learned
        below = next_rung(self.rung) if self.form else None
        if below and blames_form(failure):
            learned.settle(below)
            self._to(below, str(fault))
            return
        if self.cap > self.line.settings.max_tokens and learned.cap_field and learned.cap_field in failure.message:
            raise self.line.placed(Truncated("the reply was cut off, and the endpoint refuses a larger cap")) from None
        sent = {name for name in ("temperature", "top_p") if getattr(self.line.settings, name) is not None}
        dropped = drop_refused(failure, learned, sent | ({"seed"} if self.seed is not None else set()))
        if dropped:
            self.note("dropped", f"{dropped} is no longer sent: {fault}")
        elif below and self._is_new() and not is_too_long(failure):
            self._to(below, str(fault))
        else:
            raise fault

    def _to(self, rung: Rung, why: str) -> None:
        self.note("rung", f"{self.rung} given up for {rung}: {why}")
        self.rung = rung

    def _is_new(self) -> bool:
        return self.rung not in self.line.learned.proven

    def _may_be_the_form(self, fault: BaseException | None) -> bool:
        """Tell whether a server error may come from the way the JSON was asked for: some answer a schema with a 500."""
        new = self.form is not None and self._is_new() and next_rung(self.rung) is not None
        return new and isinstance(fault, ServerFailed) and fault.failure.status in (500, 501)

    def _is_enough(self, state: RetryCallState) -> bool:
        tries = self.line.settings.retries + 1
        if self._may_be_the_form(state.outcome.exception() if state.outcome else None):
            tries = min(tries, _TRIES_OF_A_NEW_RUNG)
        return state.attempt_number >= tries

    def _wait(self, state: RetryCallState) -> float:
        fault = state.outcome.exception() if state.outcome else None
        if isinstance(fault, ModelFault) and fault.retry_after is not None:
            return min(fault.retry_after, LONGEST_PAUSE_S)
        first = self.line.settings.backoff_s
        return (wait_exponential(first, max=_LONGEST_BACKOFF_S) + wait_random(0, first))(state)

    def _tell(self, state: RetryCallState) -> None:
        fault = state.outcome.exception() if state.outcome else None
        self.line.endpoint.throttle.waited += state.upcoming_sleep
        if isinstance(fault, ModelFault):
            self.note(fault.kind, f"{fault}; tried again")


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None
