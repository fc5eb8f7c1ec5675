"""Who the person is, in three lines. What they hold back is counted, never told."""

from rich.text import Text

from emoharbor.eval.reports.inert import one_line
from emoharbor.profiles.schema import PartialProfile


def person_name(profile: PartialProfile) -> str:
    """Return the first name, or the id of a person without one."""
    names = profile.person.name.split() if profile.person else []
    return names[0] if names else profile.id


def introduction(profile: PartialProfile) -> Text:
    """Return three lines: who it is, what it is about, what they want and hold back."""
    return Text("\n").join([_who(profile), _matter(profile), _wants(profile)])


def _who(profile: PartialProfile) -> Text:
    person = profile.person
    if person is None:
        return one_line(profile.id, "bold")
    rest = one_line(f", {person.age}, {person.occupation}, {person.country}")
    return Text.assemble(one_line(person.name, "bold"), rest, (f"  ({profile.id})", "dim"))


def _matter(profile: PartialProfile) -> Text:
    situation = profile.situation
    if situation is None:
        told = profile.sheet.story if profile.sheet else None
        return one_line(told, "italic") if told else Text("no situation is known", "dim")
    rest = f": {situation.problem}, with {situation.feeling} at {situation.intensity} of 10"
    return Text.assemble(one_line(situation.title, "italic"), rest)


def _wants(profile: PartialProfile) -> Text:
    if profile.person is None and profile.situation is None:
        return Text("known in part only", "dim")
    held = len(profile.situation.guarded) if profile.situation else 0
    holds = f"holds back {held} thing{'' if held == 1 else 's'}, each until there is enough trust"
    if profile.person is None:
        return Text(holds)
    needs = profile.person.needs
    return Text(f"wants {needs.primary} support, then {needs.secondary}; {holds}")
