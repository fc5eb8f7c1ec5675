"""`emoharbor demo`: one person, one rule-based supporter, one verdict. No key, no network."""

from typing import Annotated, Literal

import typer

from emoharbor.eval.cli.codes import Code

Style = Literal["attuned", "generic", "advice", "silent"]
PERSON = "P010"


def demo(
    profile: Annotated[str, typer.Option(help="Id of the person (see `emoharbor profiles list`), or a file.")] = PERSON,
    supporter: Annotated[Style, typer.Option(help="The rule-based supporter they talk with.")] = "attuned",
    seed: Annotated[int, typer.Option(help="Another seed gives another talk.")] = 0,
    turns: Annotated[int, typer.Option(min=1, max=200, help="Turn limit.")] = 15,
    as_json: Annotated[bool, typer.Option("--json", help="Print the episode as JSON.")] = False,
) -> int:
    """Watch a person talk with a supporter and rate it; no key.

    One person, one rule-based supporter, one verdict, in a few seconds.
    """
    from emoharbor.eval.api import run_episode_sync
    from emoharbor.eval.cli.page import show_page
    from emoharbor.eval.cli.people import one_person
    from emoharbor.eval.cli.screen import put_model, show

    person = one_person(profile)
    record = run_episode_sync(person, supporter, max_turns=turns, seed=seed)
    if as_json:
        put_model(record)
    else:
        show_page(record, person)
        show(_next(profile, supporter))
    return Code.DONE if any(judgement.scores for judgement in record.judgements) else Code.NOT_ALL_SCORED


def _next(profile: str, supporter: Style) -> str:
    other = "generic" if supporter == "attuned" else "attuned"
    who = "" if profile == PERSON else f" --profile {profile}"
    return f"""
Everyone here is rule-based: person, supporter and judge. This shows how the parts work together and is no evidence \
about any model; `emoharbor init` writes a config in which models play the person and the judge.

Next:
  emoharbor demo --supporter {other}{who}
  emoharbor try my_bot.agent:graph --profiles 3
  emoharbor profiles list"""
