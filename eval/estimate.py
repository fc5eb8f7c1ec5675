"""What a run will ask of its models: calls by counting, tokens by rule of thumb."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import ValidationError

from emoharbor.eval.config import RunConfig
from emoharbor.eval.prices import Prices
from emoharbor.graphs.route import takes_in
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.nodes.rubric import rubric_named
from emoharbor.nodes.spec import CALL_NOTHING, PartSpec
from emoharbor.profiles.loader import load_people
from emoharbor.state.base import Role

# Rules of thumb, in tokens: a system text with a profile of about 1,000 words; a turn of two messages; the inner world
# and the task at the end of a call; what each role answers.
_SYSTEM, _TURN, _TAIL, _LOG = 3000, 200, 400, 150
_BRIEFING = {"none": 0, "intake": 900, "full": 1800}
_ANSWER: Mapping[Role, int] = {"feel": 300, "think": 300, "speak": 120, "fused": 600, "supporter": 150, "judge": 2000}


@dataclass(frozen=True, slots=True)
class RoleEstimate:
    """Calls and tokens of one role over the whole run, at most.

    Attributes:
        calls: calls of a model or of a system under test; 0 for what is rule-based.
        prompt_tokens: roughly, caches not counted.
        completion_tokens: roughly.
        cost_usd: without any cache; None when the price of a model is not known.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run asks of its models if every dialogue runs to the turn cap.

    Attributes:
        episodes: profiles x supporters x repeats.
        steps_per_dialogue: times a node plays in one dialogue, opening and judge included: 63 for 15 turns.
        roles: by role; the opening is counted once for each profile and repeat.
        unpriced: the parts whose price is not known: a role, or `supporters.NAME`.
    """

    episodes: int
    steps_per_dialogue: int
    roles: Mapping[Role, RoleEstimate]
    unpriced: tuple[str, ...] = ()

    @property
    def cost_usd(self) -> float | None:
        """What the run costs at most, without any cache; None when a price is not known."""
        if not self.roles or self.unpriced:
            return None
        return sum(role.cost_usd or 0.0 for role in self.roles.values())

    @property
    def calls(self) -> int:
        """All calls."""
        return sum(role.calls for role in self.roles.values())

    @property
    def tokens(self) -> int:
        """All tokens, roughly."""
        return sum(role.prompt_tokens + role.completion_tokens for role in self.roles.values())


def estimate(config: RunConfig, profiles: int | None = None) -> Estimate:
    """Count the calls of a run.

    Args:
        config: the run.
        profiles: how many people; None looks them up.

    Raises:
        ProfileError: when they are to be looked up and cannot be.
    """
    people = len(load_people(config.profiles)) if profiles is None else profiles
    chain, run = config.cast.user, config.run
    openings, dialogues = people * run.repeats, people * run.repeats * len(config.supporters)
    roles: dict[Role, RoleEstimate] = {}
    unpriced: list[str] = []
    for role in chain:
        later = [*range(1, run.max_turns), *([run.max_turns] if role != "speak" else [])]
        if _asks_a_model(config.cast.spec(role)):
            roles[role] = _sum(role, [(openings, [0]), (dialogues, later)], _SYSTEM + _TAIL)
    asking = [item for item in config.supporters if item.use not in CALL_NOTHING]
    if asking:
        one = _sum("supporter", [(openings, range(run.max_turns))], _BRIEFING[run.briefing])
        priced = {item.name: _priced(config, item, one) for item in asking}
        unpriced += [f"supporters.{name}" for name, found in priced.items() if found.cost_usd is None]
        roles["supporter"] = _added(list(priced.values()))
    if _asks_a_model(config.cast.judge):
        log = _LOG * run.max_turns if takes_in(chain) else 0
        ratings = dialogues * config.judge_repeats
        roles["judge"] = _judged(config.judge, _sum("judge", [(ratings, [run.max_turns])], _SYSTEM + _TAIL + log))
    for seat in [seat for seat in roles if seat != "supporter"]:
        roles[seat] = _priced(config, config.cast.spec(seat), roles[seat])
        if roles[seat].cost_usd is None:
            unpriced.append(seat)
    steps = _steps(chain, run.max_turns) + (config.cast.judge is not None)
    return Estimate(episodes=dialogues, steps_per_dialogue=steps, roles=roles, unpriced=tuple(unpriced))


def _steps(chain: Sequence[Role], turns: int) -> int:
    """Every turn the chain and the supporter; at the end the chain but `speak` takes in the last reply."""
    return turns * (len(chain) + 1) + sum(role != "speak" for role in chain)


def _sum(role: Role, played: Sequence[tuple[int, Sequence[int]]], fixed: int) -> RoleEstimate:
    """Add up calls that are made so many times at each of some turns."""
    calls = sum(times * len(turns) for times, turns in played)
    prompt = sum(times * (fixed + _TURN * turn) for times, turns in played for turn in turns)
    return RoleEstimate(calls, prompt, calls * _ANSWER[role])


def _judged(judge: PartSpec | None, found: RoleEstimate) -> RoleEstimate:
    """Return the same for a judge that asks for each dimension by itself: the same answers, in that many calls."""
    if judge is None or judge.args.get("mode", "all") == "all":
        return found
    times = len(rubric_named(judge.args).dimensions)
    return replace(found, calls=found.calls * times, prompt_tokens=found.prompt_tokens * times)


def _priced(config: RunConfig, part: PartSpec | None, found: RoleEstimate) -> RoleEstimate:
    """Return the same with what it costs, where the part's model has a known price."""
    settings = None if part is None else _settings(config, part.args.get("model"))
    price = None if settings is None else Prices(config.prices).of(settings)
    if price is None:
        return found
    return replace(found, cost_usd=price.cost(found.prompt_tokens, found.completion_tokens))


def _settings(config: RunConfig, model: object) -> ModelSettings | None:
    if isinstance(model, str):
        return config.models.get(model)
    if isinstance(model, Mapping):
        try:
            return ModelSettings.model_validate(model)
        except ValidationError:
            return None  # assembling says what is wrong with it
    return model if isinstance(model, ModelSettings) else None


def _added(found: Sequence[RoleEstimate]) -> RoleEstimate:
    costs = [item.cost_usd for item in found if item.cost_usd is not None]
    return RoleEstimate(
        calls=sum(item.calls for item in found),
        prompt_tokens=sum(item.prompt_tokens for item in found),
        completion_tokens=sum(item.completion_tokens for item in found),
        cost_usd=sum(costs) if len(costs) == len(found) else None,
    )


def _asks_a_model(part: PartSpec | None) -> bool:
    return part is not None and part.use not in CALL_NOTHING and "model" in part.args
