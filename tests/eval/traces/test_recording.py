"""What is recorded locally, when it is durable, and what must never be in it."""

import asyncio
import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from helpers.langsmith_standin import Ingest
from helpers.runs import assembly, canonical
from helpers.runs import play as play_scripted
from helpers.scripted import Script, part
from helpers.traced import offline, play, played

from emoharbor.eval.api import evaluate
from emoharbor.eval.endpoint.scenario import Scenario
from emoharbor.eval.endpoint.server import endpoint_in_thread
from emoharbor.eval.record import EpisodeKey
from emoharbor.eval.run import load_run
from emoharbor.eval.store.reader import Reader
from emoharbor.eval.traces.codec import Opening, unpack
from emoharbor.eval.traces.patch import changes
from emoharbor.nodes.contract import Request
from emoharbor.profiles.loader import load_people
from emoharbor.state.updates import SupporterUpdate

pytestmark = pytest.mark.slow  # whole runs

LangSmith = Callable[..., AbstractContextManager[Ingest]]
KEY = EpisodeKey(profile="P040", supporter="attuned")


def raw(folder: Path, key: EpisodeKey) -> bytes:
    """Return everything stored of an episode's trace, unpacked."""
    reader = Reader(folder)
    opening = reader.opening_trace(key.profile, key.repeat)
    begun = Opening(opening) if opening else None
    blobs = [*unpack([opening] if opening else []), *unpack(reader.traces(key), begun)]
    return json.dumps([[item.root, item.texts, item.runs] for item in blobs], ensure_ascii=False).encode()


async def test_the_opening_is_stored_once_and_shown_in_every_episode(tmp_path: Path) -> None:
    run = await play(offline(styles=("attuned", "generic")), tmp_path / "run")

    first, second = (run.trace(key) for key in run.planned())
    assert [seat.name for seat in first.opening if seat.seat] == ["feel", "think", "speak"]
    assert [item.id for item in first.opening] == [item.id for item in second.opening]
    assert not {item.id for item in first.runs} & {item.id for item in second.runs}


async def test_a_nodes_change_leads_from_the_inner_world_before_to_the_one_after(tmp_path: Path) -> None:
    run = await play(offline(), tmp_path / "run")

    trace = run.trace(KEY)
    inner = [seat for seat in trace.seats() if seat.name in ("feel", "think")]
    assert all(seat.change for seat in inner)
    assert all(seat.proposed for seat in inner)
    for seat in inner:
        assert changes(seat.inputs["inner"], seat.update["inner"]) == seat.change
    worlds = {seat.turn: seat.update["inner"]["distress"] for seat in inner}
    record = run.episode(KEY)
    assert worlds == {i: turn.inner_world.distress for i, turn in enumerate(record.turns) if turn.inner_world}


async def test_the_trace_tells_of_the_persons_limits_what_the_record_tells(tmp_path: Path) -> None:
    at_once = {"when": {"role": "feel"}, "reply": [{"json": {"distress": 0, "felt_understood": 3}}, "forever"]}
    with endpoint_in_thread(Scenario.model_validate({"rules": [at_once]})) as endpoint:
        run = await play(played(endpoint.url), tmp_path / "run")

    found = [shift for seat in run.trace("P040/chat/0").seats() for shift in seat.limited]
    shifts = run.episode("P040/chat/0").shifts
    assert found == [shift for shift in shifts if shift.limited] != []
    assert any(shift.before is None for shift in shifts), "how understood one feels has no value before an answer"


async def test_faults_stand_at_the_node_that_had_them(tmp_path: Path) -> None:
    rule = {"when": {"role": "think", "turn": 1}, "reply": [{"content": "no JSON"}]}
    with endpoint_in_thread(Scenario.model_validate({"rules": [rule]})) as endpoint:
        run = await play(played(endpoint.url), tmp_path / "run")

    trace = run.trace("P040/chat/0")
    hurt = [seat for seat in trace.seats() if seat.faults]
    assert [(seat.name, seat.turn) for seat in hurt] == [("think", 1)]
    calls = trace.children(hurt[0])
    assert [call.reply == "no JSON" for call in calls] == [True, False]


