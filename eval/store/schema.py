"""The tables of `run.db`.

A new column or table raises `VERSION`, and so does a new form of what is in them that older programs would take for
broken.

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

VERSION = 4
"""Kept in SQLite's `user_version`."""

SPENT = ("prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd", "counted")
"""The columns that say what was used, in every table that has them."""

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
    Column("counted", Boolean, nullable=False, default=True, server_default="1"),  # false: a call stated no tokens
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
    Column("counted", Boolean, nullable=False, default=True, server_default="1"),  # false: a call stated no tokens
    Column("trace", LargeBinary),  # once for all episodes that begin with it; null when it was not recorded
    PrimaryKeyConstraint("profile", "repeat"),
)

judgements = Table(
    "judgements",
    metadata,
    Column("episode", ForeignKey("episodes.id"), nullable=False),
    Column("judge_id", Text, nullable=False),  # empty before version 3
    Column("repeat", Integer, nullable=False),
    Column("control", Text, nullable=False),  # empty for none
    Column("counterfactual", Text, nullable=False),  # empty when rated as oneself
    Column("with_log", Boolean, nullable=False),
    Column("judge", Text, nullable=False),
    Column("own", Boolean, nullable=False),  # the run's own rating, on which primary figures rest
    Column("body", Text, nullable=False),  # Judgement, JSON
    Column("saved", Float, nullable=False),
    Column("trace", LargeBinary),  # of a rating made later; the run's own is part of the episode's trace
    PrimaryKeyConstraint("episode", "judge_id", "repeat", "control", "counterfactual", "with_log"),
)

# One row for each time that the run was judged again; what it used belongs to the run, and to no episode.
judgings = Table(
    "judgings",
    metadata,
    Column("id", Text, primary_key=True),
    Column("started", Float, nullable=False),
    Column("saved", Float, nullable=False),
    Column("prompt_tokens", Integer),
    Column("completion_tokens", Integer),
    Column("cached_tokens", Integer),
    Column("cost_usd", Float),
    Column("counted", Boolean, nullable=False, default=True, server_default="1"),
)

# A piece for each finished turn, and one for what came after (eval/traces/codec.py).
traces = Table(
    "traces",
    metadata,
    Column("episode", ForeignKey("episodes.id"), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("blob", LargeBinary, nullable=False),
    PrimaryKeyConstraint("episode", "seq"),
)
