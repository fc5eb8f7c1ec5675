"""What `check` shows of a run before anything is called: the cast, the keys, the calls it will make."""

from collections.abc import Iterator, Mapping

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from emoharbor.eval.assembly import Assembly, Estimate
from emoharbor.eval.prices import price_table
from emoharbor.eval.reports.inert import one_line
from emoharbor.nodes.spec import CALL_NOTHING


def plan_data(assembly: Assembly, estimate: Estimate, keys: Mapping[str, bool]) -> dict[str, object]:
    """Return the same as data.

    Args:
        assembly: the run, ready to start.
        estimate: what it will ask of its models.
        keys: names of the key variables, and whether each is set.
    """
    return {
        "ok": all(keys.values()),
        "profiles": list(assembly.people),
        "parts": [
            {"place": place, "use": use, "version": version, "model": model}
            for place, use, version, model in _parts(assembly)
        ],
        "keys": [{"variable": name, "set": there} for name, there in keys.items()],
        "episodes": estimate.episodes,
        "steps_per_dialogue": estimate.steps_per_dialogue,
        "calls": estimate.calls,
        "tokens": estimate.tokens,
        "cost_usd": estimate.cost_usd,
        "unpriced": list(estimate.unpriced),
        "roles": {
            role: {
                "calls": item.calls,
                "prompt_tokens": item.prompt_tokens,
                "completion_tokens": item.completion_tokens,
                "cost_usd": item.cost_usd,
            }
            for role, item in estimate.roles.items()
        },
        "warnings": list(assembly.warnings),
    }


def plan_page(assembly: Assembly, estimate: Estimate, keys: Mapping[str, bool]) -> RenderableType:
    """Return tables of the cast, the calls and the keys, and a line that sums up. Arguments as of `plan_data`."""
    parts: list[RenderableType] = [_cast(assembly)]
    if estimate.calls:
        parts.append(_calls(estimate))
    if keys:
        parts.append(_keys(keys))
    parts += [one_line(f"note: {warning}", "yellow") for warning in assembly.warnings]
    parts.append(Text(_sum(assembly, estimate)))
    return Group(*parts)


def _parts(assembly: Assembly) -> Iterator[tuple[str, str, str, str | None]]:
    cast = assembly.cast
    for part in (*cast.user, *([cast.judge] if cast.judge else [])):
        yield part.role, part.use, part.version, part.model
    for name, part in cast.supporters.items():
        yield f"supporter {name}", part.use, part.version, part.model


def _cast(assembly: Assembly) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for head in ("part", "played by", "version", "model"):
        table.add_column(head, overflow="fold")
    for place, use, version, model in _parts(assembly):
        table.add_row(one_line(place, "bold"), one_line(use), one_line(version, "dim"), one_line(model or ""))
    return table


def _calls(estimate: Estimate) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("calls of models, at most")
    for head in ("calls", "prompt tokens", "completion tokens", "USD"):
        table.add_column(head, justify="right")
    for role, item in estimate.roles.items():
        cost = "?" if item.cost_usd is None else f"{item.cost_usd:,.2f}"
        table.add_row(role, f"{item.calls:,}", f"{item.prompt_tokens:,}", f"{item.completion_tokens:,}", cost)
    return table


def _keys(keys: Mapping[str, bool]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("key variable")
    table.add_column("")
    for name, there in keys.items():
        table.add_row(one_line(name, "bold"), Text("set", "green") if there else Text("not set", "bold red"))
    return table


def _sum(assembly: Assembly, estimate: Estimate) -> str:
    config = assembly.config
    episodes = (
        f"{_count(len(assembly.people), 'person', 'people')} x {_count(len(config.supporters), 'supporter')} x "
        f"{_count(config.run.repeats, 'repeat')} = {_count(estimate.episodes, 'episode')} of up to "
        f"{_count(config.run.max_turns, 'turn')}"
    )
    if not estimate.calls:
        own = [item.name for item in config.supporters if item.use not in CALL_NOTHING]
        theirs = f", but for what {', '.join(own)} may call" if own else ""
        return f"{episodes}. No model is called{theirs}."
    return f"{episodes}. At most {estimate.calls:,} calls and about {estimate.tokens:,} tokens; {_cost(estimate)}."


def _cost(estimate: Estimate) -> str:
    if estimate.cost_usd is not None:
        return f"about ${estimate.cost_usd:,.2f} without caches (prices of {price_table().version})"
    known = sum(role.cost_usd or 0.0 for role in estimate.roles.values())
    beside = f", beside about ${known:,.2f} for the rest" if known else ""
    return f"cost unknown, since these have no known price: {', '.join(estimate.unpriced)}{beside}"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
