"""`emoharbor check`: look at a run before it costs anything."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from emoharbor.eval.cli.codes import Code

if TYPE_CHECKING:
    from emoharbor.eval.assembly import Assembly
    from emoharbor.nodes.models.probe import Probe


def check(
    config: Annotated[Path, typer.Argument(help="The run config (YAML).")],
    *,
    probe: Annotated[
        bool, typer.Option("--probe/--no-probe", help="Ask each endpoint one small question; --no-probe calls nothing.")
    ] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> int:
    """Look at a config before it costs anything.

    Checks names, signatures and key variables, and estimates calls and tokens. Then it asks each endpoint one small
    question: is it reachable, does it take the key, does it know the model, in which way does it answer in JSON?
    """
    import asyncio

    from emoharbor.eval.assembly import assemble, estimate
    from emoharbor.eval.cli.located import located
    from emoharbor.eval.cli.screen import put_json, show, tell
    from emoharbor.eval.config import load_config
    from emoharbor.eval.reports.plan import plan_data, plan_page
    from emoharbor.eval.unopened import Unopened

    loaded = load_config(config)
    with located(config):
        assembly = assemble(loaded, Unopened())
    keys, calls = key_variables(assembly), estimate(loaded)
    if not as_json:
        show(plan_page(assembly, calls, keys))
    ready = probe and assembly.models and all(keys.values())
    probes = asyncio.run(_ask_each(assembly)) if ready else []
    if as_json:
        from emoharbor.eval.reports.probes import probes_data

        put_json({**plan_data(assembly, calls, keys), "endpoints": probes_data(probes)})
    elif probes:
        from emoharbor.eval.reports.probes import probes_page

        show(probes_page(probes))
    _must_have_keys(config, assembly, keys)
    for found in probes:
        if found.fault is not None and not found.is_hopeless:
            tell(f"note: {_says(found)}")
    _must_be_ready(config, probes)
    return Code.NOT_ALL_SCORED if any(found.fault for found in probes) else Code.DONE


async def _ask_each(assembly: "Assembly") -> list["Probe"]:
    """Ask each model behind each endpoint once; what only differs in its settings is asked once in all."""
    import asyncio

    from emoharbor.nodes.models.probe import probe

    places = {(item.base_url, item.api_key_env, item.model): item for item in assembly.models.values()}
    return list(await asyncio.gather(*(probe(settings) for settings in places.values())))


def _must_have_keys(config: Path, assembly: "Assembly", keys: dict[str, bool]) -> None:
    from emoharbor.state.errors import ConfigError

    missing = [name for name, there in keys.items() if not there]
    if missing:
        places = [place for place, settings in assembly.models.items() if settings.api_key_env in missing]
        raise ConfigError(
            f"{config}: the key variable{'s' if len(missing) > 1 else ''} {', '.join(missing)} "
            f"(for {', '.join(places)}) {'are' if len(missing) > 1 else 'is'} not set; "
            f"set it in the shell: export {missing[0]}=..."
        )


def _must_be_ready(config: Path, probes: "list[Probe]") -> None:
    from emoharbor.state.errors import ConfigError

    hopeless = [found for found in probes if found.is_hopeless]
    if hopeless:
        more = f" ({len(hopeless) - 1} more endpoint{'s' if len(hopeless) > 2 else ''})" if len(hopeless) > 1 else ""
        raise ConfigError(f"{config}: {_says(hopeless[0])}{more}")


def _says(found: "Probe") -> str:
    from emoharbor.eval.secrets import hide_secrets

    return hide_secrets(str(found.fault))


def key_variables(assembly: "Assembly") -> dict[str, bool]:
    """Return the names of the environment variables that hold keys, and whether each is set. The keys are not read."""
    import os

    names = [settings.api_key_env for settings in assembly.models.values() if settings.api_key_env]
    return {name: bool(os.environ.get(name, "").strip()) for name in dict.fromkeys(names)}
