"""The state alone decides the next node."""

from dataclasses import dataclass

import pytest
from langgraph.graph import END

from emoharbor.graphs.route import route
from emoharbor.state.base import Role
from emoharbor.state.episode import Channels
from emoharbor.state.outcome import Outcome
from emoharbor.state.verdict import Judgement

FULL: tuple[Role, ...] = ("feel", "think", "speak")
VERDICT = Judgement(judge="j", rubric="r", unscored="none")


@dataclass(frozen=True)
class Case:
    """A state and where it leads."""

    says: str
    leads_to: str
    last: Role | None = None
    outcome: Outcome | None = None
    verdict: Judgement | None = None
    chain: tuple[Role, ...] = FULL
    supported: bool = True
    judged: bool = True


CASES = [
    Case("a fresh episode begins with feeling", "feel"),
    Case("after feel comes think", "think", last="feel"),
    Case("after think comes speak", "speak", last="think"),
    Case("after speak comes the supporter", "supporter", last="speak"),
    Case("after the supporter the person feels again", "feel", last="supporter"),
    Case("a chain without feel begins with think", "think", last="supporter", chain=("think", "speak")),
    Case("speak alone answers at once", "speak", last="supporter", chain=("speak",)),
    Case("fused goes straight to the supporter", "supporter", last="fused", chain=("fused",)),
    Case("the simulated user alone stops when it has spoken", END, last="speak", supported=False),
    Case("a completed episode is judged", "judge", last="think", outcome=Outcome.TURN_CAP),
    Case("a judged episode is over", END, last="judge", outcome=Outcome.TURN_CAP, verdict=VERDICT),
    Case("a judge who could not be reached is not asked for ever", END, last="judge", outcome=Outcome.USER_LEFT),
    Case("without a judge a completed episode is over", END, last="think", outcome=Outcome.TURN_CAP, judged=False),
    Case("an invalid user is not judged", END, last="speak", outcome=Outcome.USER_INVALID),
    Case("a failed supporter is not judged", END, last="supporter", outcome=Outcome.SUPPORTER_EMPTY),
    Case("an unfinished episode is not judged", END, last="supporter", outcome=Outcome.INFRASTRUCTURE),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.says)
def test_the_state_leads_to(case: Case) -> None:
    state: Channels = {"profile_id": "x", "last": case.last, "outcome": case.outcome, "verdict": case.verdict}
    before = dict(state)

    found = route(state, case.chain, judged=case.judged, supported=case.supported)

    assert found == case.leads_to
    assert dict(state) == before
