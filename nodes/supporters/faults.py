"""Telling an endpoint's failure from a supporter's, in the errors that agents let through."""

from emoharbor.nodes.models.faults import failure_in, fault_of
from emoharbor.state.errors import ModelFault, Unreachable


def model_fault(error: BaseException) -> ModelFault | None:
    """Return what an error of a model client means, or None for any other error.

    The clients of OpenAI, Anthropic, Groq and others are made by one generator: an error that came over HTTP has a
    whole number `status_code` and the parsed `body`, and a dropped connection is an `APIConnectionError`.
    """
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and status >= 400 and hasattr(error, "body"):
        return fault_of(failure_in(status, error.body, str(error)))
    if any(kind.__name__ == "APIConnectionError" for kind in type(error).__mro__):
        return Unreachable(f"{type(error).__name__}: {error}")
    return None
