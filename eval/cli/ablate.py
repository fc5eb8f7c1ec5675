"""`emoharbor ablate`: the same people and seeds with parts of the simulated user left out or swapped."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from emoharbor.eval.cli.codes import Code

if TYPE_CHECKING:
    from emoharbor.eval.ablating import Ablated
    from emoharbor.eval.ablations import Arm


def ablate(
    config: Annotated[Path, typer.Argument(help="The run config (YAML), with the full chain: feel, think, speak.")],
    *,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="FOLDER", help="A folder for all arms; default runs/NAME-ablation."),
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(metavar="ARMS", help="Only these arms beside the full chain, set apart by commas."),
    ] = None,
    simulator: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL",
            help="Another model to play the person: one of the config's models, or one behind the same endpoint; may "
            "be repeated.",
        ),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Only say what it will cost; call nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> int:
    """See what each part of the simulated user does: leave it out, and compare.

    Arms: no-feel, no-think, fused (one call for all three), speak-only, no-log (the judge without the inner-world log),
    and another model as simulator. Each is held against the full chain on the same people, seeds and supporters: paired
    differences with intervals, and whether the supporters keep their ranks. Each arm is a run folder of its own. Given
    again, it goes on where it was stopped.
    """
    from emoharbor.eval.ablating import look_at
    from emoharbor.eval.ablations import arms_of
    from emoharbor.eval.cli.people import split
    from emoharbor.eval.cli.screen import put_json, screen, show
    from emoharbor.eval.config import load_config
    from emoharbor.eval.reports.ablation import plan_rows, plan_table
    from emoharbor.eval.unopened import Unopened

    loaded = load_config(config)
    arms = arms_of(loaded, simulator or (), split(only or ""))
    estimates = look_at(arms, Unopened())
    folder = out or Path("runs") / f"{loaded.run.name}-ablation"
    if check:
        if as_json:
            put_json({"folder": str(folder), "arms": plan_rows(arms, estimates)})
        else:
            show(plan_table(arms, estimates))
        return Code.DONE
    screen(stderr=True).print(plan_table(arms, estimates))
    again = [f"emoharbor ablate {config} -o {folder}", *([f"--only {only}"] if only else [])]
    go_on = " ".join([*again, *(f"--simulator {model}" for model in simulator or ())])
    try:
        found = _ablated(arms, folder)
    except KeyboardInterrupt:
        return _stopped("stopped", go_on, Code.INTERRUPTED)
    return _shown(found, go_on, as_json=as_json)


def _ablated(arms: "list[Arm]", folder: Path) -> "Ablated":
    from functools import partial

    from emoharbor.eval.ablating import ablate as run_arms
    from emoharbor.eval.cli.screen import tell
    from emoharbor.eval.cli.watch import Watch
    from emoharbor.eval.synchronous import wait_for

    def told(arm: "Arm", place: Path) -> None:
        tell(f"{arm.name}: {arm.says} ({place})")

    with Watch() as watch:
        return wait_for(partial(run_arms, arms, folder, on_arm=told, on_progress=watch, heed_signals=True))


def _shown(found: "Ablated", go_on: str, *, as_json: bool) -> int:
    from emoharbor.eval.cli.screen import put_model, show
    from emoharbor.eval.reports.ablation import ablation_page

    if as_json:
        put_model(found.ablation)
    else:
        show(ablation_page(found.ablation))
    if found.stopped is not None:
        stopped, arm = found.stopped
        codes = {"interrupt": Code.INTERRUPTED, "budget": Code.BUDGET}
        return _stopped(f"stopped in {arm}: {stopped}", go_on, codes.get(stopped.kind, Code.USER_MISTAKE))
    lost = sum(
        arm.episodes.get(kind, 0) for arm in found.ablation.arms for kind in ("invalid", "unscored", "unfinished")
    )
    return Code.NOT_ALL_SCORED if lost else Code.DONE


def _stopped(why: str, go_on: str, code: Code) -> int:
    from emoharbor.eval.cli.screen import tell

    tell(f"{why}. What is finished is saved. Go on with: {go_on}")
    return code
