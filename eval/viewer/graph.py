"""The graph of a run, from its manifest: no model is opened, and no code that the config names is imported."""

from markupsafe import Markup

from emoharbor.eval.reports.drawing import drawing_of
from emoharbor.eval.reports.svg import inline_svg
from emoharbor.eval.runs.manifest import Manifest, PartRecord
from emoharbor.nodes.cast import Cast, Part
from emoharbor.nodes.contract import Runtime
from emoharbor.state.base import Role
from emoharbor.state.episode import Channels
from emoharbor.state.updates import SpeakUpdate


def graph_svg(manifest: Manifest, supporter: str | None = None) -> Markup:
    """Return the picture of a run's graph to stand in a page.

    Args:
        manifest: of the run.
        supporter: the one that is shown; None shows all of the run.
    """
    return Markup(inline_svg(drawing_of(_cast(manifest, supporter))))  # noqa: S704 - names are escaped there


def _cast(manifest: Manifest, supporter: str | None) -> Cast:
    seats = {record.role: _part(record) for record in manifest.cast if record.role != "supporter"}
    user = tuple(seats[role] for role in manifest.config.cast.user if role in seats)
    others = {record.name: _part(record) for record in manifest.cast if record.role == "supporter"}
    if supporter is not None:
        others = {name: part for name, part in others.items() if name == supporter}
    return Cast(user, seats.get("judge"), others)


def _part(record: PartRecord) -> Part:
    role: Role = record.role  # type: ignore[assignment]  # a manifest names no other
    return Part(role, record.use, record.args, record.version, record.model, _nobody)


async def _nobody(_state: Channels, _runtime: Runtime) -> SpeakUpdate:
    return SpeakUpdate(message="never said")
