"""A supporter that is a graph on a LangGraph server, such as `langgraph dev` or LangGraph Platform."""

import os
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import httpx
from langchain_core.messages import BaseMessage
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from emoharbor.nodes.contract import Request, Send, Supporter
from emoharbor.nodes.models.address import problem_of
from emoharbor.nodes.models.faults import failure_in, fault_of
from emoharbor.nodes.supporters.messages import TIMEOUT, as_dicts, reply_text, to_send, within
from emoharbor.state.errors import CastError, SupporterFault, Unreachable
from emoharbor.state.outcome import Outcome
from emoharbor.state.updates import SupporterUpdate


def remote_graph_supporter(
    url: str,
    graph: str,
    api_key_env: str | None = None,
    send: Send = "history",
    timeout: float = TIMEOUT,
) -> Supporter:
    """Make a supporter of a graph that takes and gives `{"messages": [...]}` behind a LangGraph server.

    The server is sent the messages and nothing else: no config, metadata or context of ours.

    Args:
        url: address of the server, for example http://127.0.0.1:2024.
        graph: name of the graph or id of the assistant.
        api_key_env: name of the variable that holds the server's key. No other key is sent, also where LangGraph's
            client would take one from the environment.
        send: `history` runs each turn without a thread; `last` keeps one thread a dialogue on the server.
        timeout: seconds after which an answer is given up.

    Raises:
        CastError: for what is no address, or a variable that is not set.
    """
    if problem := problem_of(url):
        raise CastError(f"url: {problem}")
    key = _key(api_key_env)

    async def answer(request: Request) -> SupporterUpdate:
        sent = to_send(request, send)
        thread = str(uuid.UUID(hex=request.thread_id)) if send == "last" else None
        # made for each call: an HTTP client belongs to one event loop, and nobody tells a supporter when to close it
        async with get_client(url=url, api_key=key, timeout=timeout) as client:
            output = await within(timeout, _run(client, graph, thread, sent))
        return SupporterUpdate(message=reply_text(_usable(output), sent))

    return answer


async def _run(client: LangGraphClient, graph: str, thread: str | None, sent: Sequence[BaseMessage]) -> object:
    """Run the graph once and return its last state.

    Raises:
        ModelFault: the server could not be reached, or refused.
    """
    given: dict[str, Any] = {"messages": _with_ids(sent)}
    try:
        if thread is None:
            return await client.runs.wait(None, graph, input=given, raise_error=False)
        return await client.runs.wait(thread, graph, input=given, if_not_exists="create", raise_error=False)
    except httpx.HTTPStatusError as error:
        status = error.response.status_code
        raise fault_of(failure_in(status, _body(error), str(error))) from error
    except httpx.TransportError as error:
        raise Unreachable(f"{type(error).__name__}: {error}") from error


def _with_ids(messages: Sequence[BaseMessage]) -> list[dict[str, Any]]:
    return [{**one, "id": message.id} for one, message in zip(as_dicts(messages), messages, strict=True)]


def _usable(output: object) -> object:
    """Return a run's last state.

    Raises:
        SupporterFault: the graph failed, or stopped to ask a human.
    """
    if isinstance(output, Mapping) and (error := output.get("__error__")):
        said = f"{error.get('error')}: {error.get('message')}" if isinstance(error, Mapping) else str(error)
        raise SupporterFault(Outcome.SUPPORTER_ERROR, f"the graph failed: {said}")
    if isinstance(output, Mapping) and output.get("__interrupt__"):
        raise SupporterFault(Outcome.SUPPORTER_ERROR, "the agent stopped to ask a human (interrupt)")
    return output


def _body(error: httpx.HTTPStatusError) -> object:
    """Return what the server said: LangGraph's client has read the body, and adds it as a note."""
    try:
        return error.response.json()
    except (ValueError, httpx.StreamError):
        return "\n".join(getattr(error, "__notes__", ()))


def _key(variable: str | None) -> str | None:
    if variable is None:
        return None
    key = os.environ.get(variable, "").strip()
    if not key:
        raise CastError(f"api_key_env: the environment variable {variable} is not set")
    return key
