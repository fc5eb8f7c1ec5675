"""Asking an endpoint once, to find out before a run whether it will do."""

from dataclasses import dataclass

from langchain_core.messages import HumanMessage, SystemMessage

from emoharbor.nodes.models.client import Models
from emoharbor.nodes.models.schema import Rung
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.state.base import Frozen, Text
from emoharbor.state.errors import (
    BadRequest,
    ModelFault,
    ModelNotFound,
    RateLimited,
    ReplyFault,
    Unauthorised,
    Unreachable,
)

_LONGEST_S = 60
_RETRIES = 1
_QUESTION = (SystemMessage("You fill in forms."), HumanMessage("Oslo, clear sky, 12 degrees."))


class Weather(Frozen):
    """A small form that shows whether the endpoint keeps to one."""

    place: Text
    sunny: bool
    degrees: int


@dataclass(frozen=True, slots=True)
class Probe:
    """What one endpoint did with one question.

    Attributes:
        settings: of the model that was asked.
        reachable: whether anything answered.
        key_accepted: whether the key was taken; None when that is not known, or there is none.
        model_known: whether the model is there; None when that is not known.
        rung: the way of asking for JSON that works; None when none did.
        reports_usage: whether replies state their tokens; None without a reply.
        dropped: parameters it refused, which will not be sent.
        fault: what went wrong at last, or None.
    """

    settings: ModelSettings
    reachable: bool
    key_accepted: bool | None
    model_known: bool | None
    rung: Rung | None
    reports_usage: bool | None
    dropped: tuple[str, ...]
    fault: ModelFault | None

    @property
    def is_hopeless(self) -> bool:
        """Whether a run could not begin to work: the user has to mend something first."""
        fault = self.fault
        wrong = isinstance(fault, Unauthorised | ModelNotFound | Unreachable | BadRequest)
        return wrong or (isinstance(fault, RateLimited) and not fault.retryable)


async def probe(settings: ModelSettings) -> Probe:
    """Ask the model of some settings for one small form.

    Raises:
        ConfigError: when the variable for the key is not set, naming it.
    """
    brief = {"retries": min(settings.retries, _RETRIES), "timeout_s": min(settings.timeout_s, _LONGEST_S)}
    fault: ModelFault | None = None
    async with Models() as models:
        model = models.open(settings.model_copy(update=brief))
        try:
            await model.ask(_QUESTION, Weather)
        except ModelFault as error:
            fault = error
        report = models.report()[0]
    answered = fault is None or isinstance(fault, ReplyFault)
    has_key = settings.api_key_env is not None
    return Probe(
        settings=settings,
        reachable=not isinstance(fault, Unreachable),
        key_accepted=None if not has_key else True if answered else False if isinstance(fault, Unauthorised) else None,
        model_known=True if answered else False if isinstance(fault, ModelNotFound) else None,
        rung=report.rung,
        reports_usage=report.reports_usage,
        dropped=report.dropped,
        fault=fault,
    )
