"""Which episodes hold words that were said."""

from sqlalchemy import Connection, or_, select

from emoharbor.eval.store.schema import turns

_SIDES = (turns.c.user, turns.c.supporter)


def saying(connection: Connection, words: str) -> frozenset[int]:
    """Return the row ids of the episodes in which a message of either side holds `words`.

    Case makes no difference; beyond ASCII, which is all that SQLite folds, the words are also looked for in small
    letters, in capitals and capitalised.
    """
    forms = {words} if words.isascii() else {words, words.lower(), words.upper(), words.capitalize()}
    held = or_(*(side.contains(form, autoescape=True) for side in _SIDES for form in sorted(forms)))
    return frozenset(connection.execute(select(turns.c.episode).where(held).distinct()).scalars())
