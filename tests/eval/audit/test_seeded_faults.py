"""Seeded faults are found, and sound people are left alone: faulty nodes in the real graph, held-out people.

The limits were set with the even half of the bundled people; the faults are sown in the odd half. docs/audit.md has the
figures of all of them.
"""

import pytest
from helpers.faulty import STYLES, VARIANTS, converse, offline_cast, spoiled

from emoharbor.eval.audit.episode import EpisodeAudit, audit_episode
from emoharbor.eval.record import EpisodeRecord
from emoharbor.nodes.cast import Cast
from emoharbor.profiles.loader import bundled
from emoharbor.profiles.schema import Profile

pytestmark = pytest.mark.slow
EPISODES = 30
"""Of each kind of fault, spread over its variants, people and supporters."""


async def audited(cast: Cast, person: Profile, supporter: str, max_turns: int) -> EpisodeAudit:
    end = await converse(cast, person, supporter, max_turns)
    return audit_episode(EpisodeRecord.of(end), person)


async def test_sound_people_are_left_alone() -> None:
    cast, people = offline_cast(), bundled()
    audits = [
        await audited(cast, person, STYLES[(number + number // 4) % 4], 10)
        for number, person in enumerate(people.values())
    ]
    alarms = [(audit.episode, finding.why) for audit in audits for finding in audit.findings]
    assert len({episode for episode, _ in alarms}) / len(audits) < 0.02, alarms


@pytest.mark.parametrize("kind", VARIANTS)
async def test_seeded_faults_are_found(kind: str) -> None:
    people = bundled()
    heldout, variants = list(people.values())[1::2], VARIANTS[kind]
    missed = []
    for number in range(EPISODES):
        name = list(variants)[number % len(variants)]
        variant, person = variants[name], heldout[number]
        supporter = variant.supporters[number // len(variants) % len(variant.supporters)]
        audit = await audited(spoiled(offline_cast(), people, variant, number), person, supporter, 7)
        if kind not in audit.kinds:
            missed.append((name, audit.episode, audit.messages))
    assert len(missed) / EPISODES < 0.05, missed
