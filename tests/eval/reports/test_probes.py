"""What `check` found fits a narrow screen without breaking a word."""

import pytest
from rich.console import Console

from emoharbor.eval.reports.probes import probes_page
from emoharbor.nodes.models.probe import Probe
from emoharbor.nodes.models.settings import ModelSettings

FOUND = Probe(
    ModelSettings(model="gpt-4.1-mini-2025-04-14", base_url="https://one.endpoint.example.org/openai/v1"),
    reachable=True, key_accepted=True, model_known=True, rung="json_schema", reports_usage=True,
    dropped=("max_completion_tokens", "temperature", "seed"), fault=None,
)  # fmt: skip


@pytest.mark.parametrize("width", [80, 120])
def test_no_word_is_broken(width: int) -> None:
    console = Console(width=width)
    with console.capture() as page:
        console.print(probes_page([FOUND]))

    lines = page.get().splitlines()
    assert all(len(line) <= width for line in lines)
    words = set(page.get().split())
    assert {"gpt-4.1-mini-2025-04-14", "https://one.endpoint.example.org/openai/v1"} <= words
    assert {"reachable:", "schema", "max_completion_tokens,", "temperature,", "seed"} <= words
