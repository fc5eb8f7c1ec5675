"""What a run will ask of its models: calls by counting, tokens by rule of thumb."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from emoharbor.eval.config import RunConfig
from emoharbor.graphs.route import takes_in
from emoharbor.nodes.spec import PartSpec
from emoharbor.profiles.loader import load_people
from emoharbor.state.base import Role

# Rules of thumb, in tokens: a system text with a profile of about 1,000 words; a turn of two messages; the inner world
# and the task at the end of a call; what each role answers.
_SYSTEM, _TURN, _TAIL, _LOG = 3000, 200, 400, 150
_BRIEFING = {"none": 0, "intake": 900, "full": 1800}
_ANSWER: Mapping[Role, int] = {"feel": 300, "think": 300, "speak": 120, "fused": 600, "supporter": 150, "judge": 2000}
_NO_MODEL = ("offline", "recorded")


@dataclass(frozen=True, slots=True)
class RoleEstimate:
    """Calls and tokens of one role over the whole run, at most.

    Attributes:
        calls: calls of a model or of a system under test; 0 for what is rule-based.
        prompt_tokens: roughly, caches not counted.
        completion_tokens: roughly.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run asks of its models if every dialogue runs to the turn cap.

    Attributes:
        episodes: profiles x supporters x repeats.
        steps_per_dialogue: times a node plays in one dialogue, opening and judge included: 63 for 15 turns.
        roles: by role; the opening is counted once for each profile and repeat.
    """

    episodes: int
    steps_per_dialogue: int
    roles: Mapping[Role, RoleEstimate]

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
    for role in chain:
        later = [*range(1, run.max_turns), *([run.max_turns] if role != "speak" else [])]
        if _asks_a_model(config.cast.spec(role)):
            roles[role] = _sum(role, [(openings, [0]), (dialogues, later)], _SYSTEM + _TAIL)
    asking = sum(item.use not in _NO_MODEL for item in config.supporters) * people * run.repeats
    if asking:
        roles["supporter"] = _sum("supporter", [(asking, range(run.max_turns))], _BRIEFING[run.briefing])
    if _asks_a_model(config.cast.judge):
        log = _LOG * run.max_turns if takes_in(chain) else 0
        roles["judge"] = _sum("judge", [(dialogues, [run.max_turns])], _SYSTEM + _TAIL + log)
    steps = _steps(chain, run.max_turns) + (config.cast.judge is not None)
    return Estimate(episodes=dialogues, steps_per_dialogue=steps, roles=roles)


def _steps(chain: Sequence[Role], turns: int) -> int:
    """Every turn the chain and the supporter; at the end the chain but `speak` takes in the last reply."""
    return turns * (len(chain) + 1) + sum(role != "speak" for role in chain)


def _sum(role: Role, played: Sequence[tuple[int, Sequence[int]]], fixed: int) -> RoleEstimate:
    """Add up calls that are made so many times at each of some turns."""
    calls = sum(times * len(turns) for times, turns in played)
    prompt = sum(times * (fixed + _TURN * turn) for times, turns in played for turn in turns)
    return RoleEstimate(calls, prompt, calls * _ANSWER[role])


def _asks_a_model(part: PartSpec | None) -> bool:
    return part is not None and part.use not in _NO_MODEL and "model" in part.args
