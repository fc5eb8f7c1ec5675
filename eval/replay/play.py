"""From recorded dialogues to a run folder: the same graph, with a recorded speaker and a recorded supporter."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from emoharbor.eval.assembly import Assembly, OpensModels, assemble
from emoharbor.eval.config import RunConfig, make_config
from emoharbor.eval.replay.source import Replay
from emoharbor.eval.run import Run
from emoharbor.eval.runs.start import Options, run_assembly
from emoharbor.nodes.models.client import Models
from emoharbor.state.errors import ConfigError
from emoharbor.state.yamlfile import read_yaml

_OURS = {"profiles": "the people", "supporters": "the supporters"}
"""Sections of a run config that the recording itself decides."""


def read_cast(path: Path | None) -> dict[str, Any]:
    """Return what a config says of cast, models and limits: a run config without people and supporters.

    Raises:
        ConfigError: when it names people or supporters, or cannot be read.
    """
    if path is None:
        return {}
    data = read_yaml(path, ConfigError, "a config with cast, models, run.seed, limits").data
    data.pop("$schema", None)
    for name, what in _OURS.items():
        if name in data:
            raise ConfigError(f"{path}: {name}: a replay takes {what} from the recording; leave this section out")
    return data


def replay_config(found: Replay, asked: Mapping[str, Any], name: str = "replay") -> RunConfig:
    """Return the config of a replay.

    Args:
        found: what to play.
        asked: `cast`, `models`, `limits`, `prices`, and of `run` the seed.
        name: of the run, unless `asked` has one.

    Raises:
        ConfigError: for a chain that cannot be played, or anything else that is wrong.
    """
    run, cast = dict(asked.get("run") or {}), dict(asked.get("cast") or {})
    chain = list(cast.get("user") or ["feel", "think", "speak"])
    if chain[-1:] != ["speak"]:
        raise ConfigError(f"cast.user {chain}: a recorded person speaks for themselves, so the chain ends with speak")
    seed = run.get("seed", 0)
    seed = seed if isinstance(seed, int) else 0  # anything else is refused below
    cast |= {"user": chain, "speak": {"use": "recorded", "recording": found.recording}}
    run = {"name": name, **run, "max_turns": max(len(item.turns) for item in found.recording.dialogues)}
    return make_config({
        **asked,
        "run": run,
        "profiles": list(found.recording.people),
        "cast": cast,
        "supporters": [
            {"name": who, "use": "recorded", "answers": found.recording.answers(who, seed)}
            for who in found.recording.supporters
        ],
    })  # fmt: skip


def assemble_replay(found: Replay, asked: Mapping[str, Any], models: OpensModels, name: str = "replay") -> Assembly:
    """Return a replay ready to run.

    Raises:
        ConfigError, CastError, RubricError: naming the place and the fix.
    """
    config = replay_config(found, asked, name)
    return replace(assemble(config, models, found.recording.people), replay=found)


async def play_replay(found: Replay, asked: Mapping[str, Any], folder: Path, how: Options = Options()) -> Run:  # noqa: B008 - a frozen value
    """Play recorded dialogues into a run folder.

    Raises:
        UserError: for a mistake in config or folder, before any call is made.
    """
    async with Models() as models:
        how = replace(how, reports=models.report, waited=models.waited)
        return await run_assembly(assemble_replay(found, asked, models, folder.name), folder, how)
