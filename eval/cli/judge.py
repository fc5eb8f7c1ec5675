"""`emoharbor judge`: rate a run again."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from emoharbor.eval.cli.codes import Code

if TYPE_CHECKING:
    from emoharbor.eval.config import Limits
    from emoharbor.eval.judging.again import Judged


def judge(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run folder.")],
    *,
    name: Annotated[
        str | None,
        typer.Option(
            "--judge",
            metavar="NAME",
            help="Who rates: one of the run's judges or models, `offline`, package.module:factory, or a YAML file with "
            "a judge (use, model, rubric ...). Default: the run's own judge.",
        ),
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="How many ratings of each episode there are in the end.")] = 1,
    rubric: Annotated[str | None, typer.Option(help="Another rubric: ten, hill, or a YAML file.")] = None,
    counterfactual: Annotated[
        Literal["person", "profile", "replay"] | None,
        typer.Option(
            help="Rate also as somebody else. person: the same situation with an unlike person; profile: two people "
            "exchange the seat; replay: the unlike person feels and thinks through the talk first."
        ),
    ] = None,
    without_log: Annotated[
        bool, typer.Option("--without-log", help="The judge does not read what the person felt and thought.")
    ] = False,
    profiles: Annotated[str | None, typer.Option(help="Only these people: ids set apart by commas.")] = None,
    supporters: Annotated[str | None, typer.Option(help="Only these supporters, set apart by commas.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many episodes.")] = None,
    allow_self: Annotated[
        str | None,
        typer.Option("--allow-self-judging", metavar="NAMES", help="Supporters that may be rated by their own model."),
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option(min=1, help="Ratings under way at once; default as the run.")
    ] = None,
    budget_usd: Annotated[
        float | None, typer.Option(help="Most money, what the run cost so far included; default as the run.")
    ] = None,
    budget_tokens: Annotated[
        int | None, typer.Option(min=1, help="Most tokens, those of the run so far included; default as the run.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")] = False,
) -> int:
    """Rate a stored run again, without simulating again.

    Ratings stand side by side, told apart by judge (model, prompt, rubric) and repeat; what is rated already is left
    alone. It can be stopped at any time (Ctrl-C) and given again.
    """
    from emoharbor.eval.api import judge_run_sync
    from emoharbor.eval.cli.people import split
    from emoharbor.eval.cli.screen import tell
    from emoharbor.eval.cli.watch import Watch
    from emoharbor.eval.judging.request import Request
    from emoharbor.eval.runs.plan import Selection

    only = Selection(profiles=tuple(split(profiles or "")), supporters=tuple(split(supporters or "")), limit=limit)
    request = Request(
        judge=name, repeats=repeats, rubric=rubric, with_log=not without_log, control=counterfactual, only=only,
        allow=tuple(split(allow_self or "")),
    )  # fmt: skip
    limits = _limits(run, concurrency, budget_usd, budget_tokens)
    with Watch() as watch:
        done = judge_run_sync(
            run, request, limits=limits, on_progress=watch, on_warning=lambda line: tell(f"note: {line}"),
            heed_signals=True,
        )  # fmt: skip
    _say(done, run, as_json=as_json)
    return _code(done)


def _limits(run: Path, concurrency: int | None, usd: float | None, tokens: int | None) -> "Limits":
    from emoharbor.eval.runs.manifest import read_manifest
    from emoharbor.state.errors import ConfigError

    if usd is not None and usd <= 0:
        raise ConfigError(f"--budget-usd {usd}: an amount above 0")
    given = {"concurrency": concurrency, "budget_usd": usd, "budget_tokens": tokens}
    changes = {name: value for name, value in given.items() if value is not None}
    return read_manifest(run).config.limits.model_copy(update=changes)


def _say(done: "Judged", folder: Path, *, as_json: bool) -> None:
    from emoharbor.eval.cli.screen import put_json, show, tell
    from emoharbor.eval.reports.judges import judges_data, judges_table

    if as_json:
        put_json({
            "run": str(folder), "judge": done.judge.name, "judge_id": done.judge.judge_id, "planned": done.planned,
            "failures": dict(done.failures), "stopped": str(done.stopped) if done.stopped else None,
            "left_out": list(done.left_out), "judges": judges_data(done.run),
        })  # fmt: skip
    else:
        show(judges_table(done.run))
    if not done.planned:
        tell("nothing was left to rate")
    if done.left_out:
        tell(f"without anybody to rate in their stead: {', '.join(done.left_out)}")


def _code(done: "Judged") -> Code:
    from emoharbor.eval.cli.screen import tell

    again = "What is rated is saved; give the same command again to go on"
    if done.stopped is not None:
        what = "stopped" if done.stopped.kind == "interrupt" else f"stopped: {done.stopped}"
        more = " with a higher --budget-usd or --budget-tokens" if done.stopped.kind == "budget" else ""
        tell(f"{what}. {again}{more}.")
        return {"interrupt": Code.INTERRUPTED, "budget": Code.BUDGET}.get(done.stopped.kind, Code.USER_MISTAKE)
    missing = sum(done.failures.values())
    if missing:
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(done.failures.items()))
        go_on = f" {again} with those unjudged." if done.failures.get("unjudged") else ""
        tell(f"{missing} rating{'s' if missing > 1 else ''} without a score ({kinds}).{go_on}")
        if done.why:
            tell(f"why: {done.why}")
        return Code.NOT_ALL_SCORED
    return Code.DONE
