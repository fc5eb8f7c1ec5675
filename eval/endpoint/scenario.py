"""What the bundled endpoint plays: a scenario, read from YAML."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError, model_validator

from emoharbor.nodes.models.schema import Rung
from emoharbor.state.errors import ConfigError
from emoharbor.state.yamlfile import nearest, read_yaml

Share = Annotated[float, Field(ge=0, le=1)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Act(_Part):
    """One thing the endpoint does in place of a sensible reply. What is not set is as in a sensible reply."""

    content: str | None = None
    """Text of the reply; `{VALID}` in it stands for the sensible one. Set to null, it is null."""
    times: Annotated[int, Field(ge=1)] = 1
    """How often the content is repeated in one reply."""
    message: str | None = None
    """What is said: the field `message` of a structured reply, or the content of a plain one."""
    value: dict[str, Any] | None = Field(None, alias="json")
    """Fields to change in a structured reply; a name that is not at its top is changed where it is first found."""
    raw_text: str | None = None
    """Text of the reply, exactly."""
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    finish_reason: str | None = None
    usage: dict[str, Any] | None = None
    """Token counts; set to null, there are none."""
    raw: Any = None
    """The whole body, as JSON."""
    body: str | None = None
    """The whole body, as text."""
    status: Annotated[int, Field(ge=100, le=599)] = 200
    error: str | dict[str, Any] | None = None
    headers: dict[str, str] = Field(default_factory=dict)
    delay_s: Annotated[float, Field(ge=0)] = 0
    close: Literal["before", "mid_body"] | None = None
    """Where the connection is dropped."""
    form: Rung | None = None
    """Only for requests that ask for JSON in this way; for others the reply is a sensible one."""

    def has(self, name: str) -> bool:
        """Tell whether a field was set, be it to null."""
        return name in self.model_fields_set


Word = Literal["ok", "same", "forever"]


def _form_of(step: object) -> str:
    return "word" if isinstance(step, str) else "act"


Step = Annotated[Annotated[Act, Tag("act")] | Annotated[Word, Tag("word")], Discriminator(_form_of)]


class When(_Part):
    """Which calls a rule is for. What is not set fits every call; a list fits any of its items."""

    role: str | list[str] | None = None
    """`feel`, `think`, `speak`, `fused`, `supporter`, `judge`; `user` for the first four."""
    turn: int | list[int] | None = None
    profile: str | list[str] | None = None
    model: str | list[str] | None = None
    count: int | list[int] | None = None
    """The how manieth of the calls that fit otherwise, from 1. With several calls at once the order may vary."""


class Rule(_Part):
    """What happens to some calls."""

    when: When = When()
    reply: Annotated[list[Step], Field(min_length=1)]
    """Played in order, then normal replies. `ok` is a normal reply, `same` the step before once more; `forever` at the
    end repeats the step before from then on."""
    each: Literal["run", "profile", "request"] = "run"
    """Whether the list is played once in all, once for each person, or once for each different request."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        for index, step in enumerate(self.reply):
            if step in ("same", "forever") and index == 0:
                msg = f"{step!r} stands first, with no step before it"
                raise ValueError(msg)
            if step == "forever" and index != len(self.reply) - 1:
                msg = "'forever' stands before other steps; it must be the last"
                raise ValueError(msg)
        return self

    def step(self, index: int) -> Act | None:
        """Return what is done the `index`-th time, or None for a normal reply."""
        last = len(self.reply) - 1
        if index > last and self.reply[last] != "forever":
            return None
        found = self.reply[min(index, last)]
        if found in ("same", "forever"):
            return self.step(min(index, last) - 1)
        return found if isinstance(found, Act) else None


class Chance(_Part):
    """Faults at random: for each request, by a hash of it, whatever else is asked and when."""

    share: Share
    """How many requests are hit."""
    acts: Annotated[list[Act], Field(min_length=1)]
    """One of these, each as likely."""
    when: When = When()


class Scenario(_Part):
    """What the endpoint plays. An empty one only answers sensibly."""

    seed: int = 0
    latency_ms: Annotated[float, Field(ge=0)] = 0
    models: Annotated[list[str], Field(min_length=1)] = ["rehearsal"]
    """What `GET /v1/models` lists; other names are answered too."""
    reports_usage: bool = True
    prefix_cache: bool = True
    rules: list[Rule] = Field(default_factory=list)
    """The first rule that fits and has something left to do is played."""
    chance: list[Chance] = Field(default_factory=list)


def load_scenario(path: Path) -> Scenario:
    """Read a scenario.

    Raises:
        ConfigError: naming the file, the line and what is wrong.
    """
    file = read_yaml(path, ConfigError, "a scenario, such as `latency_ms: 200`")
    try:
        return Scenario.model_validate(file.data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = [step for step in first["loc"] if step not in ("act", "word")]
        names = ", ".join(field.alias or name for name, field in Act.model_fields.items())
        unknown = first["type"] == "extra_forbidden" and "act" in first["loc"]
        if unknown:
            what = f"unknown name; an act takes: {names}"
        elif first["type"] == "extra_forbidden":
            what = f"unknown name; {nearest(str(place[-1]), _fields_beside(place))}"
        else:
            what = first["msg"].removeprefix("Value error, ")
        raise ConfigError(f"{file.at(place)}: {'.'.join(map(str, place))}: {what}") from None


def _fields_beside(place: list[int | str]) -> Iterable[str]:
    """The names that the part takes in which a name stands."""
    if "when" in place[:-1]:
        return When.model_fields
    parts: dict[int | str, type[BaseModel]] = {"rules": Rule, "chance": Chance}
    return (parts.get(place[0], Scenario) if len(place) > 1 else Scenario).model_fields
