"""The simulated user as a LangChain Runnable: `{"messages": [...]}` in, the person's next message out."""

from typing import Any

from langchain_core.messages import HumanMessage
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda

from emoharbor.eval.harness.user import Said, SimulatedUser
from emoharbor.state.errors import ConfigError


def as_runnable(user: SimulatedUser) -> Runnable[Any, HumanMessage | None]:
    """Return a Runnable that takes the messages so far and gives the person's next message.

    The dialogue is named by `thread_id` in the config's `configurable`, the person by `profile` there if there are
    several. It gives None when the person says no more. `user.state(thread_id)` tells outcome and inner world: they are
    no part of the message, which goes to the system under test.
    """

    def speak(messages: Any, config: RunnableConfig) -> HumanMessage | None:
        return _message(user.next_sync(messages, *_named(config)))

    async def aspeak(messages: Any, config: RunnableConfig) -> HumanMessage | None:
        return _message(await user.next(messages, *_named(config)))

    return RunnableLambda(speak, afunc=aspeak, name="simulated_user")


def _named(config: RunnableConfig) -> tuple[str, str | None]:
    named = config.get("configurable") or {}
    if not named.get("thread_id"):
        raise ConfigError('name the dialogue: config={"configurable": {"thread_id": "..."}}')
    return str(named["thread_id"]), named.get("profile")


def _message(found: Said) -> HumanMessage | None:
    return None if found.text is None else HumanMessage(found.text)
