"""The Python API on the offline cast: no model, no network."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.messages.ai import InputTokenDetails, UsageMetadata
from langchain_core.runnables import RunnableLambda

from emoharbor.eval import evaluate, evaluate_sync, load_run, run_episode, run_episode_sync
from emoharbor.eval.runs.plan import Selection
from emoharbor.profiles.schema import Profile
from emoharbor.state.errors import ConfigError, RunFolderError, UserError
from emoharbor.state.outcome import Outcome

OFFLINE: dict[str, Any] = {
    "run": {"name": "pilot", "seed": 7, "max_turns": 3},
    "profiles": ["P010", "P040"],
    "supporters": [
        {"name": "attuned", "use": "offline", "style": "attuned"},
        {"name": "quiet", "use": "offline", "style": "silent"},
    ],
}


async def brief_answer(messages: list[dict[str, str]]) -> str:
    return f"I hear you. ({len(messages)})"


async def test_one_episode_needs_a_person_and_a_supporter(person: Profile) -> None:
    record = await run_episode(person, "attuned", max_turns=2)

    assert (record.episode, record.outcome) == (f"{person.id}/attuned/0", Outcome.TURN_CAP)
    assert record.judgements[0].scores is not None


@pytest.mark.parametrize(
    "supporter",
    [
        brief_answer,
        RunnableLambda(lambda given: AIMessage(f"I hear you. ({len(given['messages'])})")),
        lambda: RunnableLambda(lambda given: AIMessage(f"I hear you. ({len(given['messages'])})")),
        {"use": "callable", "name": "mine", "target": brief_answer},
    ],
)
async def test_a_supporter_can_be_given_in_any_of_its_forms(supporter: Any) -> None:
    record = await run_episode("P010", supporter, max_turns=2)

    assert [turn.supporter for turn in record.turns] == ["I hear you. (1)", "I hear you. (3)", None]


async def test_an_episode_can_be_kept_and_is_the_same(tmp_path: Path) -> None:
    loose = await run_episode("P010", brief_answer, max_turns=2)
    kept = await run_episode("P010", brief_answer, max_turns=2, folder=tmp_path / "run")

    assert kept == loose
    assert load_run(tmp_path / "run").episode(kept.episode) == loose


@pytest.mark.parametrize(
    ("profile", "supporter", "says"),
    [
        ("core", "attuned", "profile 'core' names"),
        ("P010", {"use": "offline"}, "style"),
        ("P010", {"style": "attuned"}, "supporter: use: Field required"),
        ("P010", "atuned", "atuned"),
        ("P010", "no_such_module:bot", "no_such_module"),
        ("nobody", "attuned", "nobody"),
    ],
)
async def test_a_mistake_is_one_line_before_anything_runs(profile: str, supporter: Any, says: str) -> None:
    with pytest.raises(UserError) as caught:
        await run_episode(profile, supporter)

    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_config_with_a_mistake_leaves_no_folder(tmp_path: Path) -> None:
    for changes in ({"profiles": ["nobody"]}, {"cast": {"feel": {"use": "no_such"}}}, {"run": {"max_turns": 0}}):
        with pytest.raises(UserError):
            evaluate_sync({**OFFLINE, **changes}, tmp_path / "run")
    with pytest.raises(ConfigError):
        evaluate_sync(OFFLINE, tmp_path / "run", only=Selection(supporters=("loud",)))

    assert list(tmp_path.iterdir()) == []


async def test_a_run_gives_records_figures_and_frames(tmp_path: Path) -> None:
    run = await evaluate(OFFLINE, tmp_path / "run")

    assert [row.name for row in run.leaderboard().supporters] == ["attuned", "quiet"]
    assert run.leaderboard().supporters[0].counts.scored == 2
    episodes, turns, ratings = (run.frame(name) for name in ("episodes", "turns", "ratings"))
    assert (episodes.height, turns.height, ratings.height) == (4, 4 * 4, 4 * 10)
    assert episodes["overall"].null_count() == 0
    assert turns.filter(pl.col("turn") == 3)["reply"].null_count() == 4
    assert run.manifest.rubric is not None
    assert run.manifest.cast[0].use == "offline"


async def test_an_unknown_episode_names_the_nearest(tmp_path: Path) -> None:
    run = await evaluate(OFFLINE, tmp_path / "run")

    assert run.episode("P010/attuned") == run.episode("P010/attuned/0")
    with pytest.raises(
        RunFolderError, match="no episode of this run is called 'P010/atuned'; for example: P010/attuned/0"
    ):
        run.episode("P010/atuned")


async def test_a_part_of_a_run_can_be_run_first(tmp_path: Path) -> None:
    part = await evaluate(OFFLINE, tmp_path / "run", only=Selection(supporters=("quiet",)))
    assert [(item.profile, item.outcome) for item in part.results()] == [
        (item.profile, item.outcome) for item in part.episodes()
    ]
    assert [record.supporter for record in part.episodes()] == ["quiet", "quiet"]
    assert {row.name: row.counts.unfinished for row in part.leaderboard().supporters} == {"attuned": 2, "quiet": 0}

    whole = await evaluate(OFFLINE, tmp_path / "run", resume=True)
    assert len(list(whole.episodes())) == 4


async def test_the_same_config_gives_the_same_bytes_at_any_concurrency(tmp_path: Path) -> None:
    exports: dict[str, list[bytes]] = {"jsonl": [], "csv": [], "parquet": []}
    for places in (1, 8):
        run = await evaluate({**OFFLINE, "limits": {"concurrency": places}}, tmp_path / f"run{places}")
        exports["jsonl"].append(run.export(tmp_path / f"{places}.jsonl", "jsonl", canonical=True)[0].read_bytes())
        for kind in ("csv", "parquet"):
            files = run.export(tmp_path / f"{kind}{places}", kind, canonical=True)
            exports[kind].append(b"".join(file.read_bytes() for file in files))

    for kind, (one, eight) in exports.items():
        assert one == eight, kind


async def test_an_export_holds_every_episode_and_beside_it_its_times(tmp_path: Path) -> None:
    run = await evaluate(OFFLINE, tmp_path / "run")
    (path,) = run.export(tmp_path / "all.jsonl", "jsonl")

    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line["episode"] for line in lines] == [
        "P010/attuned/0", "P010/quiet/0", "P040/attuned/0", "P040/quiet/0"
    ]  # fmt: skip
    assert all(line["finished"] >= line["started"] for line in lines)
    assert {"episode", "profile", "supporter", "repeat", "outcome", "turns", "judgements"} <= lines[0].keys()


def test_the_sync_forms_wait(tmp_path: Path) -> None:
    assert run_episode_sync("P010", "silent", max_turns=1).outcome is Outcome.TURN_CAP
    assert len(list(evaluate_sync(OFFLINE, tmp_path / "run").episodes())) == 4


async def test_the_sync_forms_wait_inside_a_running_loop_too(tmp_path: Path) -> None:
    assert run_episode_sync("P010", "silent", max_turns=1).outcome is Outcome.TURN_CAP
    with pytest.raises(ConfigError):
        evaluate_sync({}, tmp_path / "run")


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    (tmp_path / "mortal.py").write_text(MORTAL, encoding="utf-8")
    for killed_at in ("", "1", "5"):
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "KILLED_AT": killed_at}
        folder = tmp_path / f"run{killed_at}"
        first = subprocess.run([sys.executable, "-m", "mortal", folder, ""], env=environment, check=False)
        assert first.returncode == (-signal.SIGKILL if killed_at else 0)
        if killed_at:
            environment["KILLED_AT"] = ""
            subprocess.run([sys.executable, "-m", "mortal", folder, "resume"], env=environment, check=True)

    exports = [load_run(tmp_path / name).export(tmp_path / f"{name}.jsonl", "jsonl", canonical=True)[0].read_bytes()
               for name in ("run", "run1", "run5")]  # fmt: skip
    assert exports[0] == exports[1] == exports[2]
    said = (tmp_path / "said.txt").read_text(encoding="utf-8").splitlines()
    assert Counter(Counter(said).values()) == {3: 2 * 3}  # three runs, two people, three turns: none asked twice


MORTAL = """
import os, pathlib, signal, sys
from emoharbor.eval import evaluate_sync

