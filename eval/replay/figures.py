"""What `emoharbor agree` says of a replay, as values."""

from typing import Literal

from pydantic import Field

from emoharbor.eval.replay.chance import Area, Chance
from emoharbor.eval.replay.survey import Survey
from emoharbor.eval.statistics.agreement import Kappa
from emoharbor.eval.statistics.correlation import Correlation
from emoharbor.state.base import Frozen

Of = Literal["themselves", "inner world", "judge", "judge, no log", "no inner world"]
"""What a figure rests on."""
Unit = Literal["turn", "turn within its dialogue", "dialogue"]
NO_CEILING = (
    "No ceiling is claimed: each person rated their own talk once, so how far they would agree with themselves or with "
    "one another cannot be computed."
)


class Compared(Frozen):
    """One rating of the people against one figure of ours."""

    unit: Unit
    theirs: str
    ours: str
    rests_on: Of
    spearman: Correlation
    chance: Chance | None
    """Of the same pairs, with our side dealt out at random."""
    kappa: Kappa | None
    """Quadratic weights; only where both sides are whole points of one scale."""
    no_kappa: str
    top_two: float | None
    """Share of the two highest values in the people's ratings: kappa is low by itself when it is high."""


class Separated(Frozen):
    """How well one figure tells two groups of dialogues apart."""

    figure: str
    rests_on: Of
    area: Area


class Agreement(Frozen):
    """Everything `emoharbor agree` says of a replay."""

    planned: int
    dialogues: int
    """Finished and judged."""
    surveys: dict[str, Survey]
    """The people's own ratings, by label."""
    compared: tuple[Compared, ...]
    groups: tuple[str, str] | None
    """The two labels that are told apart, the first expected higher; None unless there are just two."""
    separated: tuple[Separated, ...]
    would_leave: int
    """Dialogues in which the simulated person meant to go while the real one stayed."""
    unheard: dict[str, int] = Field(default_factory=dict)
    """In how many dialogues the people gave a rating that is no dimension of the rubric, by its name."""
    moved: int = 0
    """Dialogues that were rated on another scale than most; their ratings were brought to that."""
    ceiling: str = NO_CEILING
