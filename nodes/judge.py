"""`judge`, played by a model: rates the finished episode as the person. Prompt: `judge.md`; any rubric.

What cannot be read is `unscored` with its reason. A score is never clamped, a missing one never filled in.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Self

from langchain_core.messages import AnyMessage

from emoharbor.nodes.contract import JudgeNode, Runtime
from emoharbor.nodes.judge_reply import JudgeReply, Quoted, RatingReply, reply_for
from emoharbor.nodes.models.protocol import ChatModel
from emoharbor.nodes.mood import log_lines
from emoharbor.nodes.prompting import joined, layout, load_prompt, note_shortened, turned_down
from emoharbor.nodes.rendering import known_inside, taste
from emoharbor.nodes.reply import complaint, quotes
from emoharbor.nodes.rubric import Dimension, Rubric, load_rubric
from emoharbor.state.dialogue import exchanges
from emoharbor.state.episode import Channels
from emoharbor.state.errors import ReplyFault
from emoharbor.state.seeds import derive_seed
from emoharbor.state.text import contains, is_blank
from emoharbor.state.updates import JudgeUpdate
from emoharbor.state.verdict import Evidence, Judgement, Rating

Mode = Literal["all", "one_per_dimension"]
NOT_RATED = "not rated"
_SHOWN = 6
"""Most faults of one kind that are told to the model at once."""
Said = dict[int, tuple[str, ...]]
"""What each side said at each turn."""


def llm_judge(model: ChatModel, rubric: str = "ten", prompt: str | None = None, mode: Mode = "all") -> JudgeNode:
    """Make a judge that asks a model.

    Args:
        model: the model.
        rubric: a bundled rubric's name, or the path of a YAML file.
        prompt: path of a prompt file in place of `judge.md`.
        mode: all dimensions in one call, or each in a call of its own that sees no other: if the scores then differ
            more from one another, one impression had coloured them all (a halo).

    Raises:
        CastError: for a prompt file that cannot be used.
        RubricError: for a rubric that cannot be used.
    """
    text = load_prompt("judge", prompt, ("system", "log", "task"))
    scale = load_rubric(rubric)
    sheet = _Sheet.of(scale)
    lone = {item.id: _Sheet.of(scale.only(item.id)) for item in scale.dimensions if mode == "one_per_dimension"}
    name = f"llm:{model.name}"

    async def judge(state: Channels, runtime: Runtime) -> JudgeUpdate:
        asked = shuffled(scale, runtime)
        note_shortened(state["messages"], runtime.note)
        question = _Question(model, text, state, runtime)
        if mode == "all":
            answers = [await question.ask(sheet, asked)]
        else:
            # one after the other: each call finds the dialogue in the cache of the one before
            answers = [await question.ask(lone[item.id], (item,)) for item in asked]
        by_id = {rating.dimension: rating for answer in answers for rating in answer.ratings}
        ratings = tuple(by_id[item.id] for item in scale.dimensions if item.id in by_id)
        scores = scale.scores(ratings)
        lost = next((answer.lost for answer in answers if answer.lost), "no dimension has a score")
        return JudgeUpdate(
            judgement=Judgement(
                judge=name,
                repeat=runtime.repeat,
                counterfactual=runtime.rated_as,
                rubric=scale.id,
                order=tuple(item.id for item in asked),
                ratings=ratings,
                scores=scores,
                unscored=lost if scores is None else None,
                raw="\n".join(answer.raw for answer in answers),
            )
        )

    return judge


@dataclass(frozen=True, slots=True)
class _Sheet:
    """What is put to the model, and the model of its reply: made once, since that takes longer than a call."""

    scale: Rubric
    reply: type[JudgeReply]

    @classmethod
    def of(cls, scale: Rubric) -> Self:
        return cls(scale, reply_for(scale))


@dataclass(frozen=True, slots=True)
class _Answer:
    """What one call brought: ratings, or why there are none."""

    ratings: tuple[Rating, ...]
    raw: str
    lost: str | None = None


@dataclass(frozen=True, slots=True)
class _Question:
    """A finished talk, put to the model with some dimensions."""

    model: ChatModel
    text: Mapping[str, str]
    state: Channels
    runtime: Runtime

    async def ask(self, sheet: _Sheet, asked: Sequence[Dimension]) -> _Answer:
        """Ask for these dimensions. A fault of the endpoint passes; a reply that cannot be used leaves them out."""
        messages, worlds = self.state["messages"], self.state.get("worlds", ())
        scale, profile, said = sheet.scale, self.runtime.profile, said_at(messages)
        log = joined((self.text["log"], "\n".join(log_lines(worlds)))) if worlds else ""
        try:
            answer = await self.model.ask(
                layout(
                    (self.text["system"], known_inside(profile), taste(profile)),
                    messages,
                    (log, rubric_text(asked, scale), self.text["task"], turned_down(self.runtime.complaint)),
                ),
                sheet.reply,
                seed=self.runtime.seed,
                check=lambda reply: complaint(judge_problems(reply, asked, said)),
                note=self.runtime.note,
            )
        except ReplyFault as fault:
            why = f"{fault.kind}: {fault}"
            lone = len(asked) == 1  # the others are asked for elsewhere, so it is this one that is missing
            missing = [Rating(dimension=item.id, group=item.group, score=None, reason=why) for item in asked if lone]
            return _Answer(tuple(missing), fault.raw, why)
        return _Answer(read_ratings(answer.value, scale, said, self.runtime), answer.raw)


def shuffled(rubric: Rubric, runtime: Runtime) -> tuple[Dimension, ...]:
    """Return the dimensions in an order of this rating's own, so that none always follows another."""
    return tuple(
        sorted(rubric.dimensions, key=lambda item: derive_seed(runtime.seed, "order", runtime.repeat, item.id))
    )


