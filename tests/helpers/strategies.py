"""Hypothesis strategies for the inner world and what is proposed to change it."""

from typing import get_args

from hypothesis import strategies as st

from emoharbor.state.bounds import Bounds, Threshold
from emoharbor.state.inner_world import (
    Appraisal,
    Emotion,
    EmotionLabel,
    InnerWorld,
    Intention,
    Need,
    NeedStatus,
    Thought,
)
from emoharbor.state.updates import FeelUpdate, NeedMove, ThinkUpdate

FACTS = ("one", "two", "three", "unknown")
levels = st.floats(0, 10).map(lambda value: round(value, 1))
words = st.text(min_size=1, max_size=30)
emotions = st.lists(
    st.builds(Emotion, label=st.sampled_from(get_args(EmotionLabel)), intensity=st.integers(0, 10)),
    min_size=1,
    max_size=3,
).map(tuple)
understood = st.sampled_from([-3, -2, -1, 1, 2, 3])
checks = st.integers(-3, 3)
appraisals = st.builds(
    Appraisal, relevance=st.integers(0, 3), conduciveness=checks, coping=checks, norms=checks, quote=words
)
needs = st.tuples(
    st.builds(Need, id=st.just("primary"), type=st.just("esteem"), status=st.sampled_from(get_args(NeedStatus))),
    st.builds(Need, id=st.just("secondary"), type=st.just("network"), status=st.sampled_from(get_args(NeedStatus))),
)
worlds = st.builds(
    InnerWorld,
    turn=st.integers(0, 15),
    emotions=emotions,
    distress=levels,
    trust=levels,
    felt_understood=st.none() | understood,
    readiness=levels,
    needs=needs,
    released=st.lists(st.sampled_from(FACTS[:3]), unique=True).map(tuple),
)
feelings = st.builds(
    FeelUpdate,
    appraisal=st.none() | appraisals,
    emotions=st.none() | emotions,
    distress=st.none() | levels,
    trust=st.none() | levels,
    felt_understood=st.none() | understood,
    cause=words,
)
thoughts = st.builds(
    Thought,
    monologue=words,
    intention=st.sampled_from(get_args(Intention)),
    gist=st.text(max_size=20),
    release=st.lists(st.sampled_from(FACTS), max_size=5).map(tuple),
    wants_to_continue=st.booleans(),
)
moves = st.builds(
    NeedMove,
    id=st.sampled_from(["primary", "secondary", "other"]),
    status=st.sampled_from(get_args(NeedStatus)),
    cause=words,
)
decisions = st.builds(
    ThinkUpdate, thought=thoughts, readiness=st.none() | levels, needs=st.lists(moves, max_size=3).map(tuple)
)
steps = st.floats(0.5, 4).map(lambda value: round(value, 1))
bounds = st.builds(
    Bounds,
    distress_step=steps,
    trust_gain=steps,
    trust_loss=steps,
    releases_per_turn=st.integers(1, 2),
    thresholds=st.tuples(*(st.builds(Threshold, fact=st.just(fact), trust=levels) for fact in FACTS[:3])),
)
