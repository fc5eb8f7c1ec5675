"""The implementations of each role as a table."""

import inspect
from dataclasses import asdict, dataclass
from importlib.metadata import version

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from emoharbor.eval.reports.inert import one_line
from emoharbor.nodes.parts import BUILT_IN, installed, load_target
from emoharbor.state.base import Role
from emoharbor.state.errors import CastError


@dataclass(frozen=True, slots=True)
class Implementation:
    """One line.

    Attributes:
        role: the seat it plays; None for an entry point, which does not say.
        name: what `use:` calls it.
        target: where its factory is, as `package.module:factory`.
        takes: the factory's arguments; those with a default in brackets.
        source: `built in`, or the package that installed it with its version.
        problem: why it cannot be loaded; empty when it can.
    """

    role: Role | None
    name: str
    target: str
    takes: str
    source: str
    problem: str = ""


def implementations() -> list[Implementation]:
    """Return the built-ins by role, then what other packages have installed."""
    found = [
        _implementation(role, name, target, "built in")
        for role, table in BUILT_IN.items()
        for name, target in table.items()
    ]
    for name, point in installed().items():
        origin = point.dist.name if point.dist else point.module.partition(".")[0]
        release = point.dist.version if point.dist else version(origin)
        found.append(_implementation(None, name, point.value, f"{origin} {release}"))
    return found


def _implementation(role: Role | None, name: str, target: str, source: str) -> Implementation:
    try:
        factory = load_target(target, f"{role or 'entry point'} {name}")
    except CastError as error:
        return Implementation(role, name, target, "", source, str(error))
    return Implementation(role, name, target, _takes(factory), source)


def _takes(factory: object) -> str:
    if not callable(factory):
        return ""
    parameters = inspect.signature(factory).parameters.values()
    return ", ".join(item.name if item.default is inspect.Parameter.empty else f"[{item.name}]" for item in parameters)


def implementations_data(found: list[Implementation]) -> list[dict[str, object]]:
    """Return the same as data."""
    return [asdict(item) for item in found]


def implementations_table(found: list[Implementation]) -> Table:
    """Return the table."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("role")
    for head in ("use", "takes", "from"):
        table.add_column(head, overflow="fold")
    for item in found:
        takes = one_line("cannot be loaded", "red") if item.problem else one_line(item.takes)
        origin = "" if item.role else f"{item.source}: "
        factory = item.target.removeprefix("emoharbor.")
        table.add_row(
            Text(item.role or "any", "bold"), one_line(item.name), takes, one_line(f"{origin}{factory}", "dim")
        )  # fmt: skip
    return table
