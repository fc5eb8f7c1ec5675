"""The estimators reproduce figures that were computed independently from SAGE's published dialogues."""

import csv
import json
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from emoharbor.eval.statistics.arrays import FloatArray
from emoharbor.eval.statistics.bootstrap import draw_means, draw_weights, mean_estimates
from emoharbor.eval.statistics.correlation import agreement_of_means, correlation
from emoharbor.eval.statistics.effects import effect
from emoharbor.eval.statistics.icc import icc, mean_squares
from emoharbor.eval.statistics.multiple import holm
from emoharbor.eval.statistics.permutation import TestResult, sign_flip, sign_flip_pairs, wilcoxon
from emoharbor.eval.statistics.power import smallest_difference
from emoharbor.eval.statistics.ranks import rank_intervals, rank_rows, share_first
from emoharbor.eval.statistics.variance import variance_shares

SAGE = Path(__file__).parents[4] / "shared" / "data" / "sage"
SIMULATORS = ("deepseek-v3-2024-1227", "gpt-4o-2024-0806")
EXACT = 1e-8
pytestmark = pytest.mark.skipif(not SAGE.is_dir(), reason="../shared/data is not beside this checkout")


@dataclass(frozen=True)
class Sage:
    """One simulator: the final emotions (profiles by supporters), and what was computed of them."""

    names: list[str]
    x: FloatArray
    golden: dict[str, Any]

    def pairs(self) -> list[tuple[dict[str, Any], FloatArray]]:
        found = [(self.names.index(p["a"]), self.names.index(p["b"])) for p in self.golden["pairs"]]
        return [(p, self.x[:, a] - self.x[:, b]) for p, (a, b) in zip(self.golden["pairs"], found, strict=True)]


@cache
def whole() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SAGE / "golden.json").read_text(encoding="utf-8"))
    return found


