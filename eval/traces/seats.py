"""What the graph and its nodes were given and gave back, in the short form that is stored; `load.py` writes it out.

Nodes run one after the other, so what a node is given mostly follows from what the one before was given and gave back;
of the inner world only what a node changed is written; a world that comes again is named by the number of the node that
left it, and a message by its place in the table.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from langgraph.types import Command

from emoharbor.eval.traces.table import MessageTable
from emoharbor.eval.traces.worlds import SAME, short_world
from emoharbor.graphs.shown import follows, shown
from emoharbor.state.episode import Channels
from emoharbor.state.inner_world import InnerWorld


class ShortSeats:
    """Shortens what the nodes of one episode are given and give back, in the order they run."""

    def __init__(self, table: MessageTable) -> None:
        self._table = table
        self._inner: InnerWorld | None = None
        self._left: dict[int, tuple[int, InnerWorld]] = {}  # the world is held, so that no other gets its `id`
        self._given: Channels | None = None
        self._gave: Mapping[str, Any] | None = None

    def given(self, channels: Channels) -> object:
        """Return what a node was given; `SAME` when it is what the node before was given and gave back."""
        before, gave = self._given, self._gave
        self._given, self._gave = channels, None
        if before is not None and gave is not None and follows(channels, before, gave):
            return SAME
        payload = shown(channels)
        if isinstance(world := payload.get("inner"), InnerWorld):
            payload["inner"] = short_world(world, self._inner)
        payload["messages"] = self._places(payload["messages"])
        return payload

    def gave(self, output: Command[Any], number: int) -> dict[str, Any]:
        """Return what the node of a number gave back."""
        update = output.update
        if isinstance(update, dict):
            self._gave, update = update, dict(update)
            if isinstance(world := update.get("inner"), InnerWorld):
                if len(worlds := update.get("worlds", ())) == 1 and worlds[0] is world:
                    update["worlds"] = SAME
                update["inner"] = short_world(world, self._inner)
                self._inner = world
                self._left[id(world)] = (number, world)
            if "messages" in update:
                update["messages"] = self._places(update["messages"])
        return {"output": {"graph": output.graph, "update": update, "resume": output.resume, "goto": output.goto}}

    def last(self, channels: dict[str, Any]) -> dict[str, Any]:
        """Return what the graph gave back."""
        state = dict(channels)
        if "worlds" in state:
            state["worlds"] = [self._left.get(id(world), (world,))[0] for world in state["worlds"]]
        if "messages" in state:
            state["messages"] = self._places(state["messages"])
        return state

    def _places(self, messages: Iterable[Any]) -> list[int]:
        return [self._table.keep(message) for message in messages]
