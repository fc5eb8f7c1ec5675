"""Whether who rates, or plays the person, is or resembles who is under test.

Models rate their own replies, and those of their kin, higher than others do.
"""

import re
from collections.abc import Iterator, Mapping

from emoharbor.eval.config import RunConfig
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.state.errors import ConfigError

_FAMILIES = {
    "GPT": r"gpt|chatgpt|o[134](?=-|$)|davinci",
    "Claude": r"claude",
    "Qwen": r"qwen\d*|qwq|qvq",
    "Llama": r"llama\d*|codellama",
    "Gemini": r"gemini|gemma\d*",
    "DeepSeek": r"deepseek",
    "Mistral": r"mistral|mixtral|ministral|magistral|codestral|pixtral",
    "Grok": r"grok",
    "Phi": r"phi\d*",
    "Command": r"command|c4ai|aya",
    "GLM": r"glm|chatglm\d*",
    "Kimi": r"kimi|moonshot",
    "Yi": r"yi",
    "InternLM": r"internlm\d*",
    "MiniMax": r"minimax|abab",
    "Nova": r"nova",
}
"""Patterns of the words of a model's name, by family."""
_WORDS = {name: re.compile(rf"(?:^|[^a-z0-9])(?:{words})(?![a-z])") for name, words in _FAMILIES.items()}


def check_self_judging(config: RunConfig, used: Mapping[str, ModelSettings]) -> None:
    """Refuse a supporter that meets its own model as the judge or as the person, unless allowed by name.

    Args:
        config: the run.
        used: settings of every model in use, by place.

    Raises:
        ConfigError: naming the supporter and how to allow it.
    """
    for supporter, seat, settings in _meetings(used):
        if _same(used[f"supporters.{supporter}.model"], settings) and not config.run.allows_itself(supporter):
            does = "rated" if seat == "judge" else "played to"
            raise ConfigError(
                f"supporters.{supporter}.model: {settings.model!r} would be {does} by itself, since cast.{seat} is the "
                f"same model; use another one for cast.{seat}, or allow it by name: "
                f"`run: {{allow_self_judging: [{supporter}]}}`"
            )


def kinship(used: Mapping[str, ModelSettings]) -> Iterator[str]:
    """Yield a line for each supporter that meets a model of its own family."""
    for supporter, seat, settings in _meetings(used):
        theirs = used[f"supporters.{supporter}.model"]
        shared = families(theirs.model) & families(settings.model)
        if shared:
            yield (
                f"supporters.{supporter}: {theirs.model} and cast.{seat} ({settings.model}) are of one family "
                f"({', '.join(sorted(shared))}), which may favour it; a judge of another family shows whether it does"
            )


def families(model: str) -> frozenset[str]:
    """Return the families a model's name tells of; a distilled one may belong to two."""
    name = model.rpartition("/")[2].lower()
    return frozenset(family for family, words in _WORDS.items() if words.search(name))


def _meetings(used: Mapping[str, ModelSettings]) -> Iterator[tuple[str, str, ModelSettings]]:
    """Yield each supporter with each model of the cast: its name, the seat, the seat's model."""
    seats = {place.split(".")[1]: found for place, found in used.items() if place.startswith("cast.")}
    for place in used:
        if place.startswith("supporters.") and place.endswith(".model"):
            for seat, settings in seats.items():
                yield place.removeprefix("supporters.").removesuffix(".model"), seat, settings


def _same(one: ModelSettings, other: ModelSettings) -> bool:
    return (one.model, (one.base_url or "").rstrip("/")) == (other.model, (other.base_url or "").rstrip("/"))