@cache
def of_simulator(name: str) -> Sage:
    with (SAGE / "final_emotion.csv").open(encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    columns = [i for i, title in enumerate(head) if title.startswith(f"{name}__")]
    x = np.array([[float(row[i]) for i in columns] for row in rows])
    return Sage([head[i].split("__")[1] for i in columns], x, whole()["simulators"][name])


@pytest.fixture(params=SIMULATORS)
def sage(request: pytest.FixtureRequest) -> Sage:
    return of_simulator(request.param)


def close(value: float | None, golden: float, tolerance: float = EXACT) -> bool:
    """Within a tolerance relative to figures above 1, absolute below; golden figures have ten digits."""
    return value is not None and abs(value - golden) <= max(tolerance, 1e-9) * max(1.0, abs(golden))


def p_of(result: TestResult | None) -> float:
    assert result is not None
    return result.p


def test_means_and_t_intervals(sage: Sage) -> None:
    for name, found in zip(sage.names, mean_estimates(sage.x, method="t"), strict=True):
        golden = sage.golden["supporters"][name]
        assert found.n == golden["n"]
        assert close(found.value, golden["mean"])
        assert found.interval is not None
        assert close(found.interval.low, golden["ci95"][0])
        assert close(found.interval.high, golden["ci95"][1])


def test_bootstrap_intervals_of_means_lie_in_the_range_over_other_seeds(sage: Sage) -> None:
    for name, found in zip(sage.names, mean_estimates(sage.x, method="percentile", seed=3), strict=True):
        golden = sage.golden["supporters"][name]["mean_ci95_bootstrap"]
        assert found.interval is not None
        # twenty seeds span most, not all, of the Monte Carlo error of another one
        spare = 0.25 * max(golden["lo_over_20_seeds"][1] - golden["lo_over_20_seeds"][0], 0.2)
        assert golden["lo_over_20_seeds"][0] - spare <= found.interval.low <= golden["lo_over_20_seeds"][1] + spare
        assert golden["hi_over_20_seeds"][0] - spare <= found.interval.high <= golden["hi_over_20_seeds"][1] + spare


def test_bootstrap_intervals_of_ranks(sage: Sage) -> None:
    draws = draw_means(sage.x, draw_weights(100, seed=4))
    first = (rank_rows(draws) < 1.75).mean(axis=0)
    for j, (name, found) in enumerate(zip(sage.names, rank_intervals(draws), strict=True)):
        golden = sage.golden["supporters"][name]
        ends = golden["rank_ci95_bootstrap"]
        assert found is not None
        assert ends["lo_over_20_seeds"][0] <= found.low <= ends["lo_over_20_seeds"][1]
        assert ends["hi_over_20_seeds"][0] <= found.high <= ends["hi_over_20_seeds"][1]
        # both sides carry Monte Carlo error
        assert abs(first[j] - golden["prob_rank_1_bootstrap"]) <= 1.5 * golden["tol_prob_rank_1"]
    assert share_first(draws).sum() == pytest.approx(1)


def test_ranks_of_the_means(sage: Sage) -> None:
    ranks = rank_rows(sage.x.mean(axis=0)[None, :])[0]
    assert list(ranks) == [sage.golden["supporters"][name]["rank"] for name in sage.names]


def test_paired_differences_with_effect_sizes_and_power(sage: Sage) -> None:
    for golden, d in sage.pairs():
        size = effect(d)
        assert size is not None
        assert size.sd is not None
        assert close(size.mean, golden["mean_diff"])
        assert close(size.sd, golden["sd_diff"])
        assert close(size.dz, golden["dz"])
        assert size.ties == golden["n_zero_diff"]
        found = mean_estimates(d[:, None], method="t")[0].interval
        assert found is not None
        assert close(found.low, golden["ci95_t"][0])
        assert close(found.high, golden["ci95_t"][1])
        assert close(smallest_difference(size.sd, d.size), golden["mde80"])


def test_exact_sign_flip_and_wilcoxon_with_holm(sage: Sage) -> None:
    exact = [p_of(sign_flip(d, method="exact")) for _, d in sage.pairs()]
    ranks = [wilcoxon(d) for _, d in sage.pairs()]
    for golden, p, rank in zip(sage.golden["pairs"], exact, ranks, strict=True):
        assert close(p, golden["p_signflip_exact"])
        assert rank is not None
        assert rank.statistic == golden["wilcoxon_W"]
        assert close(rank.p, golden["p_wilcoxon"], 1e-6)
    families = {"holm_signflip_exact": exact, "holm_wilcoxon": [p_of(rank) for rank in ranks]}
    for name, family in families.items():
        corrected = holm(np.array(family))
        assert all(close(p, golden[name], 1e-6) for p, golden in zip(corrected, sage.golden["pairs"], strict=True))
        assert int((corrected < 0.05).sum()) == sage.golden["n_pairs_holm_below_05"][name]
    assert sum(p < 0.05 for p in exact) == sage.golden["n_pairs_unadjusted_below_05"]["p_signflip_exact"]


def test_monte_carlo_sign_flip_reproduces_the_seeds(sage: Sage) -> None:
    seed = whole()["seeds"]["perm_10k"]
    for at, (golden, d) in list(enumerate(sage.pairs()))[::5]:
        found = sign_flip(d, method="monte_carlo", seed=(seed, sage.golden["simulator_index"], at))
        assert close(p_of(found), golden["p_perm_10k"])


def test_all_pairs_at_once_agree_with_the_exact_test(sage: Sage) -> None:
    found = sign_flip_pairs(sage.x, seed=5)
    for golden, (a, b) in zip(sage.golden["pairs"], combinations(range(len(sage.names)), 2), strict=True):
        assert found[a, b] == found[b, a]
        assert abs(found[a, b] - golden["p_signflip_exact"]) <= golden["tol_perm_10k"] + 1e-4  # one hit more


def test_variance_components(sage: Sage) -> None:
    golden = sage.golden["variance_components"]
    n, k = sage.x.shape
    factors = {"profile": np.repeat(np.arange(n), k), "supporter": np.tile(np.arange(k), n)}
    found = variance_shares(sage.x.ravel(), factors, resamples=50)
    assert found is not None
    names = {"profile": "profile", "supporter": "supporter", "remainder": "residual"}
    parts = {share.term: share for share in found.shares}
    assert set(parts) == set(names)
    assert found.merged == ("profile x supporter", "repeat")
    for ours, theirs in names.items():
        assert close(parts[ours].share, golden["share"][theirs])
    assert close(parts["profile"].variance, golden["variance"]["profile"])
    assert close(mean_squares(sage.x).error, golden["ms"]["residual"])


@pytest.mark.parametrize(
    ("turned", "name"),
    [
        (False, "icc_profiles_as_targets_supporters_as_raters"),
        (True, "icc_supporters_as_targets_profiles_as_raters"),
    ],
)
def test_intraclass_correlations(sage: Sage, *, turned: bool, name: str) -> None:
    found, golden = icc(sage.x.T if turned else sage.x), sage.golden["variance_components"][name]
    for form, label in (("3,1", "icc_3_1"), ("3,k", "icc_3_k")):
        one = found[form]  # type: ignore[index]  # a form written out
        assert close(one.value, golden[label])
        assert one.interval is not None
        assert close(one.interval.low, golden[f"{label}_ci95"][0])
        assert close(one.interval.high, golden[f"{label}_ci95"][1])


def test_agreement_across_simulators() -> None:
    golden = whole()["across_simulators"]
    first, second = (of_simulator(golden[side]) for side in ("a", "b"))
    a, b = (one.x[:, [one.names.index(name) for name in golden["supporters"]]] for one in (first, second))
    found = agreement_of_means(a, b, seed=6)
    assert close(found.value, golden["spearman_of_means"])
    assert close(found.p, golden["spearman_exact_p_two_sided"])
    assert found.interval is not None
    assert close(found.interval.low, golden["spearman_bootstrap_ci95"]["lo"])
    assert close(found.interval.high, golden["spearman_bootstrap_ci95"]["hi"])
    assert close(agreement_of_means(a, b, kind="kendall", resamples=10).value, golden["kendall_tau_b"])
    assert close(agreement_of_means(a, b, kind="pearson", resamples=10).value, golden["pearson_of_means"])
    for j, name in enumerate(golden["supporters"]):
        per = golden["per_supporter"][name]
        assert close(correlation(a[:, j], b[:, j], kind="pearson").value, per["pearson_profile_level"])
        assert close(correlation(a[:, j], b[:, j]).value, per["spearman_profile_level"])
        assert close(effect_mean(b[:, j] - a[:, j]), per["mean_shift_b_minus_a"])


def effect_mean(d: FloatArray) -> float:
    found = effect(d)
    assert found is not None
    return found.mean
