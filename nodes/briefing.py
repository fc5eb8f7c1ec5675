"""What the supporter is told about the person before the dialogue."""

from typing import Literal

import yaml

from emoharbor.profiles.schema import PartialProfile

Briefing = Literal["none", "intake", "full"]
"""`none`; `intake`: the situation, as a form at the door would give it; `full`: the whole profile, to measure the use
of given knowledge."""


def brief(profile: PartialProfile, kind: Briefing) -> str:
    """Return the briefing as text; empty for `none`, and for a person of whom a block is missing.

    Guarded facts are in `full` only.
    """
    if kind == "none" or profile.situation is None or profile.person is None:
        return ""
    situation = profile.situation.model_dump(mode="json", exclude={"risk_note"})
    if kind == "intake":
        situation.pop("guarded")
        data: dict[str, object] = {"situation": situation}
    else:
        data = {"situation": situation, "person": profile.person.model_dump(mode="json")}
    return "About the person you are talking with:\n" + yaml.safe_dump(data, allow_unicode=True, sort_keys=False)