def rubric_text(asked: Sequence[Dimension], scale: Rubric) -> str:
    """Return the dimensions as the judge reads them: questions and levels, and nothing of groups."""
    blocks = ["## The dimensions"]
    if scale.is_sparse:
        blocks.append(
            f"Each level is a whole number from {scale.low} to {scale.high}. Some levels are described; one between "
            "two described ones means: between these."
        )
    for item in asked:
        levels = "\n".join(f"{anchor.score}: {anchor.says}" for anchor in item.anchors)
        blocks.append(f"`{item.id}`: {item.asks}\n{levels}")
    return joined(blocks)


def said_at(messages: Sequence[AnyMessage]) -> Said:
    """Return what each side said at each turn."""
    return {item.turn: (item.user, item.supporter or "") for item in exchanges(messages)}


def judge_problems(reply: JudgeReply, asked: Sequence[Dimension], said: Said) -> list[str]:
    """Return what is wrong with a rating that fits the schema."""
    ids = [item.id for item in asked]
    given = [item.dimension for item in reply.ratings]
    found = []
    if missing := [name for name in ids if name not in given]:
        found.append(f"Not rated: {', '.join(missing)}.")
    if unknown := [name for name in given if name not in ids]:
        found.append(f"No dimensions of the rubric: {', '.join(unknown)}.")
    if twice := [name for name in ids if given.count(name) > 1]:
        found.append(f"Rated more than once: {', '.join(twice)}.")
    if bare := [item.dimension for item in reply.ratings if item.score is not None and not item.evidence]:
        found.append(f"A score, but no evidence: {', '.join(bare)}.")
    wrong = list(_wrong_quotes(reply, said))
    if wrong:
        found.append(f"No words of the dialogue at that turn: {'; '.join(wrong[:_SHOWN])}.")
    if colouring := _overused(reply, said):
        found.append(f"More than half of the ratings rest on the same words ({colouring!r}); find each its own.")
    return found


def read_ratings(reply: JudgeReply, rubric: Rubric, said: Said, runtime: Runtime) -> tuple[Rating, ...]:
    """Return a rating for each dimension, in the rubric's order, its evidence checked against the dialogue."""
    given: dict[str, RatingReply] = {}
    for item in reply.ratings:
        if item.dimension not in {known.id for known in rubric.dimensions}:
            runtime.note("unknown_dimension", item.dimension)
        elif item.dimension in given:
            runtime.note("rated_twice", item.dimension)
        else:
            given[item.dimension] = item
    return tuple(_rating(item, given.get(item.id), said) for item in rubric.dimensions)


def _rating(dimension: Dimension, given: RatingReply | None, said: Said) -> Rating:
    if given is None:
        return Rating(dimension=dimension.id, group=dimension.group, score=None, reason=NOT_RATED)
    kept = tuple(Evidence(turn=item.turn, quote=item.quote) for item in given.evidence if _can_be_kept(item))
    return Rating(
        dimension=dimension.id,
        group=dimension.group,
        score=given.score,
        reason=given.reason,
        evidence=kept,
        evidence_ok=all(_stands(item, said) for item in given.evidence) if given.evidence else None,
        certainty=given.certainty,
    )


def _can_be_kept(item: Quoted) -> bool:
    return item.turn >= 0 and not is_blank(item.quote)


def _stands(item: Quoted, said: Said) -> bool:
    return any(contains(text, item.quote) for text in said.get(item.turn, ()))


def _wrong_quotes(reply: JudgeReply, said: Said) -> Iterator[str]:
    quoted: list[tuple[str, Quoted]] = [("weakest", reply.weakest), ("strongest", reply.strongest)]
    quoted += [(rating.dimension, item) for rating in reply.ratings for item in rating.evidence]
    for place, item in quoted:
        if not any(quotes(text, item.quote) for text in said.get(item.turn, ())):
            real = next((turn for turn, texts in said.items() if any(quotes(text, item.quote) for text in texts)), None)
            hint = "" if real is None else f", but at turn {real}"
            yield f"{place} (turn {item.turn}{hint}) {item.quote!r}"


def _overused(reply: JudgeReply, said: Said) -> str | None:
    """Return words that carry more than half of the ratings: one impression that colours everything."""
    uses: dict[str, set[str]] = {}
    for rating in reply.ratings:
        for item in rating.evidence:
            uses.setdefault(item.quote, set()).add(rating.dimension)
    few_words = len(said) < 3 or len(reply.ratings) < 4
    return next((quote for quote, users in uses.items() if 2 * len(users) > len(reply.ratings) and not few_words), None)
