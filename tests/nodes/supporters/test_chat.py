"""A chat model as supporter: what it is sent, and what it could mend on the way."""

from dataclasses import replace
from typing import Any

import pytest

from emoharbor.nodes.contract import Send
from emoharbor.nodes.models.protocol import Reply
from emoharbor.nodes.supporters.chat import chat_supporter


class Listener:
    """Keeps what it was sent."""

    name = "listener"

    def __init__(self) -> None:
        self.sent: list[list[tuple[str, str]]] = []

    async def say(self, messages: Any, **more: Any) -> Reply:
        self.sent.append([(message.type, message.text) for message in messages])
        more["note"]("overloaded", "tried again")
        return Reply("Mm.")


@pytest.mark.parametrize(
    ("send", "turn", "sent"),
    [
        (
            "history",
            1,
            [("system", "Be kind.\n\nShe moved."), ("human", "User 0"), ("ai", "Reply 0"), ("human", "User 1")],
        ),
        ("last", 0, [("system", "Be kind.\n\nShe moved."), ("human", "User 0")]),
        ("last", 1, [("system", "Be kind."), ("human", "User 1")]),
    ],
)  # fmt: skip
async def test_one_that_remembers_is_briefed_once(
    send: Send, turn: int, sent: list[tuple[str, str]], make_request: Any
) -> None:
    model = Listener()

    await chat_supporter(model, "Be kind.", send)(make_request(turn, "She moved."))  # type: ignore[arg-type]  # it only says

    assert model.sent == [sent]


async def test_what_was_mended_is_noted(make_request: Any) -> None:
    noted: list[tuple[str, str]] = []
    request = replace(make_request(), note=lambda *what: noted.append(what))

    await chat_supporter(Listener())(request)  # type: ignore[arg-type]  # it only says

    assert noted == [("overloaded", "tried again")]
