"""Outcomes have a standing, errors one tree, and a judgement either scores or a reason."""

import pytest

from emoharbor.state import errors
from emoharbor.state.errors import EmoHarborError
from emoharbor.state.outcome import Outcome
from emoharbor.state.seeds import derive_seed
from emoharbor.state.verdict import Judgement, Scores

STANDING = {
    "user_satisfied": "completed", "user_left": "completed", "turn_cap": "completed", "stale": "completed",
    "user_invalid": "invalid",
    "supporter_refused": "supporter_failure", "supporter_empty": "supporter_failure",
    "supporter_truncated": "supporter_failure", "supporter_error": "supporter_failure",
    "infrastructure": "unfinished",
}  # fmt: skip


def test_every_outcome_has_its_standing_and_only_completed_ones_are_judged() -> None:
    assert {outcome.value: outcome.standing for outcome in Outcome} == STANDING
    assert {outcome for outcome in Outcome if outcome.judged} == {o for o in Outcome if STANDING[o] == "completed"}


def test_every_error_is_drawn_in_the_tree_under_its_parent() -> None:
    drawn: dict[str, str] = {}
    path: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        name = line.strip(" │├└─").split(" ")[0]
        found = getattr(errors, name, None)
        if not (isinstance(found, type) and issubclass(found, Exception)):
            continue
        depth = (len(line) - len(line.lstrip(" │├└─"))) // 4 - 1
        path = [*path[:depth], name]
        drawn[name] = path[depth - 1] if depth else "Exception"
    defined = {
        name: item.__bases__[0].__name__
        for name, item in vars(errors).items()
        if isinstance(item, type) and issubclass(item, Exception) and item.__module__ == errors.__name__
    }

    assert drawn == defined
    assert all(issubclass(getattr(errors, name), EmoHarborError) for name in defined)


def test_a_judgement_has_scores_or_a_reason_and_never_both() -> None:
    scores = Scores(overall=50, general=3, tailored=3, gap=0)

    with pytest.raises(ValueError, match="either scores or a reason"):
        Judgement(judge="j", rubric="r")
    with pytest.raises(ValueError, match="either scores or a reason"):
        Judgement(judge="j", rubric="r", scores=scores, unscored="both")
    with pytest.raises(ValueError, match="finite"):
        Scores(overall=float("nan"), general=None, tailored=None, gap=None)


def test_seeds_are_the_same_in_every_process_and_differ_by_purpose() -> None:
    assert derive_seed(7, "P040", 0, "feel", 3) == derive_seed(7, "P040", 0, "feel", 3) == 311473413
    assert len({derive_seed(7, "P040", 0, role, turn) for role in ("feel", "think") for turn in range(15)}) == 30
    assert all(0 <= derive_seed(seed, "x") < 2**31 for seed in range(200))