HERE = pathlib.Path(__file__).parent
answered = 0

def bot(messages):
    global answered
    if str(answered) == os.environ["KILLED_AT"]:
        os.kill(os.getpid(), signal.SIGKILL)
    answered += 1
    with (HERE / "said.txt").open("a") as file:
        print(repr(messages[-1]["content"]), file=file)
    return f"I hear you. ({len(messages)})"

if __name__ == "__main__":
    evaluate_sync(
        {"run": {"max_turns": 3}, "profiles": ["P010", "P040"], "limits": {"concurrency": 1},
         "supporters": [{"name": "bot", "use": "callable", "target": "mortal:bot"}]},
        sys.argv[1], resume=bool(sys.argv[2]),
    )
"""


def counting_model() -> GenericFakeChatModel:
    """A chat model that says what it used, as an endpoint does."""
    used = UsageMetadata(
        input_tokens=100, output_tokens=10, total_tokens=110, input_token_details=InputTokenDetails(cache_read=40)
    )
    return GenericFakeChatModel(messages=(AIMessage(f"I hear you. ({n})", usage_metadata=used) for n in count()))


async def test_tokens_are_counted_as_the_endpoint_states_them(tmp_path: Path) -> None:
    await run_episode("P010", counting_model(), max_turns=3, folder=tmp_path / "run")

    run = load_run(tmp_path / "run")
    ((_, times),) = run.records()
    assert run.manifest.cast[-1].args == {
        "target": "langchain_core.language_models.fake_chat_models:GenericFakeChatModel"
    }
    assert (times.prompt_tokens, times.completion_tokens, times.cached_tokens) == (300, 30, 120)


async def test_a_token_budget_ends_the_run_and_says_so(tmp_path: Path) -> None:
    supporters = [{"name": "model", "use": "runnable", "target": counting_model()}]
    limits = {"concurrency": 1, "budget_tokens": 330}

    run = await evaluate({**OFFLINE, "supporters": supporters, "limits": limits}, tmp_path / "run")

    assert run.stopped is not None
    assert (run.stopped.kind, len(list(run.episodes()))) == ("budget", 1)
    assert str(run.stopped) == "limits.budget_tokens is used up: 330 of 330 tokens"


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = (
        "import sys, emoharbor.eval; "
        "print([name for name in ('pydantic', 'langgraph', 'sqlalchemy', 'polars') if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"
