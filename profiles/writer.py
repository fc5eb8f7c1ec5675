"""Writing a person as YAML that is pleasant to edit: keys in the schema's order, prose folded, nothing unset."""

import yaml

from emoharbor.profiles.schema import PartialProfile

_WIDTH = 110
_SHORT = 90
"""Texts up to this length stay on the line of their key."""

_ODD_BREAKS = "\r\x85\u2028\u2029"
"""YAML reads these as line breaks unless they are escaped."""


def to_yaml(profile: PartialProfile) -> str:
    """Return the text of a person's file; reading it gives the same person."""
    data = profile.model_dump(mode="json", exclude_defaults=True)
    return yaml.dump(data, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=_WIDTH)


class _Dumper(yaml.SafeDumper):
    """Block style with indented lists; long prose folded, text of several lines kept as it stands."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: FBT001, FBT002, ARG002 - PyYAML's own signature
        super().increase_indent(flow, indentless=False)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else ">" if len(text) > _SHORT else None
    if any(mark in text for mark in _ODD_BREAKS):
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)
