"""A supporter in any form people give it in, or one line that says what is wrong."""

import pytest

from emoharbor.eval.targets import as_supporter
from emoharbor.state.errors import ConfigError


def test_a_function_is_named_after_itself() -> None:
    def echo(messages: object) -> str:
        return str(messages)

    spec = as_supporter(echo)

    assert (spec.name, spec.use, spec.args["target"]) == ("echo", "callable", echo)


def test_an_object_with_a_name_that_is_none_is_one_clear_line() -> None:
    class Odd:
        __name__ = ""

        def __call__(self, messages: object) -> str:
            return str(messages)

    class Odder(Odd):
        __name__ = 5  # type: ignore[assignment]  # people do such things

    assert as_supporter(Odd()).name == "Odd"
    with pytest.raises(ConfigError, match=r"^supporter: name: .*string"):
        as_supporter(Odder())
