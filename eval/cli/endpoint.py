"""`emoharbor endpoint`: the bundled chat endpoint on loopback."""

from pathlib import Path
from typing import Annotated

import typer


def endpoint(
    scenario: Annotated[
        Path | None, typer.Argument(help="What it plays (YAML); without one, sensible answers only.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where it listens; 0 for any free port.")] = 8801,
) -> None:
    """Serve a scripted chat endpoint to rehearse a run.

    It speaks the OpenAI protocol on this machine only, needs no key, and runs until Ctrl-C.
    """
    import asyncio

    from emoharbor.eval.cli.screen import tell
    from emoharbor.eval.endpoint.scenario import load_scenario
    from emoharbor.eval.endpoint.server import serve

    def ready(url: str) -> None:
        tell(f"listening at {url}; use it as base_url, or: emoharbor try any-model --base-url {url}. Ctrl-C ends it")

    asyncio.run(serve(load_scenario(scenario) if scenario else None, port, ready=ready))
