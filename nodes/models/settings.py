"""The settings of a model, as a config gives them."""

from typing import Annotated, Any

from pydantic import Field, field_validator

from emoharbor.state.base import FilledText, Frozen

_SECRETS = ("api_key", "key", "token", "password", "authorization")


class ModelSettings(Frozen):
    """One model behind one endpoint. The key itself never stands here, only the name of its variable."""

    model: FilledText
    base_url: str | None = None
    """Address of the endpoint up to `/v1`; None for OpenAI's own."""
    api_key_env: str | None = None
    """Name of the environment variable that holds the key; None for an endpoint that takes none."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] = 2048
    """Cap of one reply; raised once, to twice this, when a reply is cut off."""
    timeout_s: Annotated[float, Field(gt=0)] = 120
    retries: Annotated[int, Field(ge=0, le=20)] = 4
    """Further tries after a fault of the endpoint that may pass."""
    concurrency: Annotated[int, Field(ge=1)] = 64
    """Calls in flight to this endpoint at once."""
    extra_body: dict[str, Any] = Field(default_factory=dict)
    """Sent as it is; for settings that only this endpoint has."""

    @field_validator("extra_body")
    @classmethod
    def _no_secret(cls, value: dict[str, Any]) -> dict[str, Any]:
        for name in value:
            if name.lower().replace("-", "_") in _SECRETS:
                msg = f"{name!r} looks like a key; put the key into an environment variable and name it in api_key_env"
                raise ValueError(msg)
        return value
