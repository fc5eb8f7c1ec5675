"""Playing one role once: what it is shown, what it hands back, and what a fault of it means for the episode."""

from collections.abc import Callable
from typing import NamedTuple, cast

from langchain_core.runnables import RunnableConfig

from emoharbor.graphs.held import held
from emoharbor.graphs.route import SPEAKS
from emoharbor.graphs.table import Sitter, Table
from emoharbor.graphs.take import take
from emoharbor.graphs.traced import listeners, mark, tell_proposal
from emoharbor.graphs.work import validated, work
from emoharbor.nodes.cast import Part
from emoharbor.nodes.contract import Runtime
from emoharbor.nodes.hygiene import check_message
from emoharbor.nodes.injection import injection_in
from emoharbor.nodes.isolation import ask_supporter
from emoharbor.nodes.models.caller import calling
from emoharbor.nodes.views import state_for
from emoharbor.state.base import Role
from emoharbor.state.episode import Channels, Fault
from emoharbor.state.errors import EndpointFault, ModelFault, ReplyFault, SupporterFault
from emoharbor.state.outcome import Outcome
from emoharbor.state.secrets import hide_secrets
from emoharbor.state.seeds import derive_seed
from emoharbor.state.updates import (
    FusedUpdate,
    JudgeUpdate,
    NodeUpdate,
    SpeakUpdate,
    SupporterUpdate,
)
from emoharbor.state.verdict import Judgement, Stance

_READ_ONLY = ("llm", "offline", "recorded")
"""Built-in parts that change no message they are shown. All others get copies."""


class Scene(NamedTuple):
    """One role at one moment. `stance` is how a judge rates; `faults` collects what went wrong, mended or not."""

    role: Role
    table: Table
    state: Channels
    sitter: Sitter
    stance: Stance
    faults: list[Fault]

    @property
    def note(self) -> Callable[[str, str], None]:
        """Records a fault. It is handed to nodes, so it holds nothing of the scene but the list it writes to."""
        role, turn, faults = self.role, self.state["turn"], self.faults

        def record(kind: str, detail: str) -> None:
            faults.append(Fault(role=role, turn=turn, kind=kind, detail=hide_secrets(detail)))

        return record


async def play(scene: Scene, config: RunnableConfig) -> Channels:
    """Play the role and return the channels it changes. Faults of models and supporters become data here.

    Raises:
        NodeError: when the node broke the contract.
    """
    manager = listeners(config)
    if manager is not None:
        mark(manager, scene.state["turn"], scene.table.implementation(scene.role, scene.state))
    try:
        if scene.role == "supporter":
            update: NodeUpdate = await ask_supporter(scene.table.cast.supporters, scene.state, config, scene.note)
            _flag_injection(scene, update)
        else:
            update = await _ask(scene)
            if manager is not None:
                await tell_proposal(manager, update)
    except SupporterFault as fault:
        scene.note(fault.outcome.value, str(fault))
        return _ended(scene, fault.outcome, str(fault))
    except ModelFault as fault:
        scene.note(fault.kind, str(fault))
        return _after_fault(scene, fault)
    except _TurnedDown as fault:
        return _ended(scene, Outcome.USER_INVALID, f"{fault.kind}: {fault}")
    if isinstance(update, JudgeUpdate):
        update = JudgeUpdate(judgement=signed(held(update.judgement, scene.table.cast.part("judge")), scene.stance))
    return take(update, scene.role, scene.state, scene.sitter, thinks=scene.table.thinks)


def signed(judgement: Judgement, stance: Stance) -> Judgement:
    """Return a judgement that says how it was made, whatever the judge's own code says about that."""
    return judgement.model_copy(update={name: getattr(stance, name) for name in Stance.model_fields})


async def _ask(scene: Scene) -> NodeUpdate:
    """Ask a role of the person, or the judge; a message that cannot be the person's is asked for once more."""
    role, state, thinks = scene.role, scene.state, scene.table.thinks
    part = scene.table.cast.part(role)
    seen = state_for(role, state, thinks=thinks, with_log=scene.stance.with_log, shared=part.use in _READ_ONLY)
    known = scene.sitter.profile
    if role == "speak" and thinks:
        known = scene.table.shown(known.id, state["inner"].released)
    seed = derive_seed(state["seed"], state["profile_id"], state["repeat"], role, state["turn"])
    stance = scene.stance
    if stance.repeat:
        seed = derive_seed(seed, "rating", stance.repeat)
    runtime = Runtime(
        known, seed, state["max_turns"], note=scene.note, repeat=stance.repeat, rated_as=stance.counterfactual
    )
    with calling(role, state["turn"], state["profile_id"]):
        try:
            return _accepted(scene, part, await work(part, seen, runtime))
        except _TurnedDown as fault:
            again = Runtime(known, seed + 1, state["max_turns"], complaint=str(fault), note=scene.note)
            return _accepted(scene, part, await work(part, seen, again))


def _accepted(scene: Scene, part: Part, update: object) -> NodeUpdate:
    checked = validated(scene.role, part, update)
    fault = _message_fault(scene, checked) if scene.role in SPEAKS else None
    if fault is None:
        return checked
    turn, words = scene.state["turn"], hide_secrets(fault.words)
    scene.faults.append(Fault(role=scene.role, turn=turn, kind=fault.kind, detail=str(fault), words=words))
    raise fault


class _TurnedDown(Exception):  # noqa: N818 - never leaves this module
    """The message cannot be the person's."""

    def __init__(self, kind: str, reason: str, words: str = "") -> None:
        super().__init__(reason)
        self.kind = kind
        self.words = words


def _message_fault(scene: Scene, update: NodeUpdate) -> _TurnedDown | None:
    if scene.state.get("recorded"):
        return None
    spoken = update.speak if isinstance(update, FusedUpdate) else update
    if isinstance(spoken, SpeakUpdate):
        found = check_message(spoken.message, scene.state["messages"], scene.sitter.profile)
        return _TurnedDown(*found, spoken.message) if found else None
    goes_on = scene.state["turn"] < scene.state["max_turns"]
    return _TurnedDown("empty", "no message was given, though the dialogue goes on") if goes_on else None


def _flag_injection(scene: Scene, update: NodeUpdate) -> None:
    found = injection_in(update.message) if isinstance(update, SupporterUpdate) else None
    if found:
        scene.note("injection", f"the reply addresses the machinery around the talk: {found!r}")


def _ended(scene: Scene, outcome: Outcome, reason: str) -> Channels:
    return cast("Channels", {"outcome": outcome, "outcome_reason": hide_secrets(reason), "last": scene.role})


def _after_fault(scene: Scene, fault: ModelFault) -> Channels:
    """Turn a model's fault into what it means: unscored, an invalid user, or an episode to run again."""
    reason = f"{fault.kind}: {fault}"
    if scene.role == "judge" and isinstance(fault, EndpointFault):
        return cast("Channels", {"last": scene.role})  # completed but not judged: judged on resume
    if scene.role == "judge":
        judge = scene.table.cast.part("judge")
        rubric = judge.rubric.id if judge.rubric else "none"
        verdict = Judgement(judge=judge.name, rubric=rubric, unscored=reason, raw=fault.raw)
        return cast("Channels", {"verdict": signed(verdict, scene.stance), "last": scene.role})
    if isinstance(fault, ReplyFault) and scene.role != "supporter":
        return _ended(scene, Outcome.USER_INVALID, reason)
    return _ended(scene, Outcome.INFRASTRUCTURE, reason)
