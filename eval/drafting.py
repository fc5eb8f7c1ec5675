"""Filling the gaps of an imported person by a model, for a person to read and mend.

What the source says is kept; what the model adds is listed in `provenance.drafted`. A block that the model cannot give
stays missing.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel, ValidationError

from emoharbor.nodes.models.protocol import ChatModel
from emoharbor.profiles.schema import PartialProfile, Person, Profile, Provenance, Situation, Telling
from emoharbor.state.errors import ReplyFault
from emoharbor.state.yamlfile import problem

_SYSTEM = """You help to describe a person for a simulation of people who seek emotional support.
From the notes below, write the part of the description that is asked for. Keep to the notes; where they are silent,
choose what is ordinary and plausible, and never contradict them. Show character, do not name traits. Write in the
language of the notes. The situation says nothing of who the person is, the person nothing of what happened."""
_PARTS: Mapping[str, type[BaseModel]] = {"situation": Situation, "person": Person, "telling": Telling}


@dataclass(frozen=True, slots=True)
class Draft:
    """What came of it.

    Attributes:
        profile: the person, with as many blocks as the model gave.
        problem: why a block is still missing; empty when none is.
    """

    profile: PartialProfile
    problem: str = ""


async def draft(profile: PartialProfile, model: ChatModel) -> Draft:
    """Fill the missing blocks of a person, one after the other.

    Raises:
        EndpointFault: when the endpoint does not answer; a reply that cannot be used is told in `Draft.problem`.
    """
    data = profile.model_dump(mode="json", exclude_defaults=True)
    drafted: list[str] = []
    for name, schema in _PARTS.items():
        if name in data:
            continue
        try:
            answer = await model.ask(_question(name, data), schema, check=_fits(data))
            given = _given(name, profile)
            block = schema.model_validate({**answer.value.model_dump(mode="json"), **given})
        except ReplyFault as fault:
            return Draft(_marked(data, drafted, profile, model.name), f"{name}: {fault}")
        except ValidationError as error:  # what the source says is off our scales
            return Draft(_marked(data, drafted, profile, model.name), f"{name}: {problem(error, schema)}")
        data[name] = block.model_dump(mode="json")
        drafted += [f"{name}.{field}" for field in data[name] if field not in given]
    return Draft(_marked(data, drafted, profile, model.name))


def _fits(data: Mapping[str, Any]) -> Callable[[BaseModel], str | None]:
    """A telling has to tell each guarded fact once."""

    def check(value: BaseModel) -> str | None:
        if not isinstance(value, Telling):
            return None
        told, guarded = {item.fact for item in value.guarded}, {fact["id"] for fact in data["situation"]["guarded"]}
        return None if told == guarded else f"guarded must tell exactly these facts: {', '.join(sorted(guarded))}"

    return check


def _given(block: str, profile: PartialProfile) -> dict[str, object]:
    """What the source itself says for a block's fields."""
    if (sheet := profile.sheet) is None:
        return {}
    fields: dict[str, dict[str, object]] = {
        "situation": {"problem": sheet.problem, "feeling": sheet.feeling, "intensity": sheet.intensity},
        "person": {"name": sheet.name, "age": sheet.age, "gender": sheet.gender, "occupation": sheet.occupation},
        "telling": {"opening": sheet.opening},
    }
    return {name: value for name, value in fields[block].items() if value is not None}


def _question(part: str, data: Mapping[str, object]) -> list[BaseMessage]:
    notes = yaml.safe_dump(dict(data), allow_unicode=True, sort_keys=False)
    return [SystemMessage(_SYSTEM), HumanMessage(f"Notes:\n\n{notes}\nWrite the part `{part}`.")]


def _marked(data: Mapping[str, Any], drafted: list[str], profile: PartialProfile, by: str) -> PartialProfile:
    origin = profile.provenance or Provenance(source="not stated", licence="not stated")
    marked = origin.model_copy(update={"drafted": (*origin.drafted, *drafted), "drafted_by": by if drafted else ""})
    whole = {"situation", "person"} <= data.keys()
    model = Profile if whole else PartialProfile
    return model.model_validate({**data, "provenance": marked.model_dump(mode="json")})
