"""A talk in the terminal: the person's messages, a line to type on, the verdict."""

import asyncio
import contextlib
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emoharbor.eval.cli.codes import Code

if TYPE_CHECKING:
    from emoharbor.eval.people.talk import Talk

_PROMPT = "you> "


def converse(
    start: "Callable[[], Coroutine[Any, Any, Talk]]", folder: Path, *, inner: bool = False, as_json: bool = False
) -> int:
    """Talk until the person leaves, the turn limit is reached, or Ctrl-C.

    Args:
        start: begins or resumes the talk.
        folder: its run folder.
        inner: show the inner world.
        as_json: print nothing on stdout but the finished episode.

    Raises:
        UserError: as `start`.
    """
    from emoharbor.eval.cli.screen import tell

    # the loop runs only while somebody other than the user is at work; the keyboard is read outside of it
    with asyncio.Runner() as loop:
        talk: Talk | None = None
        try:
            talk = loop.run(start())
            page = _Page(talk, inner=inner, quiet=as_json)
            page.open()
            while talk.asked is not None:
                loop.run(talk.reply(_typed(quiet=as_json)))
                page.after_reply()
        except (KeyboardInterrupt, EOFError):
            tell("")
            if talk is not None:
                tell(f"left; all that was said is saved. Go on with: emoharbor chat --resume -o {folder}")
            return Code.INTERRUPTED
        finally:
            if talk is not None:
                loop.run(talk.close())
        return page.close()


def _typed(*, quiet: bool) -> str:
    """Read a line. When stdout is for JSON alone, the prompt goes to stderr."""
    if quiet:
        print(_PROMPT, end="", file=sys.stderr, flush=True)
        return input()
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - lets a line be edited; not every system has it
    return input(_PROMPT)


class _Page:
    """What the terminal shows of a talk. Results go to stdout, unless the only result is to be JSON."""

    def __init__(self, talk: "Talk", *, inner: bool, quiet: bool) -> None:
        from emoharbor.eval.cli.people import person_of
        from emoharbor.eval.cli.screen import screen
        from emoharbor.eval.reports.glyphs import glyphs_for
        from emoharbor.eval.runs.manifest import read_manifest

        self._talk = talk
        self._inner = inner
        self._quiet = quiet
        self._console = screen(stderr=quiet)
        self._glyphs = glyphs_for(self._console)
        self._person = person_of(talk.key.profile, read_manifest(talk.folder).config.profiles)

    def open(self) -> None:
        """Say how it works, and what was said so far."""
        from emoharbor.eval.cli.screen import tell
        from emoharbor.eval.reports.inert import inert

        asked = self._talk.asked
        if asked is None:
            return
        tell(f"Somebody wants to talk. You are the supporter; what you type is what they read. Saved in "
             f"{self._talk.folder}; Ctrl-C leaves.\n")  # fmt: skip
        if asked.briefing:
            self._console.print(inert(asked.briefing, "dim"), "")
        for said in asked.messages[:-1]:
            who = _PROMPT if said.role == "assistant" else f"{self._who}> "
            self._console.print(_line(who, said.content, "dim"))
        self._say()

    def after_reply(self) -> None:
        """Show what the person says to it, or why the answer was not taken."""
        from emoharbor.eval.cli.screen import tell

        asked = self._talk.asked
        if asked is None:
            return
        if asked.problem:
            tell(f"not sent: {asked.problem}; type an answer, or leave with Ctrl-C")
        else:
            self._say()

    def close(self) -> int:
        """Show how it ended and the verdict, and return the exit code."""
        from emoharbor.eval.cli.screen import put_model, tell
        from emoharbor.eval.reports.episode import epilogue

        talk = self._talk
        record = talk.record()
        if self._quiet:
            put_model(record)
        else:
            self._console.print("", epilogue(record, self._person, self._glyphs, self._console.width))
        if talk.stopped:
            tell(f"stopped: {talk.stopped}. Go on with: emoharbor chat --resume -o {talk.folder}")
            return Code.BUDGET if "budget" in talk.stopped else Code.USER_MISTAKE
        tell(f"The whole talk, with what they felt and thought: emoharbor show {talk.folder} {record.episode}")
        return Code.DONE if any(judgement.scores for judgement in record.judgements) else Code.NOT_ALL_SCORED

    @property
    def _who(self) -> str:
        """The person's name is part of the profile: whoever plays the supporter by the rules does not know it."""
        from emoharbor.eval.reports.person import person_name

        return person_name(self._person) if self._inner else self._person.id

    def _say(self) -> None:
        from emoharbor.eval.record import EpisodeRecord
        from emoharbor.eval.reports.dialogue import last_turn

        asked, state = self._talk.asked, self._talk.state
        if asked is None:
            return
        if self._inner and state is not None:
            record = EpisodeRecord.of(state)
            self._console.print(last_turn(record, self._person, self._glyphs, self._console.width))
        else:
            self._console.print(_line(f"{self._who}> ", asked.says), "")


def _line(who: str, text: str, style: str = "") -> Any:
    from rich.text import Text

    from emoharbor.eval.reports.inert import inert

    return Text.assemble((who, "bold green" if who == _PROMPT else "bold cyan"), inert(text, style))