async def test_a_run_that_is_killed_shows_its_finished_turns(tmp_path: Path) -> None:
    reached = asyncio.Event()

    async def hangs(request: Request) -> SupporterUpdate:
        if request.turn == 2:
            reached.set()
            await asyncio.Event().wait()
        return SupporterUpdate(message=f"Answer {request.turn}.")

    found = assembly(Script(), profiles=("P040",), supporters={"one": part("supporter", hangs)})
    task = asyncio.create_task(play_scripted(found, tmp_path / "run"))
    await reached.wait()
    under_way = load_run(tmp_path / "run").trace("P040/one/0")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    trace = load_run(tmp_path / "run").trace("P040/one/0")
    for seen in (under_way, trace):
        assert [(seat.name, seat.turn) for seat in seen.seats()][:8] == [
            ("feel", 0), ("think", 0), ("speak", 0), ("supporter", 0),
            ("feel", 1), ("think", 1), ("speak", 1), ("supporter", 1),
        ]  # fmt: skip
    (root,) = under_way.roots
    assert root.seconds is None


async def test_an_episode_that_is_gone_on_with_shows_both_stretches(tmp_path: Path) -> None:
    speaks, script = Script().speaks, Script()

    def not_now(turn: int) -> str:
        if turn == 2:
            msg = "not now"
            raise ValueError(msg)
        return speaks(turn)

    script.speaks = not_now
    await play_scripted(assembly(script, profiles=("P040",)), tmp_path / "run")
    script.speaks = speaks
    run = await play_scripted(assembly(script, profiles=("P040",)), tmp_path / "run", resume=True)

    trace = run.trace("P040/one/0")
    assert [bool(root.error) for root in trace.roots] == [True, False]
    spoken = [(seat.turn, bool(seat.error)) for seat in trace.seats() if seat.name == "speak"]
    assert spoken == [(0, False), (1, False), (2, True), (2, False)]


async def test_a_trace_that_cannot_be_recorded_harms_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    expected = canonical(await play(offline(), tmp_path / "good"), tmp_path)

    def no_room(*_: object, **__: object) -> bytes:
        msg = "no room"
        raise MemoryError(msg)

    monkeypatch.setattr("emoharbor.eval.traces.recorder.json_row", no_room)
    run = await play(offline(), tmp_path / "bad")

    assert canonical(run, tmp_path) == expected
    assert run.trace(KEY).all == ()
    assert {record.levelname for record in caplog.records} == {"WARNING"}


async def test_live_tracing_changes_no_result(langsmith: LangSmith, tmp_path: Path) -> None:
    expected = canonical(await play(offline(), tmp_path / "off"), tmp_path)
    with langsmith():
        run = await play(offline(), tmp_path / "on")

    assert canonical(run, tmp_path) == expected


async def test_no_trace_holds_a_key(langsmith: LangSmith, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, known = "canary-key-no-prefix-1", "sk-canaryknownprefix123"
    monkeypatch.setenv("CANARY_KEY", key)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canaryopenai0123456")
    # an endpoint that repeats the key, and an agent that raises with one
    rule = {"when": {"role": "think"}, "reply": [{"json": {"monologue": f"They gave me {key}."}}, "forever"]}

    def leaks(messages: object) -> str:
        raise RuntimeError(f"refused: Bearer {known} {key}")

    with langsmith() as ingest, endpoint_in_thread(Scenario.model_validate({"rules": [rule]})) as endpoint:
        config = played(endpoint.url, api_key_env="CANARY_KEY")
        config["supporters"].append({"name": "leaks", "use": "callable", "target": leaks})
        run = await evaluate(config, tmp_path / "run")

    kept = b"".join(raw(tmp_path / "run", item) for item in run.planned())
    uploaded = repr(ingest.runs).encode()
    for name, canary in {"endpoint": key, "openai": "sk-canaryopenai0123456", "langsmith": "lsv2_canary_key"}.items():
        assert canary.encode() not in kept, name
    assert known.encode() not in kept
    assert known.encode() not in uploaded
    assert b"lsv2_canary_key" not in uploaded
    assert b"sk-canaryopenai" not in uploaded


async def test_no_trace_holds_text_of_another_person(langsmith: LangSmith, tmp_path: Path) -> None:
    people = ("P010", "P035", "P040")
    with langsmith() as ingest, endpoint_in_thread(Scenario()) as endpoint:
        config = {**played(endpoint.url), "profiles": list(people)}
        run = await evaluate(config, tmp_path / "run")

    stories = {who: person.situation.history for who, person in load_people(list(people)).items()}
    for key in run.planned():
        kept = raw(tmp_path / "run", key)
        traces = {item.trace for item in run.trace(key).all}
        mine = [item for item in ingest.runs.values() if item["trace_id"] in traces]
        sent = json.dumps(mine, ensure_ascii=False).encode()
        for who, story in stories.items():
            for place in (kept, sent):
                assert (story[:50].encode() in place) == (who == key.profile), (key, who)
