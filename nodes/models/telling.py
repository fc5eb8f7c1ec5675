"""Telling those who listen of a call, at once if none of them has to be waited for.

LangChain's manager for async code makes a task for the end of each call and waits a turn of the event loop for every
event. Handlers that run inline need neither, and all of ours and LangSmith's do.
"""

from functools import lru_cache
from inspect import isawaitable, iscoroutinefunction
from typing import Any

from langchain_core.callbacks import AsyncCallbackManager, BaseCallbackHandler, CallbackManager

_EVENTS = ("on_chat_model_start", "on_llm_start", "on_llm_end", "on_llm_error")


def manager_of(*configured: Any) -> CallbackManager | AsyncCallbackManager:
    """Return who listens, of what LangChain's `configure` is given; async only if somebody has to be waited for."""
    manager = CallbackManager.configure(*configured)
    if all(map(_is_told_at_once, manager.handlers)):
        return manager
    return AsyncCallbackManager(
        handlers=manager.handlers,
        inheritable_handlers=manager.inheritable_handlers,
        parent_run_id=manager.parent_run_id,
        tags=manager.tags,
        inheritable_tags=manager.inheritable_tags,
        metadata=manager.metadata,
        inheritable_metadata=manager.inheritable_metadata,
    )


async def told(event: Any) -> Any:
    """Wait for an event of such a manager if it has to be waited for, and return what it brought."""
    return await event if isawaitable(event) else event


def _is_told_at_once(handler: BaseCallbackHandler) -> bool:
    return handler.run_inline and _is_sync(type(handler))  # type: ignore[arg-type]  # a class can be hashed


@lru_cache(maxsize=256)
def _is_sync(kind: type[BaseCallbackHandler]) -> bool:
    return not any(iscoroutinefunction(getattr(kind, event)) for event in _EVENTS)
