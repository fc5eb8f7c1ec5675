"""Whole runs while endpoints misbehave: what is counted, stored and told, and that no key is anywhere."""

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.rehearsal import CANARY, cast, settings

from emoharbor.eval.api import evaluate
from emoharbor.eval.endpoint.scenario import Scenario
from emoharbor.eval.endpoint.server import endpoint_in_thread, start_endpoint
from emoharbor.eval.run import Run
from emoharbor.state.outcome import Outcome

pytestmark = pytest.mark.slow  # whole runs over HTTP

PEOPLE = ("P010", "P035")


def config(url: str, *, turns: int = 1, concurrency: int = 4, **more: Any) -> dict[str, Any]:
    model = settings(url, **more)
    return {
        "run": {"name": "rehearsal", "seed": 5, "max_turns": turns},
        "profiles": list(PEOPLE),
        "models": {"m": model, "s": {**model, "model": "s"}},
        "cast": cast(),
        "supporters": [{"name": "chat", "use": "chat", "model": "s"}],
        "limits": {"concurrency": concurrency},
    }


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", CANARY)


async def run(folder: Path, rules: list[dict[str, Any]], *, resume: bool = False, port: int = 0, **more: Any) -> Run:
    async with start_endpoint(Scenario.model_validate({"rules": rules}), port) as endpoint:
        return await evaluate(config(endpoint.url, **more), folder, resume=resume)


def rule(role: str, *reply: Any) -> dict[str, Any]:
    return {"when": {"role": role}, "reply": list(reply)}


def trace_text(found: Run, episode: str = "P010/chat") -> str:
    return "".join(f"{item.inputs}{item.outputs}{item.error}" for item in found.trace(episode).all)


def all_files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file()]


async def test_a_judge_that_cannot_be_read_is_counted_and_the_run_goes_on(tmp_path: Path) -> None:
    words = "I'd say a strong 4 out of 5, maybe **5**."
    found = await run(tmp_path / "r", [rule("judge", {"content": words}, "same")], concurrency=1)
    verdicts = [record.judgements[0] for record in found.episodes()]
    assert [verdict.unscored is None for verdict in verdicts] == [False, True]
    assert verdicts[0].raw == words
    assert verdicts[0].scores is None
    row = found.leaderboard().supporters[0]
    assert row.n == 1
    assert sum(row.outcomes.values()) == 2


async def test_what_a_model_thought_is_in_the_trace_and_nowhere_else(tmp_path: Path) -> None:
    thought = {"content": "<think>They sound tense QX7.</think>{VALID}"}
    field = {"reasoning_content": "secret plan QX8"}
    found = await run(tmp_path / "r", [rule("supporter", thought, "forever"), rule("judge", field, "forever")])
    for key_ in ("P010/chat", "P035/chat"):
        text = trace_text(found, key_)
        assert "QX7" in text
        assert "QX8" in text
    assert "QX" not in "".join(record.model_dump_json() for record in found.episodes())


async def test_the_raw_text_of_a_cut_reply_is_in_the_trace(tmp_path: Path) -> None:
    found = await run(tmp_path / "r", [rule("judge", {"content": '{"weakest": QX9', "finish_reason": "length"})],
                      concurrency=1)  # fmt: skip
    assert "QX9" in trace_text(found)


async def test_tokens_that_no_endpoint_states_are_unknown(tmp_path: Path) -> None:
    found = await run(tmp_path / "r", [{"reply": [{"usage": None}, "forever"]}])
    assert [(times.prompt_tokens, times.completion_tokens) for _, times in found.records()] == [(None, None)] * 2
    assert all(item["reports_usage"] is False for item in found.manifest.endpoints)


async def test_a_lone_surrogate_survives_store_and_exports(tmp_path: Path) -> None:
    found = await run(tmp_path / "r", [rule("supporter", {"raw_text": "caf\ud83d"}, "forever")])
    texts = [record.turns[0].supporter for record in found.episodes()]
    assert texts == ["caf\ufffd"] * 2
    for kind in ("jsonl", "csv"):
        for path in found.export(tmp_path / kind, kind):
            path.read_text(encoding="utf-8")


async def test_an_endpoint_that_stays_busy_leaves_episodes_to_be_resumed(tmp_path: Path) -> None:
    busy = rule("supporter", {"status": 429}, "forever")
    folder = tmp_path / "r"
    async with start_endpoint(Scenario.model_validate({"rules": [busy]})) as endpoint:
        found = await evaluate(config(endpoint.url, retries=1), folder)
        port = int(endpoint.url.rsplit(":", 1)[1].removesuffix("/v1"))
    records = list(found.episodes())
    assert {record.outcome for record in records} == {Outcome.INFRASTRUCTURE}
    assert all(endpoint.url in record.outcome_reason for record in records)
    assert all(record.turns[0].user and not record.judgements for record in records)
    again = await run(folder, [], resume=True, port=port, retries=1)
    assert {record.outcome for record in again.episodes()} == {Outcome.TURN_CAP}
    assert [record.turns[0].user for record in again.episodes()] == [record.turns[0].user for record in records]
    assert again.leaderboard().supporters[0].n == 2


