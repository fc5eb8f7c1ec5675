"""Rating a dialogue as the person: one that was held anywhere, or one that a simulated user has held here."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from emoharbor.eval.assembly import assemble
from emoharbor.eval.config import RunConfig, make_config
from emoharbor.eval.harness.messages import dialogue_of, lines_of
from emoharbor.graphs.begin import EpisodeContext, first_state
from emoharbor.graphs.episode import build_episode, step_limit
from emoharbor.nodes.cast import Cast
from emoharbor.nodes.models.client import Models
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.nodes.spec import CastSpec
from emoharbor.profiles.loader import load_people
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.episode import MAX_TURNS, EpisodeState
from emoharbor.state.errors import ConfigError, EmoHarborError
from emoharbor.state.outcome import Outcome
from emoharbor.state.verdict import Judgement

ELSEWHERE = "elsewhere"
"""Stands for the system under test, which is not ours to call."""


async def rate(
    messages: Any,
    profile: PartialProfile | str,
    *,
    judge: Mapping[str, Any] | None = None,
    models: Mapping[str, ModelSettings | Mapping[str, Any]] | None = None,
    seed: int = 0,
) -> Judgement:
    """Rate a dialogue that was held anywhere, as this person. There is no inner-world log: the judge reads none.

    Args:
        messages: the dialogue, as LangChain messages or as dicts of role and content.
        profile: the person, the id of a bundled one, or the path of a profile file.
        judge: who rates, as `cast.judge` in a config; None for the offline one.
        models: the models that the judge names, as in a config.
        seed: of the judge.

    Returns:
        A judgement; one that could not be read is `unscored` with its reason.

    Raises:
        UserError: for a mistake in any of these, before any call is made.
        EmoHarborError: when the judge could not be reached.
    """
    person = profile if isinstance(profile, PartialProfile) else only_one(profile)
    talk = dialogue_of(lines_of(messages))
    if len(talk) < 2:
        raise ConfigError("there is nothing to rate: the dialogue holds no answer to the person")
    cast = {"user": ["speak"], **({"judge": judge} if judge else {})}  # such a chain keeps no log
    async with Models() as opened:
        config = config_of(cast, models)
        parts = assemble(config, opened, {person.id: person}).cast
        turns = sum(message.type == "ai" for message in talk)
        begun = first_state(person, EpisodeContext(supporter=ELSEWHERE, max_turns=max(turns, MAX_TURNS), seed=seed))
        return await judged(
            begun.model_copy(update={"messages": talk, "turn": turns, "last": "supporter"}), parts, person
        )


def config_of(
    cast: CastSpec | Mapping[str, Any] | None, models: Mapping[str, ModelSettings | Mapping[str, Any]] | None
) -> RunConfig:
    """Return the config of a cast whose supporter is elsewhere.

    Raises:
        ConfigError: as `make_config`.
    """
    return make_config({
        "run": {"name": ELSEWHERE}, "cast": cast or {}, "models": models or {},
        "supporters": [{"name": ELSEWHERE, "use": "offline", "style": "silent"}],
    })  # fmt: skip


def only_one(name: str) -> PartialProfile:
    """Return the one person that an id or a path names.

    Raises:
        ConfigError: when it names several.
    """
    found = load_people(name)
    if len(found) != 1:
        raise ConfigError(f"profile {name!r} names {len(found)} people; name one")
    return next(iter(found.values()))


async def judged(state: EpisodeState, parts: Cast, person: PartialProfile) -> Judgement:
    """Rate a dialogue; one without an outcome was ended by those who held it, which counts as the turn cap.

    Raises:
        ConfigError: when the cast has no judge.
        EmoHarborError: when the judge could not be reached.
    """
    if parts.judge is None:
        raise ConfigError("cast.judge is missing, so nobody rates")
    if state.outcome is None:
        ended = {"outcome": Outcome.TURN_CAP, "outcome_reason": "the talk was ended elsewhere"}
        state = state.model_copy(update=ended)
    graph = build_episode(replace(parts, supporters={}), lambda _: person, name="rating")
    end = EpisodeState.from_channels(
        await graph.ainvoke(state.channels(), {"recursion_limit": step_limit(state.max_turns)})
    )
    if end.verdict is None:
        why = f": {end.faults[-1].detail}" if end.faults else ""
        raise EmoHarborError(f"the dialogue was not rated{why}")
    return end.verdict
