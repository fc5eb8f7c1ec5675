"""What a model is asked to fill in: the base of every reply, and field types that small models can keep to.

The JSON schema sent stays within what OpenAI's strict mode takes (no defaults, no open objects, no numeric bounds; a
short range is an enum). The rules themselves are checked here, so that the model is shown the error when asked again.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from emoharbor.state.text import clean, contains, folded, is_blank

_ENUM_UP_TO = 11
"""Widest range of whole numbers that is sent as an enum."""

_QUOTE_BYTES = 6
"""Shortest quotation, in UTF-8 bytes without spaces and punctuation: six Latin letters, two Chinese."""


class Reply(BaseModel):
    """The base: every field is required; a field that was not asked for is passed over, though the schema bars it."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False, json_schema_extra={"additionalProperties": False})


@dataclass(frozen=True, slots=True)
class Between:
    """Marks a number as lying in a range, both ends included, `without` one number of it.

    "4" as text is 4; 4.7 is no whole number; True is no number. A value outside is an error, and never clamped.
    """

    low: int
    high: int
    without: int | None = None

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Wrap the number's own validation."""
        return core_schema.no_info_wrap_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Send a short range of whole numbers as an enum; a description tells the rest."""
        sent = handler(schema)
        if sent.get("type") == "integer" and self.high - self.low < _ENUM_UP_TO:
            sent["enum"] = [number for number in range(self.low, self.high + 1) if number != self.without]
        return sent

    def _checked(self, value: Any, validate: core_schema.ValidatorFunctionWrapHandler) -> Any:
        number = None if isinstance(value, bool) else validate(value)
        if number is None or number == self.without or not self.low <= number <= self.high:
            but = "" if self.without is None else f", but not {self.without}"
            msg = f"must be a number from {self.low} to {self.high}{but}"
            raise ValueError(msg)
        return number


def _filled(text: str) -> str:
    if is_blank(text):
        msg = "must not be empty"
        raise ValueError(msg)
    return clean(text)


def _lowered(value: Any) -> Any:
    return value.strip().lower() if isinstance(value, str) else value


Filled = Annotated[str, AfterValidator(_filled)]
"""Text that shows something."""
Words = Annotated[str, AfterValidator(clean)]
"""Text that may be empty."""
Lowered = BeforeValidator(_lowered)
"""Marks a choice that may be written in capitals."""
Level = Annotated[float, Between(0, 10)]
Intensity = Annotated[int, Between(0, 10)]
Check = Annotated[int, Between(-3, 3)]
Points = Annotated[int, Between(-3, 3, without=0)]
Relevance = Annotated[int, Between(0, 3)]
Percent = Annotated[int, Between(0, 100)]


def quotes(text: str, words: str) -> bool:
    """Tell whether `words` are a quotation of `text` that says something: not a mere letter or particle of it."""
    long_enough = len(folded(words).encode()) >= _QUOTE_BYTES or folded(words) == folded(text)
    return long_enough and contains(text, words)


def complaint(problems: Iterable[str]) -> str | None:
    """Return the problems as one text for the model to read, or None when there are none."""
    return " ".join(problems) or None
