"""An error about a part of a config, with its file and line."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from emoharbor.state.errors import UserError


@contextmanager
def located(config: Path) -> Iterator[None]:
    """Put file and line of a config before an error inside the block that begins with a place in it.

    What a part is called is known when the file is read; whether it can be made is known later, without the file.
    """
    try:
        yield
    except UserError as error:
        where = _line_of(config, str(error)) if config.is_file() else None
        if where is None:
            raise
        raise type(error)(f"{where}: {error}") from None


def _line_of(config: Path, message: str) -> str | None:
    from emoharbor.state.errors import ConfigError
    from emoharbor.state.yamlfile import read_yaml

    file = read_yaml(config, ConfigError, "a run config")
    path = _path(file.data, message.partition(": ")[0])
    return file.at(path) if path else None


def _path(data: Mapping[str, Any], place: str) -> list[int | str]:
    """Return the way to a place such as `cast.feel.model` or `supporters.gpt-4.1.args`; none for other text."""
    listed = data.get("supporters")
    names = [item.get("name") for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    for index, name in enumerate(names):
        if place == f"supporters.{name}" or place.startswith(f"supporters.{name}."):
            return ["supporters", index, *place.removeprefix(f"supporters.{name}").split(".")[1:]]
    path = place.split(".")
    return list(path) if path[0] in data else []
