"""A supporter behind a LangGraph server: what is sent, what comes back, what goes wrong."""

import json
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from helpers.http_json import free_port

from emoharbor.nodes.contract import Request
from emoharbor.nodes.supporters.remote_graph import remote_graph_supporter
from emoharbor.state.errors import (
    CastError,
    ModelFault,
    ModelNotFound,
    Overloaded,
    RateLimited,
    SupporterFault,
    Unauthorised,
    Unreachable,
)
from emoharbor.state.outcome import Outcome

MakeRequest = Callable[..., Request]
THREAD = uuid.UUID(int=7).hex


@dataclass
class Server:
    """A stand-in for a LangGraph server: gives one answer, and keeps what it was sent."""

    url: str
    answer: Any
    status: int = 200
    sent: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)


@contextmanager
def serving(answer: Any, status: int = 200) -> Iterator[Server]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            server.sent.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            text = json.dumps(server.answer).encode()
            self.send_response(server.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server = Server(f"http://127.0.0.1:{http.server_port}", answer, status)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


REPLY = {"messages": [{"type": "human", "content": "User 0", "id": "u0"}, {"type": "ai", "content": "I am here."}]}


async def test_the_whole_dialogue_is_sent_without_a_thread(make_request: MakeRequest) -> None:
    with serving(REPLY) as server:
        update = await remote_graph_supporter(server.url, "agent")(make_request(1, briefing="Be kind.", thread=THREAD))

    assert update.message == "I am here."
    (path, _, body), *_ = server.sent
    assert path == "/runs/wait"
    assert body["assistant_id"] == "agent"
    assert body["input"] == {
        "messages": [
            {"role": "system", "content": "Be kind.", "id": None},
            {"role": "user", "content": "User 0", "id": "u0"},
            {"role": "assistant", "content": "Reply 0", "id": "a0"},
            {"role": "user", "content": "User 1", "id": "u1"},
        ]
    }


async def test_with_last_one_thread_holds_the_dialogue(make_request: MakeRequest) -> None:
    with serving(REPLY) as server:
        answer = remote_graph_supporter(server.url, "agent", send="last")
        await answer(make_request(0, thread=THREAD))
        await answer(make_request(1, thread=THREAD))

    assert [path for path, _, _ in server.sent] == [f"/threads/{uuid.UUID(THREAD)}/runs/wait"] * 2
    assert [body["if_not_exists"] for _, _, body in server.sent] == ["create"] * 2
    assert [body["input"]["messages"] for _, _, body in server.sent] == [
        [{"role": "user", "content": "User 0", "id": "u0"}],
        [{"role": "user", "content": "User 1", "id": "u1"}],
    ]


async def test_nothing_but_the_messages_is_sent(make_request: MakeRequest) -> None:
    with serving(REPLY) as server:
        await remote_graph_supporter(server.url, "agent")(make_request(1, thread=THREAD))

    (_, headers, body), *_ = server.sent
    assert {name for name, value in body.items() if value} <= {"assistant_id", "input", "raise_error"}
    assert {name for name in headers if name.startswith(("x-", "langsmith", "baggage"))} == set()


async def test_only_the_key_that_was_named_is_sent(make_request: MakeRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGSMITH_API_KEY", "somebody-elses")
    monkeypatch.setenv("MY_KEY", "mine")
    with serving(REPLY) as server:
        await remote_graph_supporter(server.url, "agent")(make_request())
        await remote_graph_supporter(server.url, "agent", api_key_env="MY_KEY")(make_request())

    assert [headers.get("x-api-key") for _, headers, _ in server.sent] == [None, "mine"]


@pytest.mark.parametrize(
    ("answer", "outcome", "says"),
    [
        ({"messages": [{"type": "ai", "content": "  "}]}, Outcome.SUPPORTER_EMPTY, "shows nothing"),
        ({"messages": [{"type": "human", "content": "User 0", "id": "u0"}]}, Outcome.SUPPORTER_EMPTY, "no AIMessage"),
        ({"__error__": {"error": "KeyError", "message": "'mood'"}}, Outcome.SUPPORTER_ERROR, "KeyError: 'mood'"),
        ({"messages": [], "__interrupt__": [{"value": "ok?"}]}, Outcome.SUPPORTER_ERROR, "ask a human"),
        ({"answer": "hi"}, Outcome.SUPPORTER_ERROR, "its keys: answer"),
    ],
)
async def test_an_answer_that_cannot_be_used_is_the_supporters_failure(
    make_request: MakeRequest, answer: Any, outcome: Outcome, says: str
) -> None:
    with serving(answer) as server, pytest.raises(SupporterFault, match=says) as fault:
        await remote_graph_supporter(server.url, "agent")(make_request())

    assert fault.value.outcome is outcome


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, Unauthorised), (403, Unauthorised), (404, ModelNotFound), (429, RateLimited), (503, Overloaded)],
)
async def test_a_server_that_refuses_is_no_failure_of_the_supporter(
    make_request: MakeRequest, status: int, kind: type[ModelFault]
) -> None:
    with serving({"detail": "Assistant 'agent' not found"}, status) as server, pytest.raises(kind) as fault:
        await remote_graph_supporter(server.url, "agent")(make_request())

    assert "Assistant 'agent' not found" in str(fault.value)


@pytest.mark.slow  # the client tries again for some seconds
async def test_a_server_that_is_not_there_is_unreachable(make_request: MakeRequest) -> None:
    with pytest.raises(Unreachable):
        await remote_graph_supporter(f"http://127.0.0.1:{free_port()}", "agent")(make_request())


@pytest.mark.parametrize("url", ["agent", "ftp://host", "http://user:secret@host"])
def test_what_is_no_address_is_refused_at_once(url: str) -> None:
    with pytest.raises(CastError, match="url: ") as refused:
        remote_graph_supporter(url, "agent")

    assert "secret" not in str(refused.value)


def test_a_key_variable_that_is_not_set_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)

    with pytest.raises(CastError, match="NO_SUCH_KEY is not set"):
        remote_graph_supporter("http://127.0.0.1:1", "agent", api_key_env="NO_SUCH_KEY")
