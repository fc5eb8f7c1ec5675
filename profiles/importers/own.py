"""Our own people: as JSON lines, and from the columns of a table."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from emoharbor.profiles.importers.fields import BadRowError, origin
from emoharbor.profiles.schema import PartialProfile, Profile, Sheet
from emoharbor.state.errors import ProfileError
from emoharbor.state.yamlfile import nearest, problem

COLUMNS = ("id", "language", "note", "source", "licence", *(name for name in Sheet.model_fields if name != "lines"))
"""What the column of a table can be."""


def read_own(row: Mapping[str, Any]) -> PartialProfile:
    """Return a person written as `emoharbor profiles show ID --json` writes them, whole or in part.

    Raises:
        BadRowError: naming the first field that does not fit.
    """
    model = Profile if row.get("situation") and row.get("person") else PartialProfile
    try:
        return model.model_validate(dict(row))
    except ValidationError as error:
        raise BadRowError(problem(error, model)) from None


def read_columns(row: Mapping[str, Any], mapping: Mapping[str, str], position: int) -> PartialProfile:
    """Return a person from the cells of one row.

    Args:
        row: the cells that are filled, by column.
        mapping: our field by the name of a column; columns that are not in it are left out.
        position: of the row, from 1; names people without an id.

    Raises:
        BadRowError: naming the first field that does not fit.
    """
    found = {field: row[column] for field, column in mapping.items() if column in row}
    sheet = {name: found[name] for name in Sheet.model_fields if name in found}
    if not sheet:
        raise BadRowError("none of the columns that the mapping names is filled")
    data: dict[str, object] = {
        "id": found.get("id", f"row-{position:04d}"),
        "sheet": sheet,
        "provenance": origin(found.get("source", "a table"), found.get("licence", "not stated"), sheet).model_dump(),
        **{name: found[name] for name in ("language", "note") if name in found},
    }
    try:
        return PartialProfile.model_validate(data)
    except ValidationError as error:
        raise BadRowError(problem(error, PartialProfile)) from None


def check_mapping(mapping: Mapping[str, Any]) -> dict[str, str]:
    """Return a mapping of our fields to columns.

    Raises:
        ProfileError: for an unknown field, or a column that is no text.
    """
    for field, column in mapping.items():
        if field not in COLUMNS:
            raise ProfileError(f"mapping: no field is called {field!r}; {nearest(field, COLUMNS)}")
        if not isinstance(column, str):
            raise ProfileError(f"mapping: {field}: write the name of a column")
    return dict(mapping)
