"""A short episode written by hand, so that reports are tested apart from the nodes; and golden files.

`UPDATE_GOLDEN=1 pytest tests/eval/reports` rewrites the golden files; read the difference before you keep it.
"""

import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console, RenderableType

from emoharbor.eval.record import EpisodeRecord, TurnRecord
from emoharbor.profiles.loader import load_profile
from emoharbor.profiles.schema import Profile
from emoharbor.state.inner_world import Disclosure, Emotion, InnerWorld, Thought
from emoharbor.state.outcome import Outcome
from emoharbor.state.verdict import Evidence, Judgement, Rating, Scores

_GENERAL = ("empathy", "clarity", "helpfulness", "safety")
_TAILORED = ("situation_fit", "attunement", "need_fit", "personality_fit", "coping_fit", "discovery")

Golden = Callable[[str, str], None]
Printed = Callable[..., str]


@pytest.fixture
def golden() -> Golden:
    def compare(name: str, text: str) -> None:
        path = Path(__file__).parent / "golden" / name
        if os.environ.get("UPDATE_GOLDEN"):
            path.write_text(text, encoding="utf-8")

        assert path.read_text(encoding="utf-8") == text

    return compare


@pytest.fixture
def printed() -> Printed:
    """Print something rich on a page of a given width and encoding; trailing blanks are left out."""

    def to_text(renderable: RenderableType, width: int = 80, encoding: str = "utf-8", *, colour: bool = False) -> str:
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict")
        console = Console(file=stream, width=width, force_terminal=colour, color_system="standard" if colour else None)
        console.print(renderable)
        stream.seek(0)
        return "".join(line.rstrip() + "\n" for line in stream.read().splitlines())

    return to_text


@pytest.fixture(scope="session")
def titik() -> Profile:
    """A person whose text no other change touches."""
    return load_profile(Path(__file__).parent / "person.yaml")


def _world(
    turn: int, distress: float, trust: float, thought: str, disclosed: tuple[Disclosure, ...] = ()
) -> InnerWorld:
    return InnerWorld(
        turn=turn,
        distress=distress,
        trust=trust,
        emotions=(Emotion(label="shame", intensity=round(distress)),),
        felt_understood=None if turn == 0 else 2,
        thought=Thought(monologue=thought, intention="elaborate"),
        disclosed=disclosed,
    )


def _rating(dimension: str, group: str, score: int) -> Rating:
    return Rating(
        dimension=dimension,
        group=group,
        score=score,
        reason=f"Reason for {dimension}.",
        evidence=(Evidence(turn=0, quote="one small plate"),),
        evidence_ok=True,
        certainty=80,
    )


@pytest.fixture
def judgement() -> Judgement:
    general = [_rating(name, "general", 4) for name in _GENERAL]
    tailored = [_rating(name, "tailored", 3) for name in _TAILORED[:-1]]
    missing = Rating(dimension="discovery", group="tailored", score=None, reason="Nothing was asked.")
    scores = Scores(overall=61.1, general=4.0, tailored=3.0, gap=1.0)
    return Judgement(judge="offline", rubric="ten/1+abcdef01", ratings=(*general, *tailored, missing), scores=scores)


@pytest.fixture
def scripted(judgement: Judgement) -> EpisodeRecord:
    told = Disclosure(fact="advance", turn=1, quote="it went into the roof", released=True, claimed=True)
    return EpisodeRecord(
        episode="P010/attuned/0",
        profile="P010",
        supporter="attuned",
        repeat=0,
        outcome=Outcome.USER_SATISFIED,
        outcome_reason="one plate is settled",
        turns=(
            TurnRecord(
                user="Good evening. I do not finish my book.",
                supporter="What about one small plate?",
                inner_world=_world(0, 7.0, 4.5, "It is late for this."),
            ),
            TurnRecord(
                user="I was paid in advance; it went into the roof.",
                supporter="That took courage to say.",
                inner_world=_world(1, 6.0, 6.1, "They read it closely.", (told,)),
            ),
            TurnRecord(
                user="Good evening to you.",
                supporter=None,
                inner_world=_world(2, 4.0, 7.2, "I can begin.", (told,)),
            ),
        ),
        judgements=(judgement,),
    )
