"""What `check` found when it asked each endpoint once."""

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table
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


def probes_table(probes: Sequence[Probe]) -> Table:
    """Return a line for each model behind each endpoint."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for head in ("endpoint", "model", "reachable", "key", "known", "JSON by", "tokens told", "not sent"):
        table.add_column(head, overflow="fold")
    for item in probes:
        table.add_row(
            one_line(item.settings.base_url or OPENAI),
            one_line(item.settings.model, "bold"),
            _mark(item.reachable),
            _mark(item.key_accepted, "none" if item.settings.api_key_env is None else "?"),
            _mark(item.model_known),
            Text(_RUNGS[item.rung]) if item.rung else _mark(False if item.model_known else None),
            _mark(item.reports_usage),
            Text(", ".join(item.dropped)),
        )
    return table


def _mark(found: bool | None, unknown: str = "?") -> Text:  # noqa: FBT001 - the finding itself
    if found is None:
        return Text(unknown, "dim")
    return Text("yes", "green") if found else Text("no", "bold red")
