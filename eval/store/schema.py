"""The tables of `run.db`. A new column or table raises `VERSION`.

The state of an episode at the start of any turn follows from `episodes.start` and the rows of the turns before it
(`rows.py`), so the whole state is never stored twice.
"""

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
)

VERSION = 2
"""Kept in SQLite's `user_version`."""

metadata = MetaData()

episodes = Table(
    "episodes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("profile", Text, nullable=False),
    Column("supporter", Text, nullable=False),
    Column("repeat", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),  # counts from 0; a new one only when a dialogue starts again
    Column("start", Text, nullable=False),  # EpisodeState before the first node, JSON
    Column("turn", Integer, nullable=False),  # of the last saved state
    Column("last", Text),  # role that ran last
    Column("outcome", Text),  # null while under way or broken off
    Column("reason", Text, nullable=False, default=""),
    Column("started", Float, nullable=False),  # seconds since 1970, UTC
    Column("finished", Float),
    Column("prompt_tokens", Integer),  # null where no endpoint said
    Column("completion_tokens", Integer),
    Column("cached_tokens", Integer),
    Column("cost_usd", Float),  # null when a price was not known
    UniqueConstraint("profile", "supporter", "repeat", "attempt"),
)

turns = Table(
    "turns",
    metadata,
    Column("episode", ForeignKey("episodes.id"), nullable=False),
    Column("turn", Integer, nullable=False),
    Column("user", Text),  # null when the last reply was only taken in
    Column("supporter", Text),  # null when nothing was answered: such a turn is not finished
    Column("inner", Text),  # InnerWorld at the end of the turn, JSON; null when it was not touched
    Column("shifts", Text, nullable=False),  # JSON list
    Column("faults", Text, nullable=False),  # JSON list
    Column("saved", Float, nullable=False),
    PrimaryKeyConstraint("episode", "turn"),
)

openings = Table(
    "openings",
    metadata,
    Column("profile", Text, nullable=False),
    Column("repeat", Integer, nullable=False),
    Column("state", Text, nullable=False),  # EpisodeState after the person's first message, JSON; supporter left open
    Column("saved", Float, nullable=False),
    Column("prompt_tokens", Integer),
    Column("completion_tokens", Integer),
    Column("cached_tokens", Integer),
    Column("cost_usd", Float),  # null when a price was not known
    Column("trace", LargeBinary),  # once for all episodes that begin with it; null when it was not recorded
    PrimaryKeyConstraint("profile", "repeat"),
)

judgements = Table(
    "judgements",
    metadata,
    Column("episode", ForeignKey("episodes.id"), nullable=False),
    Column("judge", Text, nullable=False),
    Column("repeat", Integer, nullable=False),
    Column("counterfactual", Text, nullable=False),  # empty when rated as oneself
    Column("own", Boolean, nullable=False),  # given at the end of the episode itself
    Column("body", Text, nullable=False),  # Judgement, JSON
    Column("saved", Float, nullable=False),
    PrimaryKeyConstraint("episode", "judge", "repeat", "counterfactual"),
)

# A blob for each finished turn while an episode goes on, one in place of them all at its end (eval/traces/codec.py).
traces = Table(
    "traces",
    metadata,
    Column("episode", ForeignKey("episodes.id"), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("blob", LargeBinary, nullable=False),
    PrimaryKeyConstraint("episode", "seq"),
)
