"""Telling judges apart: a hash over what makes a judge rate as it does."""

import hashlib
import json
import os
from importlib.resources import files
from pathlib import Path
from typing import Any

from emoharbor.eval.plain import plain
from emoharbor.nodes.cast import Part
from emoharbor.nodes.models.settings import ModelSettings

_DECODING = ("model", "temperature", "top_p", "extra_body")
"""What of a model's settings changes what it says. Where it is served does not, as far as its name tells the truth."""
_ELSEWHERE = ("model", "rubric", "prompt")
"""Arguments that the hash takes in by what they stand for, or not at all."""
_LENGTH = 12


def judge_id(part: Part, settings: ModelSettings | None) -> str:
    """Return the id of a judge: the same implementation, model, prompt and rubric always have the same one.

    Args:
        part: the judge.
        settings: of its model; None for one that is rule-based or was made in Python.
    """
    model = None if settings is None else {name: plain(getattr(settings, name)) for name in _DECODING}
    seen = {
        "use": part.use,
        "args": {name: _content(value) for name, value in sorted(part.args.items()) if name not in _ELSEWHERE},
        "model": model or part.model,
        "prompts": sorted(judge_prompts(part).values()),
        "rubric": part.rubric.id if part.rubric else None,
        # a rule-based judge is its code; one that asks a model is its prompt
        "version": None if part.model else part.version,
    }
    return hashlib.sha256(json.dumps(seen, sort_keys=True).encode()).hexdigest()[:_LENGTH]


def judge_prompts(part: Part) -> dict[str, str]:
    """Return the sha256 of the prompt files of a judge, by path as the config names them."""
    found = {}
    if part.use == "llm" and not part.args.get("prompt"):
        found["judge.md"] = _sha(files("emoharbor.nodes").joinpath("judge.md").read_bytes())
    for name, value in part.args.items():
        if name != "rubric" and is_file(value):
            found[value] = _sha(Path(value).read_bytes())
    return found


def is_file(value: object) -> bool:
    """Tell whether an argument names a file. Not `Path.is_file`: it raises at a text too long for a path."""
    return isinstance(value, str) and os.path.isfile(value)


def _content(value: object) -> Any:
    return _sha(Path(str(value)).read_bytes()) if is_file(value) else plain(value)


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
