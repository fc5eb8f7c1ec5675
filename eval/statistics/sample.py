"""One pass over the episodes of a run (or several): all that its figures need, without the dialogues."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from emoharbor.eval.reported import Reported
from emoharbor.eval.statistics.personal import Effect, effects_of
from emoharbor.eval.statistics.scores import Entry, Given, Rated, Scale, entry_of

Reports = Mapping[tuple[str, str, int], Reported]
"""What the inner world says of an episode, by person, supporter and repeat."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The episodes of one table.

    Attributes:
        scale: what was rated on; None without a judge.
        planned: episodes planned for each supporter, in order.
        entries: one an episode.
        effects: the personal effect of each episode that was rated both ways.
        reports: what the inner world says, of completed episodes.
        judge: whose ratings these are, when not the run's own.
    """

    scale: Scale | None
    planned: Mapping[str, int]
    entries: tuple[Entry, ...]
    effects: tuple[Effect, ...]
    reports: Reports
    judge: str | None = None

    @classmethod
    def of(
        cls,
        records: Iterable[Rated],
        scale: Scale | None,
        planned: Mapping[str, int],
        reports: Reports | None = None,
        judge: str | None = None,
    ) -> Self:
        """Read the episodes.

        Args:
            records: the episodes, each once.
            scale: what was rated on.
            planned: episodes planned for each supporter; those without a record count as unfinished.
            reports: of the inner worlds.
            judge: the `judge_id` to take plain ratings of; None takes the run's own.
        """
        entries: list[Entry] = []
        effects: list[Effect] = []
        for record in records:
            if judge is None:
                entries.append(entry_of(record, scale))
                effects += effects_of(record)
                continue
            plain = [item for item in record.judgements if item.judge_id == judge and _is_plain(item)]
            entries.append(entry_of(record, scale, plain))
            effects += (item for item in effects_of(record) if item.judge_id == judge)
        everybody = dict.fromkeys([*planned, *(entry.supporter for entry in entries)], 0) | dict(planned)
        return cls(scale, everybody, tuple(entries), tuple(effects), reports or {}, judge)

    @property
    def names(self) -> tuple[str, ...]:
        """The supporters."""
        return tuple(self.planned)

    def among(self, profiles: Iterable[str]) -> Self:
        """Return the same of these people only; nothing counts as planned that has not begun."""
        kept = set(profiles)
        entries = tuple(entry for entry in self.entries if entry.profile in kept)
        return type(self)(
            self.scale, dict.fromkeys(self.names, 0), entries,
            tuple(item for item in self.effects if item.profile in kept),
            {key: value for key, value in self.reports.items() if key[0] in kept}, self.judge,
        )  # fmt: skip


def _is_plain(item: Given) -> bool:
    """Whether a rating is as oneself, with the log, and belongs to no control."""
    return item.control is None and item.counterfactual is None and (item.with_log or item.own)
