"""`emoharbor diff`: two runs side by side, or a run and the same with one role swapped."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from emoharbor.eval.cli.codes import Code

if TYPE_CHECKING:
    from emoharbor.eval.config import RunConfig
    from emoharbor.eval.run import Run
    from emoharbor.state.base import Role


def diff(
    first: Annotated[Path, typer.Argument(metavar="RUN_A", help="The run folder.")],
    second: Annotated[
        Path | None, typer.Argument(metavar="RUN_B", help="The other run folder; not with --swap.")
    ] = None,
    *,
    swap: Annotated[
        str | None,
        typer.Option(
            metavar="ROLE=USE", help="Run RUN_A again with this role swapped: think=my_lab.think:stoic_think."
        ),
    ] = None,
    arg: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="An argument of the swapped role; may be repeated.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="FOLDER", help="Folder of the swapped run; default beside RUN_A."),
    ] = None,
    episode: Annotated[str | None, typer.Option(help="Only the episodes whose name begins so.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> int:
    """Compare two runs pair by pair, and see where they part.

    With --swap, the same people and seeds are run with one role played by somebody else.
    """
    from emoharbor.eval.cli.screen import put_json, show, tell
    from emoharbor.eval.reports.diff import Sides, diff_data, diff_page
    from emoharbor.eval.run import load_run
    from emoharbor.eval.runs.differences import differences
    from emoharbor.eval.statistics.paired import pair_up
    from emoharbor.state.errors import ConfigError

    one = load_run(first)
    if (second is None) == (swap is None):
        raise ConfigError("name the run to compare with, or say --swap ROLE=USE to make one")
    if swap is None and (arg or out):
        raise ConfigError(f"{'--arg' if arg else '--out'} belongs to --swap, and RUN_B is there already: leave it out")
    other = load_run(second) if second is not None else _swapped(one, str(swap), arg or [], out)
    pairs = pair_up(list(one.episodes()), list(other.episodes()))
    pairs = [pair for pair in pairs if episode is None or pair[0].episode.startswith(episode)]
    sides = Sides(str(one.folder), str(other.folder))
    changed = differences(one.manifest, other.manifest)
    if as_json:
        put_json(diff_data(pairs, sides, changed))
    else:
        show(diff_page(pairs, sides, changed))
    if other.stopped is None:
        return Code.DONE
    tell(f"{other.folder} is not whole; stopped: {other.stopped}")
    return Code.BUDGET if other.stopped.kind == "budget" else Code.USER_MISTAKE


def _swapped(run: "Run", swap: str, arguments: list[str], out: Path | None) -> "Run":
    """Run the same again with one role swapped; goes on with it if it was begun before."""
    from emoharbor.eval.api import evaluate_sync
    from emoharbor.eval.cli.screen import tell
    from emoharbor.eval.cli.watch import Watch
    from emoharbor.eval.runs.plan import Selection
    from emoharbor.eval.store.folder import MANIFEST

    config = swapped_config(run.manifest.config, swap, arguments)
    folder = out or run.folder.with_name(config.run.name.replace("/", "_"))
    begun = tuple(dict.fromkeys(record.profile for record in run.episodes()))
    tell(f"running the same people and seeds with {swap} into {folder}")
    with Watch() as watch:
        return evaluate_sync(
            config, folder, resume=(folder / MANIFEST).is_file(), on_progress=watch, only=Selection(profiles=begun)
        )


def swapped_config(config: "RunConfig", swap: str, arguments: list[str]) -> "RunConfig":
    """Return a config with one role played by somebody else.

    What the newcomer's factory takes too (the model, above all) stays as it was, unless it is among the arguments.

    Raises:
        ConfigError: when this is not of the form ROLE=USE or NAME=VALUE, or the role is not in the cast.
        CastError: when nobody is called so.
    """
    import inspect

    import yaml

    from emoharbor.nodes.parts import find_factory
    from emoharbor.nodes.spec import PartSpec
    from emoharbor.state.errors import ConfigError

    role, _, use = swap.partition("=")
    seats = [*config.cast.user, *(["judge"] if config.cast.judge else [])]
    if not use or role not in seats:
        raise ConfigError(f"--swap {swap!r}: write ROLE=USE with one of this run's roles: {', '.join(seats)}")
    old: Any = getattr(config.cast, role)
    takes = inspect.signature(find_factory(cast("Role", role), use, "--swap")).parameters
    kept = {name: value for name, value in old.args.items() if name in takes}
    for item in arguments:
        name, sign, value = item.partition("=")
        if not sign:
            raise ConfigError(f"--arg {item!r}: write NAME=VALUE")
        kept[name] = yaml.safe_load(value)
    played = config.cast.model_copy(update={role: PartSpec.model_validate({"use": use, **kept})})
    name = f"{config.run.name}-{role}-{use.rpartition(':')[2]}"
    return config.model_copy(update={"cast": played, "run": config.run.model_copy(update={"name": name})})
