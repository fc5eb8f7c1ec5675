"""Naming an episode of a run by the beginning of its name."""

from emoharbor.eval.record import EpisodeKey
from emoharbor.eval.run import Run
from emoharbor.state.errors import ConfigError


def whole_key(run: Run, wanted: str) -> EpisodeKey:
    """Complete a beginning that fits one episode only.

    Raises:
        ConfigError: when it fits several, or none.
    """
    keys = {str(key): key for key in run.planned()}
    if wanted in keys:
        return keys[wanted]
    found = [name for name in keys if name.startswith(wanted)]
    if len(found) == 1:
        return keys[found[0]]
    if not found:
        first = ", ".join(list(keys)[:4])
        raise ConfigError(f"{run.folder}: no episode begins with {wanted!r}; for example: {first}")
    more = f" and {len(found) - 4} more" if len(found) > 4 else ""
    raise ConfigError(f"{wanted!r} fits {len(found)} episodes: {', '.join(found[:4])}{more}; write more of the name")
