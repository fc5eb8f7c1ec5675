"""The `ray` engine where there is no Ray; with one: test_engines.py."""

import pytest

from emoharbor.eval.scale import ray_engine
from emoharbor.eval.scale.ray_engine import RayEngine
from emoharbor.state.errors import ConfigError


def test_without_ray_the_fix_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(ray_engine, "import_module", missing)

    with pytest.raises(ConfigError, match=r"pip install 'emoharbor\[ray\]'"):
        RayEngine()
