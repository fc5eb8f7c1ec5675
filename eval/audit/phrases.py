"""Effusive thanks, by language (`warmth.yaml`)."""

from functools import cache
from importlib.resources import files

from pydantic import TypeAdapter

from emoharbor.nodes.wordlist import WordList
from emoharbor.state.errors import ConfigError
from emoharbor.state.yamlfile import read_yaml

_TABLE = TypeAdapter(dict[str, tuple[str, ...]])


def warm_words(text: str) -> list[str]:
    """Return the effusive thanks that stand in a text. A language that is not listed has none."""
    return _words().found(text)


@cache
def _words() -> WordList:
    file = read_yaml(files("emoharbor.eval.audit").joinpath("warmth.yaml"), ConfigError, "phrases by language")
    return WordList(tuple(phrase for phrases in _TABLE.validate_python(file.data).values() for phrase in phrases))
