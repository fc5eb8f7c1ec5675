"""`emoharbor try`: your own agent or model, without a config."""

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from emoharbor.eval.cli.codes import Code

_TARGET = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")


def trial(
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="package.module:object (an agent or a function), or a model's name.")
    ],
    *,
    profiles: Annotated[str, typer.Option(help="How many people, or their ids set apart by commas.")] = "3",
    base_url: Annotated[str | None, typer.Option(help="For a model: address of its endpoint, up to /v1.")] = None,
    api_key_env: Annotated[
        str | None, typer.Option(help="For a model: variable that holds the key; OPENAI_API_KEY without --base-url.")
    ] = None,
    person_model: Annotated[
        str | None, typer.Option(help="Model that plays the person and the judge; without one they are rule-based.")
    ] = None,
    person_base_url: Annotated[str | None, typer.Option(help="Address of its endpoint.")] = None,
    person_api_key_env: Annotated[str | None, typer.Option(help="Variable that holds its key.")] = None,
    turns: Annotated[int, typer.Option(min=1, max=200, help="Turn limit.")] = 15,
    seed: Annotated[int, typer.Option(help="The run's seed.")] = 0,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FOLDER", help="The run folder; default the next runs/try-N.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the episodes as JSON.")] = False,
) -> int:
    """Let a few people talk with your own agent or model.

    They talk with it and rate it; no config is needed.
    """
    from emoharbor.eval.api import evaluate_sync
    from emoharbor.eval.cli.people import some_people
    from emoharbor.eval.cli.screen import put_json, tell
    from emoharbor.eval.cli.watch import Watch
    from emoharbor.eval.config import make_config

    data: dict[str, Any] = {
        "run": {"name": "try", "seed": seed, "max_turns": turns},
        "profiles": some_people(profiles),
        "supporters": [supporter_spec(target, base_url, api_key_env)],
    }
    if person_model is not None:
        data["models"] = {"person": model_settings(person_model, person_base_url, person_api_key_env)}
        data["cast"] = {role: {"use": "llm", "model": "person"} for role in ("feel", "think", "speak", "judge")}
    folder = out or _next_folder(Path("runs"))
    with Watch() as watch:
        run = evaluate_sync(make_config(data), folder, on_progress=watch)
    records = list(run.episodes())
    if as_json:
        put_json([record.model_dump(mode="json") for record in records])
    else:
        _show(records, folder, rule_based=person_model is None)
    if run.stopped is not None:  # no budget and no signals here: an endpoint refused
        tell(f"stopped: {run.stopped}")
        return Code.USER_MISTAKE
    scored = all(any(judgement.scores for judgement in record.judgements) for record in records)
    return Code.DONE if scored else Code.NOT_ALL_SCORED


def supporter_spec(target: str, base_url: str | None, api_key_env: str | None) -> dict[str, Any]:
    """Return the supporter that a target names, as a config writes it.

    Raises:
        CastError: when `package.module:object` cannot be imported.
    """
    from emoharbor.eval.targets import kind_of
    from emoharbor.nodes.parts import load_target
    from emoharbor.state.errors import CastError

    if base_url is None and _TARGET.fullmatch(target):
        try:
            found = load_target(target, "TARGET")
        except CastError as error:
            raise CastError(f"{error} (if {target!r} is the name of a model, give --base-url)") from None
        return {"name": target, "use": kind_of(found), "target": target}
    return {
        "name": target.rpartition("/")[2] or target,
        "use": "chat",
        "model": model_settings(target, base_url, api_key_env),
    }


def model_settings(name: str, base_url: str | None, api_key_env: str | None) -> dict[str, Any]:
    """Return the settings of a model named on the command line, as a config writes them."""
    key = api_key_env or (None if base_url else "OPENAI_API_KEY")
    settings = {"model": name, "base_url": base_url, "api_key_env": key}
    return {field: value for field, value in settings.items() if value is not None}


def _next_folder(parent: Path) -> Path:
    number = 1
    while (parent / f"try-{number}").exists():
        number += 1
    return parent / f"try-{number}"


def _show(records: list[Any], folder: Path, *, rule_based: bool) -> None:
    from emoharbor.eval.cli.page import show_page
    from emoharbor.eval.cli.people import one_person
    from emoharbor.eval.cli.screen import show
    from emoharbor.eval.reports.episodes import episodes_table

    if not records:
        return
    show_page(records[0], one_person(records[0].profile))
    show(episodes_table(records))
    if rule_based:
        show("The person and the judge were rule-based: good for finding faults in the wiring, no evidence of quality.")
        show("Let a model play them: --person-model gpt-4.1-mini")
    show(f"\nThe run is in {folder}. Read another talk: emoharbor show {folder} {records[-1].episode}")
