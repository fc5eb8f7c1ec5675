"""The JSON schema of a person's file, for editors; `schema.json` beside this file is its text."""

import json
from typing import Any

from emoharbor.profiles.schema import Profile

SCHEMA_ID = "https://json-schema.org/draft/2020-12/schema"
HEADER = "# yaml-language-server: $schema=../schema.json"
"""The first line of a bundled person's file: editors that know YAML then check and complete it."""


def profile_schema() -> dict[str, Any]:
    """Return the JSON schema."""
    return {"$schema": SCHEMA_ID, **Profile.model_json_schema()}


def schema_text() -> str:
    """Return the schema as the text of `schema.json`."""
    return json.dumps(profile_schema(), indent=2, ensure_ascii=False) + "\n"
