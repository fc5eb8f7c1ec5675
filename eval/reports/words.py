"""Words that bend with a number."""


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return `1 supporter`, `2 supporters`, `12,000 people`."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
