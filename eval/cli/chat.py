"""`emoharbor chat`: you are the supporter."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from emoharbor.eval.cli.demo import PERSON


def chat(
    profile: Annotated[str, typer.Argument(metavar="[PROFILE]", help="Id of the person, or a file.")] = PERSON,
    *,
    inner: Annotated[
        bool, typer.Option("--inner", help="Show what the person feels and thinks. A supporter never sees that.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="RUN", help="The run folder; default the next runs/chat-N.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the talk in RUN; without -o, the last runs/chat-N.")
    ] = False,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A run config: its cast, models and briefing play the person.")
    ] = None,
    person_model: Annotated[
        str | None, typer.Option(help="Model that plays the person and the judge; without one they are rule-based.")
    ] = None,
    person_base_url: Annotated[str | None, typer.Option(help="Address of its endpoint.")] = None,
    person_api_key_env: Annotated[str | None, typer.Option(help="Variable that holds its key.")] = None,
    briefing: Annotated[
        Literal["none", "intake", "full"] | None,
        typer.Option(help="What you are told about the person beforehand: nothing, the situation, everything."),
    ] = None,
    turns: Annotated[int | None, typer.Option(min=1, max=200, help="Turn limit; 15 unless the config says.")] = None,
    seed: Annotated[int | None, typer.Option(help="Another seed gives another talk.")] = None,
    name: Annotated[str, typer.Option(help="What you are called in the run.")] = "human",
    as_json: Annotated[bool, typer.Option("--json", help="Print the episode as JSON at the end.")] = False,
) -> int:
    """Be the supporter: talk with a person, then read how they rate you.

    Type an answer and press Enter. Ctrl-C leaves; everything said is saved, and --resume goes on. The talk is a run
    folder like any other: show, trace, export and view read it.
    """
    from emoharbor.eval.cli.keyboard import converse
    from emoharbor.eval.people.talk import Talk, talk_config
    from emoharbor.state.errors import ConfigError

    if resume:
        folder = out or _last(Path("runs"))
        return converse(lambda: Talk.resume(folder), folder, inner=inner, as_json=as_json)
    given = {"max_turns": turns, "seed": seed, "briefing": briefing}
    options: dict[str, Any] = {option: value for option, value in given.items() if value is not None}
    if config is not None:
        if person_model is not None:
            raise ConfigError("--person-model: the config says already who plays the person; leave one of them out")
        options = {**_of_config(config), **options}
    elif person_model is not None:
        from emoharbor.eval.cli.trial import model_settings

        options["models"] = {"person": model_settings(person_model, person_base_url, person_api_key_env)}
        options["cast"] = {role: {"use": "llm", "model": "person"} for role in ("feel", "think", "speak", "judge")}
    folder = out or _next(Path("runs"))
    wanted = talk_config(profile, name=name, **options)
    return converse(lambda: Talk.begin(wanted, folder), folder, inner=inner, as_json=as_json)


def _of_config(path: Path) -> dict[str, Any]:
    from emoharbor.eval.config import load_config

    loaded = load_config(path)
    run = loaded.run
    return {
        "cast": loaded.cast, "models": loaded.models, "briefing": run.briefing, "max_turns": run.max_turns,
        "seed": run.seed,
    }  # fmt: skip


def _next(parent: Path) -> Path:
    return parent / f"chat-{max(_numbers(parent), default=0) + 1}"


def _last(parent: Path) -> Path:
    from emoharbor.state.errors import ConfigError

    numbers = _numbers(parent)
    if not numbers:
        raise ConfigError("--resume: there is no talk in runs/; name its folder with -o")
    return parent / f"chat-{max(numbers)}"


def _numbers(parent: Path) -> list[int]:
    names = [path.name.removeprefix("chat-") for path in parent.glob("chat-*")]
    return [int(name) for name in names if name.isdecimal()]
