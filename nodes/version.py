"""Which version of which installed package plays a part."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, distributions, version
from typing import Any


def version_of(factory: object, args: Mapping[str, Any]) -> str:
    """Return the version of the package that a factory, or the `target` among its arguments, is from.

    "unpackaged" for what is in none, as a script beside the config.
    """
    target = args.get("target")
    module = target if isinstance(target, str) else getattr(target or factory, "__module__", None) or ""
    return _version(module.partition(":")[0].partition(".")[0])


@cache
def _version(package: str) -> str:
    if not package:
        return "unpackaged"
    try:
        return version(package)
    except PackageNotFoundError:  # the name of the distribution may be another
        return next(_versions_of_holders(package), "unpackaged")


def _versions_of_holders(package: str) -> Iterator[str]:
    """Yield the version of each distribution that has a package of this name.

    As `importlib.metadata.packages_distributions`, which takes 0.4 s: it reads the whole record of every distribution
    into objects. That of those which do not state their packages is searched as text here.
    """
    for found in distributions():
        stated = found.read_text("top_level.txt")
        record = f"\n{found.read_text('RECORD') or ''}" if stated is None else ""
        if package in (stated or "").split() or f"\n{package}/" in record or f"\n{package}." in record:
            yield found.version
