"""The published schema is the schema, and holds for every bundled file and for nothing that the loader refuses."""

from importlib.resources import files

import pytest
import yaml
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it ships no types

from emoharbor.profiles.loader import profile_files
from emoharbor.profiles.published import profile_schema, schema_text

SCHEMA = files("emoharbor.profiles").joinpath("schema.json")


def test_the_published_file_is_what_the_command_prints() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == schema_text(), "run: emoharbor profiles schema > profiles/schema.json"


@pytest.mark.parametrize("name", ["core"])
def test_bundled_people_fit_the_schema(name: str) -> None:
    validator = Draft202012Validator(profile_schema())

    for file in profile_files(name):
        data = yaml.safe_load(file.read_text(encoding="utf-8"))
        assert [error.message for error in validator.iter_errors(data)] == []


def test_an_unknown_field_does_not_fit() -> None:
    validator = Draft202012Validator(profile_schema())
    data = yaml.safe_load(profile_files("P040")[0].read_text(encoding="utf-8"))

    assert not validator.is_valid({**data, "langauge": "en"})
