"""Writing a file whole or not at all."""

import os
from contextlib import suppress
from pathlib import Path

from emoharbor.state.errors import ConfigError


def write_new(path: Path, content: str | bytes, *, replace: bool = False) -> None:
    """Write a file whole, through a neighbour that is then renamed.

    Raises:
        ConfigError: when it exists and is not to be replaced, or cannot be written.
    """
    if path.exists() and not replace:
        raise ConfigError(f"{path} exists and is left as it is; name another file, or remove it")
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content.encode() if isinstance(content, str) else content)
        part.replace(path)
    except OSError as error:
        with suppress(OSError):  # of a folder that cannot be written
            part.unlink(missing_ok=True)
        raise ConfigError(f"cannot write {path}: {error.strerror}") from None
