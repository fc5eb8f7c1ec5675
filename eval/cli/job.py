"""What one call of `emoharbor run` is to do: which config, which folder, on which engine."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from emoharbor.eval.cli.watch import Watch
    from emoharbor.eval.config import RunConfig
    from emoharbor.eval.run import Run
    from emoharbor.eval.runs.plan import Selection
    from emoharbor.eval.runs.shard import Shard
    from emoharbor.eval.runs.stop import Stopped
    from emoharbor.eval.scale.sharded import Engine

EngineName = Literal["local", "processes", "ray"]


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be run and where. `by_folder`: the run folder itself was named, not a config."""

    loaded: "RunConfig"
    folder: Path
    part: "Shard | None"
    go_on: str
    resume: bool
    amend: bool
    engine: EngineName
    shards: int | None
    by_folder: bool

    @classmethod
    def of(
        cls, config: Path, out: Path | None, shard: str | None, *, resume: bool, amend: bool,
        engine: EngineName, shards: int | None,
    ) -> "Job":  # fmt: skip
        """Read what the command line asks for.

        Raises:
            UserError: for options that do not go together, or a config that cannot be read.
        """
        from emoharbor.eval.runs.shard import Shard

        _must_fit(amend=amend, resume=resume, engine=engine, shards=shards)
        by_folder = config.is_dir()
        loaded = _loaded(config, out, resume=resume, amend=amend, engine=engine)
        part = Shard.parse(shard) if shard else None
        folder = config if by_folder else out or _default_folder(loaded.run.name, part)
        named = f"{folder}" if by_folder else f"{config} -o {folder}"
        go_on = f"emoharbor run {named} --resume{'' if engine == 'local' else f' --engine {engine}'}"
        return cls(loaded, folder, part, go_on, resume, amend, engine, shards, by_folder)

    def run(self, watch: "Watch", only: "Selection") -> "tuple[Run | None, Stopped | None]":
        """Run it, and return the run and why it stopped early."""
        if self.engine != "local":
            from emoharbor.eval.cli.screen import tell
            from emoharbor.eval.scale.sharded import evaluate_in_shards

            ended = evaluate_in_shards(
                self.loaded, self.folder, _engine(self.engine), shards=self.shards, resume=self.resume,
                on_progress=watch, only=only,
            )  # fmt: skip
            for log in ended.logs:
                tell(f"a shard had something to say: {log}")
            return ended.run, ended.stopped
        from emoharbor.eval.api import evaluate_sync, resume_run_sync

        if self.resume or self.by_folder:
            _must_hold_episodes(self.folder)
        if self.by_folder:
            finished = resume_run_sync(self.folder, on_progress=watch, only=only, heed_signals=True)
        else:
            finished = evaluate_sync(
                self.loaded, self.folder, resume=self.resume, amend=self.amend, on_progress=watch, only=only,
                heed_signals=True,
            )  # fmt: skip
        return finished, finished.stopped


def _must_hold_episodes(folder: Path) -> None:
    """Refuse to go on without what was finished: to play, and pay, all of it again is nobody's wish."""
    from emoharbor.eval.store.folder import DATABASE, MANIFEST
    from emoharbor.state.errors import RunFolderError

    database = folder / DATABASE
    if (folder / MANIFEST).is_file() and not (database.is_file() and database.stat().st_size):
        what = "is empty" if database.is_file() else "is missing"
        raise RunFolderError(
            f"{database}: {what}, so nothing that was finished is here; put a copy of it back, or start in a new folder"
        )


def _default_folder(name: str, part: "Shard | None") -> Path:
    return Path("runs") / (f"{name}-{part.number}of{part.of}" if part else name)


def _engine(name: EngineName) -> "Engine":
    if name == "ray":
        from emoharbor.eval.scale.ray_engine import RayEngine

        return RayEngine()
    from emoharbor.eval.scale.processes import ProcessEngine

    return ProcessEngine()


def _loaded(config: Path, out: Path | None, *, resume: bool, amend: bool, engine: EngineName) -> "RunConfig":
    """Return the config: of a file, or of the run folder that is to be gone on with."""
    from emoharbor.eval.config import load_config
    from emoharbor.eval.runs.manifest import read_manifest
    from emoharbor.state.errors import ConfigError

    if not config.is_dir():
        return load_config(config)
    manifest = read_manifest(config)
    if not resume:
        raise ConfigError(f"{config}: is a run folder; go on with it by --resume, or play an episode on by --fork")
    if out is not None or amend or engine != "local":
        raise ConfigError(
            f"{config}: a run folder is gone on with as it is; for -o, --amend or --engine name its config"
        )
    return manifest.config


def _must_fit(*, amend: bool, resume: bool, engine: EngineName, shards: int | None) -> None:
    """Refuse options that do not go together."""
    from emoharbor.state.errors import ConfigError

    if engine != "local" and amend:
        raise ConfigError(f"--amend: does not go with --engine {engine}; amend the merged run without it")
    if engine == "local" and shards is not None:
        raise ConfigError("--shards: goes with --engine processes or ray; for one part of a run write --shard i/n")
    if amend and not resume:
        raise ConfigError("--amend: adds to a run that exists, so say --resume --amend")
