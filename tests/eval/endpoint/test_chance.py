"""A fifth of all calls misbehave, and what comes out does not depend on how many run at once."""

import asyncio

import pytest
from langchain_core.messages import HumanMessage, SystemMessage

from emoharbor.eval.endpoint.scenario import Scenario
from emoharbor.eval.endpoint.server import start_endpoint
from emoharbor.nodes.models.caller import calling
from emoharbor.nodes.models.client import Models
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.nodes.speak import SpeakReply
from emoharbor.state.errors import ModelFault

ACTS = [
    {"status": 429, "headers": {"retry-after": "0.005"}},
    {"status": 500},
    {"status": 502, "body": "<html>Bad gateway</html>"},
    {"body": "OK"},
    {"raw": {"choices": None}},
    {"content": None},
    {"content": " \n"},
    {"content": '{"mess', "finish_reason": "length"},
    {"content": "Here:\n```json\n{VALID}\n```"},
    {"content": "<think>Hm.</think>{VALID}"},
    {"content": "I would say so."},
    {"content": "", "finish_reason": "content_filter"},
    {"status": 400, "error": "json_schema is not supported", "form": "json_schema"},
    {"close": "mid_body"},
    {"content": "{VALID}", "usage": None},
]
QUESTIONS = 120


async def outcomes(concurrency: int) -> list[str]:
    """Return what came of each question: the value, or the kind of fault."""
    scenario = Scenario.model_validate({"seed": 3, "chance": [{"share": 0.2, "acts": ACTS}]})
    async with start_endpoint(scenario) as endpoint, Models() as models:
        settings = ModelSettings(
            model="m", base_url=endpoint.url, rehearsal=True, backoff_s=0, concurrency=concurrency, temperature=0.5
        )
        model = models.open(settings)
        gate = asyncio.Semaphore(concurrency)

        async def one(number: int) -> str:
            messages = [SystemMessage("You are one person."), HumanMessage(f"Message {number}.")]
            async with gate:
                try:
                    with calling("speak", 0, f"P{number}"):
                        return (await model.ask(messages, SpeakReply, seed=number)).value.model_dump_json()
                except ModelFault as fault:
                    return fault.kind

        found = list(await asyncio.gather(*(one(number) for number in range(QUESTIONS))))
        assert endpoint.stats.misbehaved > QUESTIONS / 10
        assert sum(report.calls for report in models.report()) == endpoint.stats.calls
        return found


@pytest.mark.filterwarnings("error")
async def test_what_comes_out_is_the_same_one_by_one_and_32_at_once() -> None:
    alone, together = await outcomes(1), await outcomes(32)
    assert alone == together
    values = [text for text in alone if text.startswith("{")]
    assert len(values) > QUESTIONS * 0.9
    assert set(alone) - set(values) <= {"refusal", "unreadable", "empty", "truncated"}
