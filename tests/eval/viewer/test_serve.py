"""Which port the viewer takes."""

import pytest

from emoharbor.eval.viewer.serve import listen_on
from emoharbor.state.errors import ConfigError


def test_viewers_that_start_at_the_same_time_take_different_ports() -> None:
    with listen_on(None) as first, listen_on(None) as second:
        assert first.getsockname() != second.getsockname()


def test_a_named_port_that_another_viewer_has_taken_is_refused_also_before_that_one_serves() -> None:
    with listen_on(None) as first:
        port = first.getsockname()[1]

        with pytest.raises(ConfigError, match=rf"--port {port}: cannot be used"):
            listen_on(port)
