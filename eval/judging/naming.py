"""From the name of a judge to its part of a config."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from emoharbor.eval.config import REPEATS, RunConfig
from emoharbor.eval.runs.manifest import Manifest
from emoharbor.eval.secrets import find_secrets
from emoharbor.nodes.spec import PartSpec
from emoharbor.state.errors import ConfigError
from emoharbor.state.yamlfile import read_yaml

OWN = "judge"
"""What the run's own judge is called."""
_FILE = (".yaml", ".yml")
_WITHOUT_MODEL = ("offline",)
_NO_OTHER = (REPEATS, "name")


def named_judge(manifest: Manifest, name: str | None, rubric: str | None) -> tuple[str, PartSpec]:
    """Return the judge that a name means, with the name by which the manifest keeps it.

    Args:
        manifest: of the run.
        name: as `Request.judge`.
        rubric: name or path of another rubric; None keeps the judge's own, or else the run's.

    Raises:
        ConfigError: for an unknown name, with those that exist, or a file that holds no judge.
    """
    called, args = _found(manifest, name)
    if rubric is not None:
        args = {**args, "rubric": rubric}
        called = f"{called} {Path(rubric).stem}"
    return called, PartSpec.model_validate(args)


def _found(manifest: Manifest, name: str | None) -> tuple[str, dict[str, Any]]:
    config = manifest.config
    if name is None or name == OWN:
        if config.judge is None:
            raise ConfigError("the run has no judge of its own; name one with --judge")
        return OWN, _args(config.judge)
    known = {record.name: {"use": record.use, **record.args} for record in manifest.judges if not record.own}
    if name in known:
        return name, known[name]
    if name in config.models:
        return name, {"use": "llm", "model": name, **_shared_rubric(config)}
    if name.endswith(_FILE):
        return _from_file(Path(name))
    if name in _WITHOUT_MODEL or ":" in name:
        return name, {"use": name, **_shared_rubric(config)}
    names = [*([OWN] if config.judge else []), *known, *config.models, *_WITHOUT_MODEL]
    raise ConfigError(
        f"--judge {name}: the run knows no judge or model of this name; it has: {', '.join(dict.fromkeys(names))}; or "
        f"give a YAML file with a judge, such as: use: llm, model: {{model: gpt-4.1, api_key_env: OPENAI_API_KEY}}"
    )


def _from_file(path: Path) -> tuple[str, dict[str, Any]]:
    file = read_yaml(path, ConfigError, "a judge: use, model, rubric ...")
    for found in find_secrets(file.data):
        raise ConfigError(f"{file.at(found)}: {'.'.join(map(str, found))} looks like a key; name its variable instead")
    if "use" not in file.data:
        raise ConfigError(f"{path}: holds no judge; write what a config has under cast.judge: use: llm, model: ...")
    called = str(file.data.get("name") or path.stem)
    return called, {key: value for key, value in file.data.items() if key not in _NO_OTHER}


def _shared_rubric(config: RunConfig) -> Mapping[str, Any]:
    """Another judge rates on what the run's own does, so that the two can be compared."""
    return {} if config.judge is None else {k: v for k, v in config.judge.args.items() if k == "rubric"}


def _args(spec: PartSpec) -> dict[str, Any]:
    return {"use": spec.use, **spec.args}