async def test_a_judge_that_cannot_be_reached_is_asked_on_resume(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    async with start_endpoint(Scenario.model_validate({"rules": [rule("judge", {"status": 503}, "forever")]})) as first:
        found = await evaluate(config(first.url, retries=0), folder)
        port = int(first.url.rsplit(":", 1)[1].removesuffix("/v1"))
    assert [record.judgements for record in found.episodes()] == [(), ()]
    async with start_endpoint(port=port) as second:
        again = await evaluate(config(second.url, retries=0), folder, resume=True)
        assert second.stats.by_role == {"judge": 2}
    assert all(record.judgements[0].scores for record in again.episodes())


async def test_the_limit_eases_off_for_the_endpoint_that_complains(tmp_path: Path) -> None:
    busy = rule("feel", {"status": 429, "headers": {"retry-after": "0.02"}}, "same", "same")
    async with start_endpoint(Scenario.model_validate({"rules": [busy]})) as crowded, start_endpoint() as calm:
        wanted = config(crowded.url)
        wanted["models"]["s"]["base_url"] = calm.url
        found = await evaluate(wanted, tmp_path / "r")
    assert {record.outcome for record in found.episodes()} == {Outcome.TURN_CAP}
    limits = {item["endpoint"]: item["concurrency"] for item in found.manifest.endpoints}
    assert limits[crowded.url] < limits[calm.url] == 64


async def test_what_the_endpoints_turned_out_to_do_is_in_the_manifest(tmp_path: Path) -> None:
    refusals = [{"status": 400, "error": "'temperature' is not supported"},
                {"status": 400, "error": "json_schema is not supported", "form": "json_schema"}]  # fmt: skip
    found = await run(tmp_path / "r", [rule("feel", *refusals)], concurrency=1, temperature=0.8)
    first = json.loads((tmp_path / "r" / "manifest.json").read_text(encoding="utf-8"))["endpoints"][0]
    assert first["model"] == "m"
    assert first["dropped"] == ["temperature"]
    assert first["rung"] == "tool"
    assert first["calls"] == found.manifest.endpoints[0]["calls"] > 10
    assert first["faults"] == {"bad_request": 2}


def test_a_refused_key_stops_the_run_with_the_name_of_its_variable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from emoharbor.eval.cli.main import call  # noqa: PLC0415 - the command line is for this test alone

    monkeypatch.chdir(tmp_path)
    bad = {"reply": [{"status": 401, "error": f"invalid api key {CANARY}"}, "forever"]}
    with endpoint_in_thread(Scenario.model_validate({"rules": [bad]})) as endpoint:
        wanted = {**config(endpoint.url, concurrency=1), "profiles": ["all"]}
        (tmp_path / "c.yaml").write_text(json.dumps(wanted), encoding="utf-8")
        codes = [call(["check", "c.yaml"]), call(["run", "c.yaml"])]
        asked = endpoint.stats.calls
    said = capsys.readouterr()
    assert codes == [2, 2]
    assert asked < 10
    assert said.err.count("TEST_KEY") >= 2
    assert CANARY not in said.out + said.err


async def test_no_key_reaches_a_file_a_trace_a_log_or_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """The endpoint gives the key back in every way it can: in errors, replies, reasoning, headers, escaped."""
    caplog.set_level(0)
    escaped = CANARY.replace("canary", "\\u0063anary")
    echo = [
        {"status": 500, "error": f"bad key {CANARY}"},
        {"body": f'{{"error": {{"message": "key {escaped} refused", "code": 503}}}}'},
        {"content": f"Your key is {CANARY}"},
        {"content": f"<think>{CANARY}</think>{{VALID}}"},
        {"reasoning_content": CANARY},
        {"refusal": f"no {CANARY}", "content": None},
        {"status": 429, "headers": {"retry-after": "0.01", "x-key": CANARY}, "error": f"Bearer {CANARY}"},
        {"body": f'{{"choices": [{{"message": {{"content": "say {escaped}"}}, "finish_reason": "stop"}}]}}'},
        {"raw_text": f'{{"message": "{escaped}", "quote": "{escaped}", "reason": "{escaped}"}}'},
        {"raw": {"choices": None, "detail": CANARY}},
        {"status": 400, "error": f"bad request {CANARY}"},
    ]
    for number, act in enumerate(echo):
        await run(tmp_path / f"r{number}", [{"reply": [act]}, rule("supporter", act), rule("judge", act)])
    found = Run(tmp_path / "r2")
    for kind in ("jsonl", "csv", "parquet"):
        found.export(tmp_path / kind, kind)
    traces = "".join(trace_text(Run(tmp_path / f"r{number}")) for number in range(len(echo)))
    said = capsys.readouterr()
    assert CANARY not in traces + said.out + said.err + caplog.text
    files = all_files(tmp_path)
    assert len(files) > 20
    assert [str(path) for path in files if CANARY.encode() in path.read_bytes()] == []
