"""A model fills what a source lacks: what the source says stays, what was drafted is marked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import pytest
from langchain_core.callbacks import BaseCallbackManager
from langchain_core.messages import BaseMessage
from pydantic import BaseModel

from emoharbor.eval.drafting import draft
from emoharbor.nodes.models.protocol import Answer, Note, Reply
from emoharbor.profiles.loader import load_people
from emoharbor.profiles.schema import PartialProfile, Profile, Provenance, Sheet
from emoharbor.state.errors import Unreachable, Unreadable

T = TypeVar("T", bound=BaseModel)
SOURCE = PartialProfile(
    id="s1",
    sheet=Sheet(
        name="Ana Vidal", age=41, feeling="anger", story="The shop closed.", opening="hello?", hidden="to be heard"
    ),
    provenance=Provenance(from_data=("name",), source="a study", licence="MIT"),
)


@dataclass
class Writer:
    """Writes everybody as P040, or fails as it is told."""

    fails: dict[str, Exception] = field(default_factory=dict)
    wrong_facts: bool = False
    asked: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    name: str = "writer-1"

    async def ask(
        self,
        messages: Sequence[BaseMessage],
        schema: type[T],
        *,
        seed: int | None = None,
        check: Callable[[T], str | None] | None = None,
        note: Note | None = None,
    ) -> Answer[T]:
        self.asked.append(str(messages[-1].content))
        part = schema.__name__.lower()
        if part in self.fails:
            raise self.fails[part]
        block = getattr(load_people("P040")["P040"], part)
        if self.wrong_facts and part == "telling":
            block = block.model_copy(update={"guarded": block.guarded[:1]})
        assert isinstance(block, schema)
        if check is not None and (complaint := check(block)):
            self.complaints.append(complaint)
            raise Unreadable(complaint)
        return Answer(block, raw="")

    async def say(
        self,
        messages: Sequence[BaseMessage],
        *,
        seed: int | None = None,
        callbacks: BaseCallbackManager | None = None,
        note: Note | None = None,
    ) -> Reply:
        raise NotImplementedError


async def test_the_gaps_are_filled_and_what_the_source_says_stays() -> None:
    made = await draft(SOURCE, Writer())

    profile = made.profile
    assert isinstance(profile, Profile)
    assert made.problem == ""
    assert (profile.person.name, profile.person.age, profile.situation.feeling) == ("Ana Vidal", 41, "anger")
    assert profile.telling is not None
    assert profile.telling.opening == "hello?"
    assert profile.sheet == SOURCE.sheet


async def test_what_the_model_wrote_is_marked_and_nothing_else() -> None:
    profile = (await draft(SOURCE, Writer())).profile

    assert profile.provenance is not None
    drafted = set(profile.provenance.drafted)
    assert {"person.portrait", "situation.history", "telling.open"} <= drafted
    assert drafted.isdisjoint({"person.name", "person.age", "situation.feeling", "telling.opening"})
    assert (profile.provenance.drafted_by, profile.provenance.from_data) == ("writer-1", ("name",))


async def test_a_whole_person_is_asked_nothing() -> None:
    writer, person = Writer(), load_people("P040")["P040"]

    made = await draft(person, writer)

    assert writer.asked == []
    assert made.profile.model_copy(update={"provenance": None}) == person.model_copy(update={"provenance": None})


async def test_later_parts_are_asked_with_what_came_before() -> None:
    writer = Writer()

    await draft(SOURCE, writer)

    assert [text.rpartition("Write the part")[2].strip(" `.") for text in writer.asked] == [
        "situation",
        "person",
        "telling",
    ]
    assert "The year the mother went to Portugal" in writer.asked[1]


async def test_an_unusable_reply_leaves_the_part_missing_and_says_so() -> None:
    made = await draft(SOURCE, Writer(fails={"person": Unreadable("no JSON")}))

    assert made.problem == "person: no JSON"
    assert made.profile.situation is not None
    assert made.profile.person is None
    assert made.profile.provenance is not None
    assert {name.partition(".")[0] for name in made.profile.provenance.drafted} == {"situation"}


async def test_a_telling_has_to_tell_the_guarded_facts() -> None:
    writer = Writer(wrong_facts=True)

    made = await draft(SOURCE, writer)

    assert writer.complaints == ["guarded must tell exactly these facts: mornings, recordings, third_ticket"]
    assert isinstance(made.profile, Profile)
    assert made.profile.telling is None


async def test_a_source_off_our_scales_is_not_bent_to_fit() -> None:
    child = SOURCE.model_copy(update={"sheet": Sheet(age=9, story="s")})

    made = await draft(child, Writer())

    assert made.problem.startswith("person: age: Input should be greater than or equal to 16")
    assert made.profile.person is None


async def test_an_endpoint_that_is_down_is_the_callers_to_know() -> None:
    with pytest.raises(Unreachable):
        await draft(SOURCE, Writer(fails={"situation": Unreachable("refused")}))
