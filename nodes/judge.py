"""`judge`, played by a model: rates the finished episode as the person. Prompt: `judge.md`; any rubric.

What cannot be read is `unscored` with its reason. A score is never clamped, a missing one never filled in.
"""

from collections.abc import Iterator, Sequence
from functools import partial

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

NOT_RATED = "not rated"
_SHOWN = 6
"""Most faults of one kind that are told to the model at once."""
Said = dict[int, tuple[str, ...]]
"""What each side said at each turn."""


def llm_judge(model: ChatModel, rubric: str = "ten", prompt: str | None = None) -> JudgeNode:
    """Make a judge that asks a model.

    Args:
        model: the model.
        rubric: a bundled rubric's name, or the path of a YAML file.
        prompt: path of a prompt file in place of `judge.md`.

    Raises:
        CastError: for a prompt file that cannot be used.
        RubricError: for a rubric that cannot be used.
    """
    text = load_prompt("judge", prompt, ("system", "log", "task"))
    scale = load_rubric(rubric)
    schema = reply_for(scale)
    name = f"llm:{model.name}"

    async def judge(state: Channels, runtime: Runtime) -> JudgeUpdate:
        messages, worlds = state["messages"], state.get("worlds", ())
        asked = shuffled(scale, runtime)
        note_shortened(messages, runtime.note)
        said = said_at(messages)
        log = joined((text["log"], "\n".join(log_lines(worlds)))) if worlds else ""
        blank = partial(
            Judgement,
            judge=name,
            repeat=runtime.repeat,
            counterfactual=runtime.rated_as,
            rubric=scale.id,
            order=tuple(item.id for item in asked),
        )
        try:
            answer = await model.ask(
                layout(
                    (text["system"], known_inside(runtime.profile), taste(runtime.profile)),
                    messages,
                    (log, rubric_text(asked), text["task"], turned_down(runtime.complaint)),
                ),
                schema,
                seed=runtime.seed,
                check=lambda reply: complaint(judge_problems(reply, asked, said)),
                note=runtime.note,
            )
        except ReplyFault as fault:
            return JudgeUpdate(judgement=blank(unscored=f"{fault.kind}: {fault}", raw=fault.raw))
        ratings = read_ratings(answer.value, scale, said, runtime)
        scores = scale.scores(ratings)
        unscored = "no dimension has a score" if scores is None else None
        return JudgeUpdate(judgement=blank(ratings=ratings, scores=scores, unscored=unscored, raw=answer.raw))

    return judge


def shuffled(rubric: Rubric, runtime: Runtime) -> tuple[Dimension, ...]:
    """Return the dimensions in an order of this rating's own, so that none always follows another."""
    return tuple(
        sorted(rubric.dimensions, key=lambda item: derive_seed(runtime.seed, "order", runtime.repeat, item.id))
    )


def rubric_text(asked: Sequence[Dimension]) -> str:
    """Return the dimensions as the judge reads them: questions and levels, and nothing of groups."""
    blocks = ["## The dimensions"]
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
