"""Every error of EmoHarbor, in one tree.

    EmoHarborError
    ├── UserError                 the user can mend it; shown as one line, exit code 2
    │   ├── ConfigError           a run config or an option is wrong
    │   ├── ProfileError          a profile file is wrong
    │   ├── CastError             a role's implementation is unknown or has the wrong signature
    │   ├── RubricError           a rubric file is wrong
    │   └── RunFolderError        a run folder is missing, taken, newer than we are, or not writable
    ├── NodeError                 a node broke the contract; names the node
    ├── SupporterFault            the supporter under test did not answer; carries its outcome
    ├── BudgetReached             the run's budget is spent; exit code 3
    └── ModelFault                a chat endpoint did not give what was asked
        ├── EndpointFault         the transport failed: never a score, never the supporter's fault
        │   ├── RateLimited       429
        │   │   └── QuotaSpent    429 or 402 that waiting does not mend
        │   ├── Overloaded        5xx, or a reply that is no chat completion
        │   ├── Unreachable       connection refused, dropped, or timed out
        │   ├── BadRequest        400 that no other class explains
        │   ├── Unauthorised      401 or 403
        │   └── ModelNotFound     404
        └── ReplyFault            the endpoint answered, but the reply cannot be used
            ├── Refused           a refusal or a content filter
            ├── EmptyReply        nothing to read
            ├── Truncated         cut off by the token cap
            └── Unreadable        not a value of the requested schema, after all re-asks

`ModelFault`s carry `raw`, the text that was received (empty if none). No message ever holds an API key.
"""

from emoharbor.state.outcome import Outcome


class EmoHarborError(Exception):
    """The base of every error that EmoHarbor raises on purpose."""


class UserError(EmoHarborError, ValueError):
    """Something the user can mend. `str(error)` is one line that names the place and the fix.

    It is a `ValueError` since LangGraph's server shows the messages of Python's own errors only.
    """


class ConfigError(UserError):
    """A run config, or an option given on the command line, is wrong."""


class ProfileError(UserError):
    """A profile file cannot be read, or a profile asked for does not exist."""


class CastError(UserError):
    """A role's implementation is unknown, cannot be imported, or does not fit the contract."""


class RubricError(UserError):
    """A rubric file is wrong."""


class RunFolderError(UserError):
    """A run folder is missing, taken, written by a newer version, or cannot be written."""


class NodeError(EmoHarborError):
    """A node handed back something the contract does not allow.

    Attributes:
        role: the seat the node plays.
        node: the name of its implementation.
    """

    def __init__(self, role: str, node: str, problem: str) -> None:
        super().__init__(f"node {role!r} ({node}) {problem}")
        self.role = role
        self.node = node


class SupporterFault(EmoHarborError):  # noqa: N818 - a fault of the tested system, not of ours
    """The supporter under test did not answer the person.

    Attributes:
        outcome: `supporter_refused`, `supporter_empty`, `supporter_truncated` or `supporter_error`.
    """

    def __init__(self, outcome: Outcome, reason: str) -> None:
        super().__init__(reason)
        self.outcome = outcome


class BudgetReached(EmoHarborError):  # noqa: N818 - an expected end
    """The run's budget of tokens or money is spent; what is done is saved."""


class ModelFault(EmoHarborError):  # noqa: N818 - faults become data, errors stop
    """A chat endpoint did not give what was asked.

    Attributes:
        raw: the text that was received, empty if none.
        retry_after: seconds the endpoint asked us to wait, or None.
    """

    kind = "model_fault"
    retryable = False

    def __init__(self, message: str, *, raw: str = "", retry_after: float | None = None) -> None:
        super().__init__(message)
        self.raw = raw
        self.retry_after = retry_after


class EndpointFault(ModelFault):
    """The transport failed. It is never turned into a score and never counted against the supporter."""

    kind = "endpoint"


class RateLimited(EndpointFault):
    """The endpoint answered 429."""

    kind = "rate_limited"
    retryable = True


class QuotaSpent(RateLimited):
    """The quota or the credit is spent (429 or 402); it does not come back by waiting."""

    kind = "quota_spent"
    retryable = False


class Overloaded(EndpointFault):
    """The endpoint answered 5xx, or with something that is no chat completion."""

    kind = "overloaded"
    retryable = True


class Unreachable(EndpointFault):
    """The connection was refused, dropped, or timed out."""

    kind = "unreachable"
    retryable = True


class BadRequest(EndpointFault):
    """The endpoint refused the request (400) for a reason that no other class names."""

    kind = "bad_request"


class Unauthorised(EndpointFault):
    """The endpoint refused the key (401, 403)."""

    kind = "unauthorised"


class ModelNotFound(EndpointFault):
    """The endpoint does not know the model (404)."""

    kind = "model_not_found"


class ReplyFault(ModelFault):
    """The endpoint answered, but the reply cannot be used."""

    kind = "reply"


class Refused(ReplyFault):
    """The model refused, or a content filter stopped it. Never retried as a transport fault, never cached."""

    kind = "refusal"


class EmptyReply(ReplyFault):
    """The reply holds nothing to read."""

    kind = "empty"
    retryable = True


class Truncated(ReplyFault):
    """The reply was cut off by the token cap (finish_reason `length`)."""

    kind = "truncated"
    retryable = True


class Unreadable(ReplyFault):
    """The reply is not a value of the requested schema, also after the validation error was shown to the model."""

    kind = "unreadable"
