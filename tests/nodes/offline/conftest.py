"""Episodes of the offline cast, played once and shared: twelve people, four supporters, two seeds."""

import asyncio
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import pytest

from emoharbor.graphs.begin import EpisodeContext, first_state
from emoharbor.graphs.episode import EpisodeGraph, build_episode, step_limit
from emoharbor.nodes.cast import build_cast
from emoharbor.nodes.models.protocol import ChatModel
from emoharbor.nodes.spec import CastSpec, SupporterSpec, UserRole
from emoharbor.profiles.loader import load_people
from emoharbor.profiles.schema import PartialProfile, Profile
from emoharbor.state.episode import EpisodeState

STYLES = ("attuned", "generic", "advice", "silent")
PEOPLE = ("P010", "P013", "P015", "P028", "P035", "P040", "P042", "P047", "P058", "P060", "P062", "P097")
SEEDS = (1, 2)
Episodes = Mapping[tuple[str, str, int], EpisodeState]
"""By person, supporter and seed."""
WHOLE: tuple[UserRole, ...] = ("feel", "think", "speak")


def no_model(wanted: object, place: str) -> ChatModel:
    raise AssertionError(f"the offline cast asked for a model: {wanted} at {place}")


@dataclass(frozen=True)
class Stage:
    """A compiled graph and the people it knows."""

    graph: EpisodeGraph
    people: Mapping[str, PartialProfile]

    def play(self, profile: str, supporter: str, seed: int = 1, turns: int = 15) -> EpisodeState:
        context = EpisodeContext(supporter=supporter, max_turns=turns, seed=seed)
        start = first_state(self.people[profile], context).channels()
        out = asyncio.run(self.graph.ainvoke(start, {"recursion_limit": step_limit(turns)}))
        return EpisodeState.from_channels(out)


class _Played(Mapping[tuple[str, str, int], EpisodeState]):
    """Episodes, each played when it is first asked for: most tests want a few."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._ended: dict[tuple[str, str, int], EpisodeState] = {}

    def __getitem__(self, key: tuple[str, str, int]) -> EpisodeState:
        if key not in self._ended:
            self._ended[key] = self._stage.play(*key)
        return self._ended[key]

    def __iter__(self) -> Iterator[tuple[str, str, int]]:
        return iter(itertools.product(PEOPLE, STYLES, SEEDS))

    def __len__(self) -> int:
        return len(PEOPLE) * len(STYLES) * len(SEEDS)


def stage_of(people: Mapping[str, PartialProfile], chain: tuple[UserRole, ...] = WHOLE) -> Stage:
    supporters = [SupporterSpec.model_validate({"name": style, "use": "offline", "style": style}) for style in STYLES]
    cast = build_cast(CastSpec(user=chain), supporters, no_model)
    return Stage(build_episode(cast, people.__getitem__), people)


@pytest.fixture(scope="session")
def people() -> dict[str, Profile]:
    return load_people(PEOPLE)


@pytest.fixture(scope="session")
def stage(people: dict[str, Profile]) -> Stage:
    return stage_of(people)


@pytest.fixture(scope="session")
def episodes(stage: Stage) -> Episodes:
    """Every finished episode by person, supporter and seed."""
    return _Played(stage)


@pytest.fixture(scope="session")
def make_stage() -> Callable[..., Stage]:
    """Build a stage for other people or another chain."""
    return stage_of
