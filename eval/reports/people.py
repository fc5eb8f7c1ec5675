"""People on the screen: a table of many, a page of one."""

from collections.abc import Iterable, Iterator

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from emoharbor.eval.reports.inert import inert, one_line
from emoharbor.profiles.schema import PartialProfile, Person, Profile, Sheet, Situation


def brief_of(profile: Profile) -> dict[str, object]:
    """Return one line about a person as data."""
    person, situation = profile.person, profile.situation
    return {
        "id": profile.id, "name": person.name, "age": person.age, "country": person.country,
        "title": situation.title, "problem": situation.problem, "feeling": situation.feeling,
        "intensity": situation.intensity, "need": person.needs.primary, "second_need": person.needs.secondary,
        "guarded": len(situation.guarded), "risk": situation.risk,
    }  # fmt: skip


def people_table(people: Iterable[Profile]) -> Table:
    """Return a table, one person a line."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("id", no_wrap=True)
    for head, least in (("who", 14), ("situation", 14), ("feels", 13), ("wants", 14)):
        table.add_column(head, overflow="fold", min_width=least)
    for profile in people:
        person, situation = profile.person, profile.situation
        table.add_row(
            # each preset on a line of its own, else the last column would be cut on a narrow terminal
            Text("\n.").join(one_line(part, "bold") for part in profile.id.split(".")),
            one_line(f"{person.name}, {person.age}, {person.country}"),
            one_line(situation.title),
            Text(f"{situation.feeling} {situation.intensity}"),
            Text(f"{person.needs.primary}, {person.needs.secondary}"),
        )
    return table


def whole_person(profile: PartialProfile) -> RenderableType:
    """Return everything that is known about one person."""
    parts: list[RenderableType] = [one_line(f"{profile.id}  {_name(profile)}", "bold"), Text("")]
    for title, found in _blocks(profile):
        lines = list(found)
        if not lines:
            continue
        grid = Table.grid(padding=(0, 2, 0, 0), expand=True)
        grid.add_column(width=14)
        grid.add_column(ratio=1)
        for name, value in lines:
            grid.add_row(Text(name, "dim"), inert(value))
        parts += [Text(title, "bold cyan"), Padding(grid, (0, 0, 1, 2))]
    if profile.telling is not None:
        parts += [Text("Opens with", "bold cyan"), Padding(inert(profile.telling.opening), (0, 0, 0, 2))]
    return Group(*parts)


def _name(profile: PartialProfile) -> str:
    known = (profile.person.name if profile.person else None, profile.sheet.name if profile.sheet else None)
    return next((name for name in known if name), "")


def _blocks(profile: PartialProfile) -> Iterator[tuple[str, Iterator[tuple[str, str]]]]:
    if profile.situation is not None:
        yield "Situation", _situation(profile.situation)
    if profile.person is not None:
        yield "Person", _person(profile.person)
    if profile.sheet is not None:
        yield "What the source says", _sheet(profile.sheet)
    if profile.note:
        yield "Note", iter([("", profile.note)])


def _sheet(sheet: Sheet) -> Iterator[tuple[str, str]]:
    for name, value in sheet.model_dump(exclude_defaults=True).items():
        yield name, "\n".join(value) if isinstance(value, tuple) else str(value)


def _situation(situation: Situation) -> Iterator[tuple[str, str]]:
    yield "title", f"{situation.title} ({situation.problem}: {situation.angle})"
    yield "history", situation.history
    yield "stakes", situation.stakes
    for attempt in situation.tried:
        yield "tried", f"{attempt.what}: {attempt.why_it_failed}"
    yield "now", situation.now
    yield "circumstances", "; ".join(situation.circumstances)
    yield "feels", f"{situation.feeling}, {situation.intensity} of 10"
    for fact in situation.guarded:
        yield "holds back", f"{fact.fact} ({fact.id}, from trust {fact.trust:g}) {fact.why_held_back}"
    if situation.risk != "none":
        yield "risk", f"{situation.risk}: {situation.risk_note}"


def _person(person: Person) -> Iterator[tuple[str, str]]:
    yield "who", f"{person.age}, {person.gender}, {person.occupation}, {person.country}; {person.education}"
    yield "life", f"{person.relationship}; children: {person.children}; {person.means}"
    yield "portrait", person.portrait
    traits = person.traits.model_dump()
    yield "traits", ", ".join(f"{name} {value}" for name, value in traits.items())
    yield "attachment", f"anxiety {person.attachment.anxiety}, avoidance {person.attachment.avoidance}"
    yield "coping", ", ".join(person.coping)
    yield "wants", f"{person.needs.primary}, then {person.needs.secondary}"
    yield "hidden need", person.needs.hidden
    yield "lands", person.lands
    yield "backfires", person.backfires
    yield "pace", f"opens up {person.disclosure_pace}, resists {person.resistance}, swings {person.volatility} (of 5)"
    yield "voice", f"{person.voice.style}: {person.voice.description}"
