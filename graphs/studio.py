"""The graphs that `langgraph.json` exports: compiled when this module is imported, for LangGraph Studio and its server.

They live in a module of their own so that importing `graphs.episode` does nothing. The cast is the offline one, so both
run without a key; with `OPENAI_API_KEY` in the environment the context may also name the supporter `chat`. With the
supporter `human` the graph stops at each of its turns and asks whoever runs it.
"""

import os
from collections.abc import Iterator, Mapping

from emoharbor.graphs.episode import build_episode
from emoharbor.graphs.user import build_user
from emoharbor.nodes.cast import build_cast
from emoharbor.nodes.models.client import Models
from emoharbor.nodes.models.protocol import ChatModel
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.nodes.spec import CastSpec, SupporterSpec
from emoharbor.nodes.supporters.human import HUMAN
from emoharbor.profiles.loader import bundled
from emoharbor.profiles.schema import Profile
from emoharbor.state.errors import ProfileError

STYLES = ("attuned", "generic", "advice", "silent")
"""The offline supporters, each under its own name."""


def studio_supporters(environment: Mapping[str, str]) -> Iterator[SupporterSpec]:
    """Name the supporters that the context can choose from.

    Args:
        environment: may hold `OPENAI_API_KEY`, `OPENAI_BASE_URL`, `EMOHARBOR_STUDIO_MODEL`.
    """
    for style in STYLES:
        yield SupporterSpec.model_validate({"name": style, "use": "offline", "style": style})
    yield SupporterSpec(name=HUMAN, use=HUMAN)
    if environment.get("OPENAI_API_KEY"):
        model = {
            "model": environment.get("EMOHARBOR_STUDIO_MODEL") or "gpt-4.1-mini",
            "base_url": environment.get("OPENAI_BASE_URL") or None,
            "api_key_env": "OPENAI_API_KEY",
        }
        yield SupporterSpec.model_validate({"name": "chat", "use": "chat", "model": model})


def _open(settings: object, _place: str) -> ChatModel:
    return Models().open(ModelSettings.model_validate(settings))


def _person(profile_id: str) -> Profile:
    if profile_id not in _PEOPLE:
        raise ProfileError(f"profile_id: nobody is called {profile_id!r}; people: {', '.join(_PEOPLE)}")
    return _PEOPLE[profile_id]


_CAST = build_cast(CastSpec(), studio_supporters(os.environ), _open)
_PEOPLE = bundled()

graph = build_episode(_CAST, _person, editable=True)
"""One person, one supporter, one verdict."""

user = build_user(_CAST, _person)
"""The simulated person alone."""
