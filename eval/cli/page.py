"""Printing one episode, for `demo`, `try` and `show`."""

from emoharbor.eval.cli.screen import screen
from emoharbor.eval.record import EpisodeRecord
from emoharbor.eval.reports.episode import episode
from emoharbor.eval.reports.glyphs import glyphs_for
from emoharbor.profiles.schema import PartialProfile


def show_page(record: EpisodeRecord, profile: PartialProfile) -> None:
    """Print the page of one episode."""
    console = screen()
    console.print(episode(record, profile, glyphs_for(console), console.width))
