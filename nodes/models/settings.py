"""The settings of a model, as a config gives them."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import Field, field_validator

from emoharbor.nodes.models.address import is_loopback, problem_of
from emoharbor.state.base import FilledText, Frozen
from emoharbor.state.secrets import names_a_secret


class ModelSettings(Frozen):
    """One model behind one endpoint. The key itself never stands here, only the name of its variable."""

    model: FilledText
    base_url: str | None = None
    """Address of the endpoint up to `/v1`; None for OpenAI's own."""
    api_key_env: str | None = None
    """Name of the environment variable that holds the key; None for an endpoint that takes none."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    max_tokens: Annotated[int, Field(strict=True, ge=1)] = 2048
    """Cap of one reply; raised once, to twice this, when a reply is cut off."""
    timeout_s: Annotated[float, Field(gt=0)] = 120
    """Longest time one attempt may take, from the first byte sent to the last received."""
    retries: Annotated[int, Field(strict=True, ge=0, le=20)] = 4
    """Further tries after a fault of the endpoint that may pass."""
    backoff_s: Annotated[float, Field(ge=0)] = 0.5
    """First wait before such a try; it doubles, with jitter, unless the endpoint says how long to wait."""
    reasks: Annotated[int, Field(strict=True, ge=0, le=3)] = 1
    """How often a structured reply that does not fit its schema is asked for again, with what is wrong with it."""
    concurrency: Annotated[int, Field(strict=True, ge=1)] = 64
    """Calls in flight to this endpoint at once; of several models behind one endpoint the lowest counts."""
    rehearsal: bool = False
    """Tells a rehearsal endpoint on this machine which role, turn and profile a call is for; refused for any other."""
    extra_body: dict[str, Any] = Field(default_factory=dict)
    """Sent as it is; for settings that only this endpoint has."""

    @field_validator("base_url")
    @classmethod
    def _usable_address(cls, value: str | None) -> str | None:
        if value is not None and (problem := problem_of(value)):
            raise ValueError(problem)
        return value

    @field_validator("rehearsal")
    @classmethod
    def _only_here(cls, value: bool, info: Any) -> bool:  # noqa: FBT001 - pydantic calls it
        url = info.data.get("base_url", "")
        if value and not (url and is_loopback(url)):
            msg = "rehearsal is for an endpoint on this machine only; set base_url to it (see `emoharbor endpoint`)"
            raise ValueError(msg)
        return value

    @field_validator("extra_body")
    @classmethod
    def _no_secret(cls, value: dict[str, Any]) -> dict[str, Any]:
        for name in _names(value):
            if names_a_secret(name):
                msg = f"{name!r} looks like a key; put the key into an environment variable and name it in api_key_env"
                raise ValueError(msg)
        return value


def _names(value: object) -> Iterator[str]:
    """Yield the names of all fields that hold a text, however deep: where a key would stand."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if isinstance(inner, str):
                yield str(name)
            yield from _names(inner)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _names(item)
