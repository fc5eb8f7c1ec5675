"""Seeds: derived by sha256, never from `hash()`, so that they are the same in every process."""

import hashlib


def derive_seed(seed: int, *parts: str | int) -> int:
    """Return a seed of 31 bits from the run's seed and what it is for.

    Args:
        seed: the run's seed.
        *parts: what tells this use from others, for example profile, repeat, role, turn. User and judge seeds
            leave the supporter out, so that comparisons between supporters are paired.
    """
    text = ("%s" + "\x1f%s" * len(parts)) % (seed, *parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1
