"""Which version plays a part."""

from importlib.metadata import packages_distributions, version

import pytest

from emoharbor.nodes.version import version_of


def test_a_package_is_found_whatever_its_distribution_is_called() -> None:
    found = {package: names for package, names in packages_distributions().items() if package.isidentifier()}
    renamed = [package for package, names in found.items() if package not in names][:12]

    assert renamed
    for package in renamed:
        assert version_of(None, {"target": f"{package}.part:thing"}) in {version(name) for name in found[package]}


@pytest.mark.parametrize("target", ["no_such_module:supporter", ":supporter", ""])
def test_what_is_in_no_package_says_so(target: str) -> None:
    assert version_of(None, {"target": target}) == "unpackaged"


def test_a_factory_has_the_version_of_its_package() -> None:
    assert version_of(pytest.fixture, {}) == version("pytest")
