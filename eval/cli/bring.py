"""What `emoharbor profiles import` does with the people it has read."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from emoharbor.eval.cli.files import write_new
from emoharbor.eval.cli.screen import tell
from emoharbor.profiles.schema import PartialProfile
from emoharbor.profiles.writer import to_yaml
from emoharbor.state.errors import ConfigError, ProfileError
from emoharbor.state.yamlfile import read_yaml


def read_mapping(path: Path | None) -> dict[str, Any] | None:
    """Return the mapping that a file holds, or None without one.

    Raises:
        ProfileError: naming what is wrong with the file.
    """
    return None if path is None else read_yaml(path, ProfileError, "our field and its column, as `age: Alter`").data


def bring(people: Sequence[PartialProfile], folder: Path, *, replace: bool) -> None:
    """Write a file a person.

    Raises:
        ConfigError: when the folder cannot be made, or a file is there already; then nothing is written.
    """
    paths = {folder / f"{person.id}.yaml": person for person in people}
    there = [path for path in paths if path.exists()]
    if there and not replace:
        raise ConfigError(f"{there[0]} exists ({len(there)} in all); name another folder, or add --replace")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"cannot make {folder}: {error.strerror}") from None
    for path, person in paths.items():
        write_new(path, to_yaml(person), replace=True)


def drafts(
    people: Sequence[PartialProfile], model: str, base_url: str | None, api_key_env: str | None
) -> tuple[PartialProfile, ...]:
    """Return the people with their gaps filled by a model, one after the other; says what it could not fill.

    Raises:
        ConfigError: when the variable for the key is not set.
        EndpointFault: when the endpoint does not answer.
    """
    from emoharbor.eval.drafting import draft
    from emoharbor.nodes.models.client import Models
    from emoharbor.nodes.models.settings import ModelSettings

    key = api_key_env or (None if base_url else "OPENAI_API_KEY")
    settings = ModelSettings(model=model, base_url=base_url, api_key_env=key, max_tokens=8192)

    async def fill() -> tuple[PartialProfile, ...]:
        done: list[PartialProfile] = []
        async with Models() as models:
            opened = models.open(settings)
            for person in people:
                made = await draft(person, opened)
                if made.problem:
                    tell(f"{person.id}: not whole: {made.problem}")
                done.append(made.profile)
        return tuple(done)

    return asyncio.run(fill())
