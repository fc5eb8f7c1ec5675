"""ESC-Judge personas (Apache-2.0): JSON lines with final_persona, life_events, behavioral_traits, challenge.

Age, gender and name stand in the prose only; they are taken where a persona states them in a fixed form.
"""

import re
from collections.abc import Mapping
from typing import Any

from emoharbor.profiles.importers.fields import known, number, origin, text
from emoharbor.profiles.schema import PartialProfile, Sheet

SOURCE = "ESC-Judge (github.com/navidmdn/ESC-Judge)"
_LABEL = r"(?:^|\n)[\s*-]*{name}[\s*]*:[\s*]*([^\n*]+)"
_AGE = re.compile(r"\b(\d{1,3})-year-old\b")
_GENDER = re.compile(r"\b\d{1,3}-year-old (male|female|man|woman)\b", re.IGNORECASE)


def read_persona(row: Mapping[str, Any]) -> PartialProfile:
    """Return one person.

    Raises:
        BadRowError: when a field is missing.
    """
    told = text(row, "final_persona").lstrip("*").strip()
    prose = f"{told}\n{text(row, 'role')}"
    age = _AGE.search(prose)
    gender = _GENDER.search(prose)
    sheet = Sheet(
        name=_labelled("name", prose),
        age=number(age[1] if age else _labelled("age", prose)),
        gender=gender[1].casefold() if gender else _labelled("gender(?: identity)?", prose),
        occupation=_labelled("occupation", prose),
        persona=text(row, "life_events"),
        story=told,
        hidden=text(row, "behavioral_traits"),
    )
    return PartialProfile(
        id=text(row, "pid"),
        sheet=sheet,
        note=f"Challenge: {text(row, 'challenge')}",
        provenance=origin(SOURCE, "Apache-2.0", sheet.model_dump()),
    )


def _labelled(name: str, prose: str) -> str | None:
    match = re.search(_LABEL.format(name=name), prose, re.IGNORECASE)
    return known(match[1]) if match else None
