"""The table of formats, and reading a file in one of them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from emoharbor.profiles.importers.esc_eval import read_card
from emoharbor.profiles.importers.esc_judge import read_persona
from emoharbor.profiles.importers.esconv import read_dialogue
from emoharbor.profiles.importers.fields import BadRowError
from emoharbor.profiles.importers.own import COLUMNS, check_mapping, read_columns, read_own
from emoharbor.profiles.importers.rows import Refused, Row, csv_rows, json_array, json_lines, read_bytes, yaml_document
from emoharbor.profiles.importers.sage import read_sage
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.errors import ProfileError
from emoharbor.state.yamlfile import problem

Mapped = Mapping[str, str]
Rows = Callable[[bytes], Iterator[Row | Refused]]
Convert = Callable[[Mapping[str, Any], int, Mapped], PartialProfile]


@dataclass(frozen=True, slots=True)
class Importer:
    """One format.

    Attributes:
        about: what the file is, for help texts.
        rows: cuts the file into rows.
        convert: makes a person of a row, its position from 1, and the mapping of columns.
    """

    about: str
    rows: Rows
    convert: Convert


IMPORTERS: Mapping[str, Importer] = {
    "sage": Importer("SAGE profiles, JSON lines", json_lines, lambda row, _at, _mapping: read_sage(row)),
    "esc-eval": Importer("ESC-Eval role cards, a JSON array", json_array, lambda row, _at, _mapping: read_card(row)),
    "esc-judge": Importer("ESC-Judge personas, JSON lines", json_lines, lambda row, _at, _mapping: read_persona(row)),
    "esconv": Importer("ESConv dialogues, a JSON array", json_array, lambda row, at, _mapping: read_dialogue(row, at)),
    "csv": Importer("a table, by a mapping", csv_rows, lambda row, at, names: read_columns(row, names, at)),
    "jsonl": Importer("our own people, JSON lines", json_lines, lambda row, _at, _mapping: read_own(row)),
    "yaml": Importer("one of our own people, YAML", yaml_document, lambda row, _at, _mapping: read_own(row)),
}  # fmt: skip
"""Every format, by name."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of a file: each of its rows is in one of the two."""

    people: tuple[PartialProfile, ...]
    refused: tuple[Refused, ...]


def import_people(path: Path, form: str, mapping: Mapping[str, Any] | None = None) -> Imported:
    """Read the people of a foreign file. A bad row is refused alone; the good ones are kept.

    Args:
        path: the file.
        form: its format, a key of `IMPORTERS`.
        mapping: for `csv`: the column of each of our fields; without it columns are called as our fields.

    Raises:
        ProfileError: for an unknown format, a file that cannot be read at all, or a bad mapping.
    """
    importer = IMPORTERS.get(form)
    if importer is None:
        raise ProfileError(f"no format is called {form!r}; known: {', '.join(IMPORTERS)}")
    columns = check_mapping(mapping) if mapping is not None else {name: name for name in COLUMNS}
    people: dict[str, PartialProfile] = {}
    refused: list[Refused] = []
    try:
        for at, row in enumerate(importer.rows(read_bytes(path)), start=1):
            made = row if isinstance(row, Refused) else _person(importer, row, at, columns)
            if isinstance(made, PartialProfile) and made.id in people:
                made = Refused(row.line, f"id {made.id!r} stands twice")
            if isinstance(made, Refused):
                refused.append(made)
            else:
                people[made.id] = made
    except ProfileError as error:
        raise error if str(error).startswith(str(path)) else ProfileError(f"{path}: {error}") from None
    return Imported(tuple(people.values()), tuple(refused))


def _person(importer: Importer, row: Row, at: int, columns: Mapped) -> PartialProfile | Refused:
    try:
        return importer.convert(row.data, at, columns)
    except BadRowError as error:
        return Refused(row.line, str(error))
    except ValidationError as error:
        return Refused(row.line, problem(error, PartialProfile))
