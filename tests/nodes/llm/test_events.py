"""What the model roles are told of an event: golden prompts."""

from collections.abc import Callable
from typing import Any

import pytest
from helpers.llm_roles import FEEL, FUSED, SPEAK, THINK, Notes, Scripted, at_work, state_at

from emoharbor.nodes.feel import llm_feel
from emoharbor.nodes.fused import llm_fused
from emoharbor.nodes.speak import llm_speak
from emoharbor.nodes.think import llm_think
from emoharbor.profiles.schema import Profile
from emoharbor.state.event import Event
from emoharbor.state.inner_world import Thought

ROLES: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "feel": (llm_feel, FEEL), "think": (llm_think, THINK), "speak": (llm_speak, SPEAK), "fused": (llm_fused, FUSED),
}  # fmt: skip
EVENTS = (
    Event(turn=1, kind="interruption", text="The doorbell rang."),
    Event(turn=2, kind="bad_news", text="A letter has come, and it says no."),
)
LED = Thought(monologue="So it has come.", intention="deflect", gist="never mind")


@pytest.mark.parametrize("role", ROLES)
async def test_prompts_after_an_event_are_as_in_the_golden_files(role: str, ilse: Profile, golden: Any) -> None:
    make, reply = ROLES[role]
    model = Scripted([reply])
    state = {**state_at(ilse, 2, thought=LED if role == "speak" else None), "events": EVENTS}
    await make(model)(state, at_work(ilse, Notes(), ""))
    golden(f"event_{role}", model.calls[0])
    assert model.calls[0][1].count("A letter has come") == 1
    assert "A letter has come" not in model.calls[0][0]
