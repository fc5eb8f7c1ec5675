"""The four offline supporters. They see a `Request` and nothing of the person: no profile, no inner world."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Literal

from emoharbor.nodes.contract import Request, Supporter
from emoharbor.nodes.offline.attuned import attuned_reply
from emoharbor.nodes.offline.data import supporter_lines
from emoharbor.nodes.offline.fresh import Fresh, fresh
from emoharbor.state.updates import SupporterUpdate

Style = Literal["silent", "generic", "advice", "attuned"]
_TIPS = 3
"""Tips in one reply of the `advice` supporter."""


def offline_supporter(style: Style) -> Supporter:
    """Make a rule-based supporter.

    Args:
        style: `silent` says next to nothing; `generic` is warm and knows nothing of the person; `advice` gives tips at
            once; `attuned` takes up the person's own words, names the feeling and gives the support asked for.
    """
    reply = _STYLES[style]

    async def supporter(request: Request) -> SupporterUpdate:
        rng = Random(request.seed)  # noqa: S311 - variety, not secrecy
        return SupporterUpdate(message=reply(request, fresh(request.messages, rng)))

    return supporter


def _silent(request: Request, line: Fresh) -> str:
    del request
    return line.pick(supporter_lines().silent)


def _generic(request: Request, line: Fresh) -> str:
    del request
    lines = supporter_lines().generic
    return " ".join(line.pick(pool) for pool in (lines.first, lines.middle, lines.last))


def _advice(request: Request, line: Fresh) -> str:
    del request
    lines = supporter_lines().advice
    tips: list[str] = []
    while len(tips) < _TIPS:
        tips.append(line.pick(tuple(tip for tip in lines.tips if tip not in tips)))
    numbered = "\n".join(f"{number}. {tip}" for number, tip in enumerate(tips, start=1))
    return f"{line.pick(lines.first)}\n{numbered}\n{line.pick(lines.last)}"


_STYLES: Mapping[Style, Callable[[Request, Fresh], str]] = {
    "silent": _silent, "generic": _generic, "advice": _advice, "attuned": attuned_reply,
}  # fmt: skip
