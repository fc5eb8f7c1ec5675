"""The cast as a config writes it: which implementation plays each role, with its arguments."""

from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, model_validator

from emoharbor.state.base import FilledText, Frozen, Role

UserRole = Literal["feel", "think", "speak", "fused"]
CHAINS: tuple[tuple[UserRole, ...], ...] = (
    ("feel", "think", "speak"),
    ("think", "speak"),
    ("feel", "speak"),
    ("speak",),
    ("fused",),
)
"""The chains that make a person: the whole one and its ablations."""
CALL_NOTHING = ("offline", "recorded", "human")
"""Built-in implementations that call no model."""


class PartSpec(BaseModel):
    """One implementation: `use` names it, everything else is an argument of its factory."""

    model_config = ConfigDict(frozen=True, extra="allow")

    use: FilledText
    """A built-in, an installed entry point (group `emoharbor.nodes`), or `package.module:factory`."""

    @property
    def args(self) -> dict[str, Any]:
        """The factory's arguments."""
        return dict(self.model_extra or {})


class SupporterSpec(PartSpec):
    """A supporter under test."""

    name: FilledText


class CastSpec(Frozen):
    """Who plays the person and the judge."""

    user: tuple[UserRole, ...] = ("feel", "think", "speak")
    feel: PartSpec = PartSpec(use="offline")
    think: PartSpec = PartSpec(use="offline")
    speak: PartSpec = PartSpec(use="offline")
    fused: PartSpec = PartSpec(use="offline")
    judge: PartSpec | None = PartSpec(use="offline")

    @model_validator(mode="after")
    def _is_a_person(self) -> Self:
        if self.user not in CHAINS:
            known = "; ".join("[" + ", ".join(chain) + "]" for chain in CHAINS)
            msg = f"user {list(self.user)} is no chain that makes a person; chains: {known}"
            raise ValueError(msg)
        return self

    def spec(self, role: Role) -> PartSpec | None:
        """Return the spec of one seat."""
        found: PartSpec | None = getattr(self, role)
        return found
