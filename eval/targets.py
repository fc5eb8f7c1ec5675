"""A supporter in any of the forms people give it in, as a spec."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Literal

from langchain_core.runnables import Runnable
from pydantic import ValidationError

from emoharbor.nodes.parts import load_target
from emoharbor.nodes.spec import SupporterSpec
from emoharbor.state.errors import ConfigError
from emoharbor.state.yamlfile import problem

Target = SupporterSpec | Mapping[str, Any] | str | Callable[..., Any] | Runnable[Any, Any]
"""A supporter: a spec (or its dict), the style of a built-in offline one (`attuned`), `package.module:object`, a
function of messages, a LangChain Runnable, or a function without arguments that makes one."""


def as_supporter(target: Target) -> SupporterSpec:
    """Return the spec of a supporter in any of its forms.

    Raises:
        ConfigError: when it is none of them.
        CastError: when `package.module:object` cannot be imported.
    """
    if isinstance(target, SupporterSpec):
        return target
    if isinstance(target, Mapping):
        return _spec({"name": target.get("use", ""), **target})
    if isinstance(target, str) and ":" not in target:
        return _spec({"name": target, "use": "offline", "style": target})
    name = target if isinstance(target, str) else getattr(target, "__name__", None) or type(target).__name__
    found = load_target(target, "supporter") if isinstance(target, str) else target
    return _spec({"name": name, "use": kind_of(found), "target": target})


def _spec(data: Mapping[str, Any]) -> SupporterSpec:
    try:
        return SupporterSpec.model_validate(data)
    except ValidationError as error:
        raise ConfigError(f"supporter: {problem(error, SupporterSpec)}") from None


def kind_of(found: Any) -> Literal["runnable", "callable"]:
    """Tell which of our supporters takes an object: what needs no argument cannot answer messages, so it makes one."""
    if hasattr(found, "ainvoke") or not callable(found):
        return "runnable"
    if inspect.isclass(found) or inspect.iscoroutinefunction(found):
        return "callable"
    try:
        inspect.signature(found).bind()
    except (TypeError, ValueError):
        return "callable"
    return "runnable"
