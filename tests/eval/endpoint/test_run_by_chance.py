"""Sixty episodes in which a fifth of all calls misbehave: each has a named outcome, and nothing wrong is counted."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from helpers.rehearsal import cast, settings
from helpers.runs import canonical

from emoharbor.eval.api import evaluate
from emoharbor.eval.endpoint.scenario import Scenario
from emoharbor.eval.endpoint.server import RunningEndpoint, start_endpoint
from emoharbor.eval.run import Run
from emoharbor.eval.statistics.leaderboard import Leaderboard
from emoharbor.profiles.loader import load_people
from emoharbor.state.outcome import Outcome

EPISODES = 60
ACTS: list[dict[str, Any]] = [
    {"status": 429, "headers": {"retry-after": "0.002"}},
    {"status": 500},
    {"status": 502, "body": "<html>Bad gateway</html>"},
    {"body": "OK"},
    {"raw": {"id": "x", "choices": None}},
    {"close": "mid_body"},
    {"content": None},
    {"content": " \n\u200b "},
    {"content": '{"mess', "finish_reason": "length"},
    {"content": "<think>First I should", "finish_reason": "length"},
    {"content": "Here:\n```json\n{VALID}\n```"},
    {"content": "<think>Hm.</think>{VALID}"},
    {"content": "I'd say a strong 4 out of 5, maybe **5**."},
    {"content": "", "finish_reason": "content_filter"},
    {"content": None, "refusal": "I can't help with that."},
    {"status": 400, "error": "content_filter: self-harm"},
    {"json": {"score": 11}},
    {"json": {"evidence": [{"turn": 99, "quote": "never said"}]}},
    {"json": {"emotions": [{"label": "odd", "intensity": 6}]}},
    {"raw_text": '{"score": NaN}'},
    {"message": "Hello! How can I help you today?"},
    {"message": "(thinking: not a word about it) I'm fine."},
    {"content": "{VALID}", "usage": None},
]


async def play(folder: Path, concurrency: int, port: int = 0) -> tuple[Run, RunningEndpoint]:
    """Return the run and the endpoint. Its address stands in the text of faults, so a second one takes the same."""
    scenario = Scenario.model_validate({"seed": 11, "chance": [{"share": 0.2, "acts": ACTS}]})
    async with start_endpoint(scenario, port) as endpoint:
        model = settings(endpoint.url, api_key_env=None, retries=5)
        people = list(load_people("all"))[: EPISODES // 2]
        found = await evaluate(
            {
                "run": {"name": "chance", "seed": 11, "max_turns": 1},
                "profiles": people,
                "models": {"m": model, "one": {**model, "model": "one"}, "two": {**model, "model": "two"}},
                "cast": cast(),
                "supporters": [{"name": name, "use": "chat", "model": name} for name in ("one", "two")],
                "limits": {"concurrency": concurrency},
            },
            folder,
        )
        return found, endpoint


def figures(run: Run) -> Leaderboard:
    """Return the leaderboard without the name of the folder."""
    return run.leaderboard().model_copy(update={"runs": ()})


@pytest.mark.slow
async def test_sixty_episodes_are_the_same_one_by_one_and_32_at_once(tmp_path: Path) -> None:
    alone, first = await play(tmp_path / "alone", 1)
    together, second = await play(tmp_path / "together", 32, int(first.url.rsplit(":", 1)[1].removesuffix("/v1")))

    calls = first.stats.calls
    assert 0.15 < first.stats.misbehaved / calls < 0.25
    assert figures(alone) == figures(together)
    assert canonical(alone, tmp_path / "alone") == canonical(together, tmp_path / "together")
    assert calls == second.stats.calls == sum(item["calls"] for item in alone.manifest.endpoints)

    records = list(alone.episodes())
    outcomes = Counter(record.outcome for record in records)
    assert sum(outcomes.values()) == EPISODES
    assert None not in outcomes
    assert len(outcomes) >= 3
    for record in records:
        completed = record.outcome is not None and record.outcome.judged
        assert len(record.judgements) == completed
        for judgement in record.judgements:
            assert (judgement.scores is None) == bool(judgement.unscored)
            assert all(rating.score in (None, 1, 2, 3, 4, 5) for rating in judgement.ratings)
            assert all(rating.evidence_ok in (True, False, None) for rating in judgement.ratings)
    for row in alone.leaderboard().supporters:
        theirs = [record for record in records if record.supporter == row.name]
        scored = sum(bool(record.judgements) and record.judgements[0].scores is not None for record in theirs)
        failed = sum(record.outcome is not None and record.outcome.standing == "supporter_failure" for record in theirs)
        assert sum(row.outcomes.values()) == len(theirs) == EPISODES // 2
        assert row.n == scored + failed
    mine = [turn.user for record in records for turn in record.turns if turn.user]
    assert not [text for text in mine if "think>" in text or "How can I help" in text or "(thinking" in text]
    assert outcomes[Outcome.INFRASTRUCTURE] < EPISODES // 10
