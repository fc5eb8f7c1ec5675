"""Small runs whose traces are looked at."""

from pathlib import Path
from typing import Any

from emoharbor.eval.api import evaluate
from emoharbor.eval.run import Run

WHO = "P040"
ROLES = ("feel", "think", "speak", "judge")


def offline(
    *, turns: int = 3, people: tuple[str, ...] = (WHO,), styles: tuple[str, ...] = ("attuned",)
) -> dict[str, Any]:
    """Return the config of a run without any model."""
    return {
        "run": {"name": "traced", "seed": 7, "max_turns": turns},
        "profiles": list(people),
        "supporters": [{"name": style, "use": "offline", "style": style} for style in styles],
    }


def played(url: str, **model: Any) -> dict[str, Any]:
    """Return the config of a run in which a model plays every role."""
    settings = {"model": "played", "base_url": url, "backoff_s": 0.01, **model}
    return {
        **offline(),
        "cast": {role: {"use": "llm", "model": settings} for role in ROLES},
        "supporters": [{"name": "chat", "use": "chat", "model": {**settings, "model": "tested"}}],
    }


async def play(config: dict[str, Any], folder: Path) -> Run:
    """Run it."""
    return await evaluate(config, folder)
