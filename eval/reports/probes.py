"""What `check` found when it asked each endpoint once."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from emoharbor.eval.reports.inert import one_line
from emoharbor.eval.secrets import hide_secrets
from emoharbor.nodes.models.address import OPENAI
from emoharbor.nodes.models.probe import Probe

_RUNGS = {"json_schema": "JSON schema", "tool": "tool call", "json_object": "JSON mode", "prompt": "by prompt only"}


def probes_data(probes: Sequence[Probe]) -> list[dict[str, object]]:
    """Return the same as data."""
    return [
        {
            "endpoint": item.settings.base_url or OPENAI,
            "model": item.settings.model,
            "key": item.settings.api_key_env,
            "reachable": item.reachable,
            "key_accepted": item.key_accepted,
            "model_known": item.model_known,
            "structured_output": item.rung,
            "reports_usage": item.reports_usage,
            "dropped": list(item.dropped),
            "fault": item.fault.kind if item.fault else None,
            "detail": hide_secrets(str(item.fault)) if item.fault else "",
        }
        for item in probes
    ]


def probes_page(probes: Sequence[Probe]) -> RenderableType:
    """Return two lines for each model behind each endpoint: who it is, and what it can do."""
    return Group(*(Padding(line, (0, 0, 0, indent)) for item in probes for line, indent in _lines(item)))


def _lines(item: Probe) -> Iterator[tuple[Text, int]]:
    settings = item.settings
    where = one_line(settings.base_url or OPENAI, "dim")
    yield Text.assemble(one_line(settings.model, "bold"), "  ", where), 0
    found = {
        "reachable": _mark(item.reachable),
        "key": _mark(item.key_accepted, "none" if settings.api_key_env is None else "?"),
        "model known": _mark(item.model_known),
        "structured by": Text(_RUNGS[item.rung]) if item.rung else _mark(False if item.model_known else None),
        "tokens told": _mark(item.reports_usage),
    }
    if item.dropped:
        found["not sent"] = one_line(", ".join(item.dropped))
    yield Text("   ").join(Text.assemble((f"{name}: ", "dim"), value) for name, value in found.items()), 2


def _mark(found: bool | None, unknown: str = "?") -> Text:  # noqa: FBT001 - the finding itself
    if found is None:
        return Text(unknown, "dim")
    return Text("yes", "green") if found else Text("no", "bold red")
