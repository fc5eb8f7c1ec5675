"""Letting a node work: what it raises and what it returns is named with the node where it arises."""

import inspect
from typing import Any

from langgraph.errors import GraphBubbleUp
from pydantic import ValidationError

from emoharbor.nodes.cast import Part
from emoharbor.nodes.contract import Runtime
from emoharbor.nodes.fit import RETURNS
from emoharbor.nodes.raised import raised
from emoharbor.state.base import Role
from emoharbor.state.episode import Channels
from emoharbor.state.errors import EmoHarborError, NodeError
from emoharbor.state.updates import NodeUpdate


async def work(part: Part, seen: Channels, runtime: Runtime) -> object:
    """Return what a node of the person or the judge returns. LangGraph's own signals pass.

    Raises:
        NodeError: naming the node, whatever its code raised, an exit included.
    """
    node: Any = part.node
    try:
        return await node(seen, runtime)
    except (EmoHarborError, GraphBubbleUp):
        raise
    except (Exception, SystemExit) as error:
        raise NodeError(part.role, part.name, f"failed: {raised(error)}") from error


def validated(role: Role, part: Part, update: object) -> NodeUpdate:
    """Return an update, validated where it arises.

    Raises:
        NodeError: naming the node, for a wrong type or a wrong value.
    """
    expected = RETURNS[role]
    if inspect.iscoroutine(update):
        update.close()  # else Python warns of it somewhere else
        raise NodeError(role, part.name, f"returned a coroutine, expected {expected.__name__}; is an `await` missing?")
    if not isinstance(update, expected):
        raise NodeError(role, part.name, f"returned {type(update).__name__}, expected {expected.__name__}")
    try:
        # an update made by model_copy or model_construct has never been validated
        return expected.model_validate(update)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise NodeError(role, part.name, f"returned a wrong {place}: {first['msg']}") from error
