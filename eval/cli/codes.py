"""Exit codes, the same for every command."""

from enum import IntEnum


class Code(IntEnum):
    """What a finished command says to the shell."""

    DONE = 0
    NOT_ALL_SCORED = 1
    """Finished, but something could not be scored."""
    USER_MISTAKE = 2
    """One line on stderr says what and how to mend it."""
    BUDGET = 3
    INTERRUPTED = 130
