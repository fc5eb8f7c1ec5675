"""Which episodes hold words that were said, and from which turn on."""

from collections.abc import Mapping

from sqlalchemy import Connection, func, or_, select

from emoharbor.eval.store.schema import turns

_SIDES = (turns.c.user, turns.c.supporter)


def saying(connection: Connection, words: str) -> Mapping[int, int]:
    """Return, by row id, the episodes in which a message of either side holds `words`, each with the first such turn.

    Case makes no difference; beyond ASCII, which is all that SQLite folds, the words are also looked for in small
    letters, in capitals and capitalised.
    """
    forms = {words} if words.isascii() else {words, words.lower(), words.upper(), words.capitalize()}
    held = or_(*(side.contains(form, autoescape=True) for side in _SIDES for form in sorted(forms)))
    first = select(turns.c.episode, func.min(turns.c.turn)).where(held).group_by(turns.c.episode)
    return {row[0]: row[1] for row in connection.execute(first)}
