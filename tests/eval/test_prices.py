"""What tokens cost, and what is never made up."""

import pytest

from emoharbor.eval.prices import Price, Prices, price_table
from emoharbor.eval.spent import Spent
from emoharbor.nodes.models.settings import ModelSettings

HERE = "http://127.0.0.1:9/v1"


@pytest.mark.parametrize(
    ("model", "base_url", "prompt"),
    [
        ("gpt-4.1", None, 2),
        ("gpt-4.1-2025-04-14", None, 2),
        ("gpt-4.1-mini", None, 0.4),
        ("gpt-4.1", "https://api.openai.com/v1/", 2),
        ("claude-sonnet-4-5-20250929", "https://api.anthropic.com/v1", 3),
        ("mistral-small-latest", "https://api.mistral.ai/v1", 0.15),
        ("gpt-4.1", HERE, None),  # whatever is behind it, it is not OpenAI's
        ("gpt-4.1-secret", None, None),
        ("gpt-9", None, None),
    ],
)
def test_the_table_knows_models_at_their_makers_and_no_others(
    model: str, base_url: str | None, prompt: float | None
) -> None:
    found = Prices({}).of(ModelSettings(model=model, base_url=base_url))

    assert (found.prompt if found else None) == prompt


def test_a_configs_own_prices_go_first_and_may_name_the_host() -> None:
    own = {"gpt-4.1": Price(prompt=9, completion=9), "tiny@127.0.0.1:9": Price(prompt=0, completion=0),
           "llama-*": Price(prompt=1, completion=1)}  # fmt: skip
    prices = Prices(own)

    assert prices.of(ModelSettings(model="gpt-4.1")) == own["gpt-4.1"]
    assert prices.of(ModelSettings(model="tiny", base_url=HERE)) == own["tiny@127.0.0.1:9"]
    assert prices.of(ModelSettings(model="tiny", base_url="http://127.0.0.1:8/v1")) is None
    assert prices.of(ModelSettings(model="llama-3-8b", base_url=HERE)) == own["llama-*"]
    assert prices.of_foreign("gpt-4.1") == own["gpt-4.1"]
    assert prices.of_foreign("gpt-4o") is None


def test_cached_tokens_are_cheaper_where_their_price_is_known() -> None:
    assert Price(prompt=2, cached=0.5, completion=8).cost(1_000_000, 500_000, 600_000) == pytest.approx(0.8 + 0.3 + 4)
    assert Price(prompt=2, completion=8).cost(1_000_000, 0, 600_000) == pytest.approx(2)


def test_every_row_of_the_table_is_a_price_with_a_source() -> None:
    table = price_table()

    assert sum(len(models) for models in table.hosts.values()) >= 50
    assert table.version
    assert "genai-prices" in table.source
    for models in table.hosts.values():
        for price in models.values():
            assert price.cached is None or price.cached <= price.prompt <= price.completion


def test_what_was_spent_adds_up_and_an_unknown_price_stays_unknown() -> None:
    known, unknown, nothing = Spent(10, 5, 2, 0.5), Spent(10, 5, None, priced=False), Spent()

    assert known + known == Spent(20, 10, 4, 1.0)
    assert nothing + known == known
    assert (known + unknown).cost_usd is None
    assert (known + unknown + known).cost_usd is None
    assert Spent.stored(10, 5, None, None, counted=True).priced is False
    assert Spent.stored(None, None, None, None, counted=True) == nothing


def test_a_call_that_stated_no_tokens_is_neither_counted_nor_priced_after_a_resume() -> None:
    untold = Spent(priced=False, counted=False)

    assert Spent.stored(None, None, None, None, counted=False) == untold
    assert (Spent(10, 5, None, 0.5) + untold).counted is False
