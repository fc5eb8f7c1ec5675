"""The recorders of one run."""

import os
from collections.abc import Iterable, Mapping

from emoharbor.eval.assembly import Assembly
from emoharbor.eval.traces.recorder import Recorder
from emoharbor.nodes.cast import Cast

_KEYS = ("LANGSMITH_API_KEY", "LANGCHAIN_API_KEY", "OPENAI_API_KEY")


class Recording:
    """Makes a recorder for each call of a graph."""

    def __init__(self, assembly: Assembly) -> None:
        """Learn who plays what, and which keys must not be recorded."""
        self._cast = assembly.cast
        self._secrets = tuple(_keys(settings.api_key_env for settings in assembly.models.values()))

    def episode(self, supporter: str) -> Recorder:
        """Return the recorder of one episode, or of what is left of it."""
        return Recorder({**_seats(self._cast), "supporter": self._cast.supporters[supporter].name}, self._secrets)

    def rating(self, supporter: str) -> Recorder:
        """Return the recorder of a later rating, in which a supporter's words may be played again."""
        return Recorder({**_seats(self._cast), "supporter": f"recorded:{supporter}"}, self._secrets)

    def opening(self) -> Recorder:
        """Return the recorder of one opening."""
        return Recorder(_seats(self._cast), self._secrets)


def _seats(cast: Cast) -> Mapping[str, str]:
    parts = [*cast.user, *([cast.judge] if cast.judge else [])]
    return {part.role: part.name for part in parts}


def _keys(named: Iterable[str | None]) -> set[str]:
    names = {name for name in (*named, *_KEYS) if name}
    return {value for name in names if (value := os.environ.get(name, "").strip())}
