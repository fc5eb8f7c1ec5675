"""Scenarios: read strictly, played in order, at random the same way every time."""

from pathlib import Path
from typing import Any

import pytest

from emoharbor.eval.endpoint.call import Call
from emoharbor.eval.endpoint.director import Director
from emoharbor.eval.endpoint.scenario import Act, Rule, Scenario, load_scenario
from emoharbor.state.errors import ConfigError


def call(key: str = "k", role: str = "feel", **more: Any) -> Call:
    given = {"model": "m", "turn": 0, "profile": None, "attempt": 0, "schema": None, "form": None, "dialogue": ()}
    return Call(**{**given, "role": role, "prompt": "", "key": key, **more})


def played(rule: dict[str, Any], *calls: Call) -> list[int | None]:
    director = Director(Scenario.model_validate({"rules": [rule]}))
    return [act.status if act else None for act in map(director.act, calls)]


A, B = {"status": 500}, {"status": 429}


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ([A], [500, None, None]),
        ([A, B, "ok"], [500, 429, None]),
        (["ok", A], [None, 500, None]),
        ([A, "same"], [500, 500, None]),
        ([A, "forever"], [500, 500, 500]),
        ([A, "same", B], [500, 500, 429]),
        ([A, "ok", "forever"], [500, None, None]),
    ],
)
def test_replies_are_played_in_order_and_then_all_is_well(reply: list[Any], expected: list[int | None]) -> None:
    assert played({"reply": reply}, call(), call(), call()) == expected


@pytest.mark.parametrize(
    ("when", "hit"),
    [
        ({}, True), ({"role": "feel"}, True), ({"role": "user"}, True), ({"role": ["judge", "feel"]}, True),
        ({"role": "judge"}, False), ({"turn": 3}, True), ({"turn": [0, 3]}, True), ({"turn": 0}, False),
        ({"profile": "P1"}, True), ({"profile": "P2"}, False), ({"model": "m"}, True), ({"model": "x"}, False),
        ({"role": "feel", "turn": 3, "profile": "P1"}, True), ({"role": "feel", "turn": 4, "profile": "P1"}, False),
    ],
)  # fmt: skip
def test_a_rule_is_for_the_calls_it_names(when: dict[str, Any], hit: bool) -> None:
    assert played({"when": when, "reply": [A]}, call(turn=3, profile="P1")) == [500 if hit else None]


def test_the_supporter_is_no_part_of_the_user() -> None:
    assert played({"when": {"role": "user"}, "reply": [A, "forever"]}, call(role="supporter"), call(role="speak")) == [
        None,
        500,
    ]


def test_a_count_addresses_one_call() -> None:
    assert played({"when": {"count": 2}, "reply": [A]}, call(), call(), call()) == [None, 500, None]


@pytest.mark.parametrize(
    ("each", "expected"),
    [("run", [500, None, None, None]), ("profile", [500, 500, None, None]), ("request", [500, 500, 500, None])],
)
def test_a_list_is_played_once_for_what_it_says(each: str, expected: list[int | None]) -> None:
    calls = [call("a", profile="P1"), call("b", profile="P2"), call("c", profile="P1"), call("a", profile="P1")]
    assert played({"each": each, "reply": [A]}, *calls) == expected


def test_an_act_for_one_way_of_asking_spares_the_others() -> None:
    rule = {"reply": [{**A, "form": "json_schema"}, "forever"]}
    assert played(rule, call(form="json_schema"), call(form="tool"), call()) == [500, None, None]


def chosen(calls: list[Call], seed: int = 0) -> list[int | None]:
    scenario = Scenario.model_validate({"seed": seed, "chance": [{"share": 0.3, "acts": [A, B]}]})
    director = Director(scenario)
    return [act.status if act else None for act in map(director.act, calls)]


def test_chance_depends_on_the_request_and_not_on_the_order() -> None:
    calls = [call(str(number), attempt=number % 3) for number in range(400)]
    forwards, backwards = chosen(calls), chosen(calls[::-1])
    assert forwards == backwards[::-1]
    assert 80 < sum(status is not None for status in forwards) < 160
    assert set(forwards) == {None, 500, 429}
    assert forwards != chosen(calls, seed=1)


def test_a_second_attempt_has_its_own_luck() -> None:
    assert len(set(chosen([call("a", attempt=number) for number in range(40)]))) > 1
    assert len(set(chosen([call("a", attempt=None) for _ in range(40)]))) > 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("rules: [{reply: []}]", "rules.0.reply"),
        ("rules: [{reply: [same]}]", "rules.0: 'same' stands first"),
        ("rules: [{reply: [{status: 500}, forever, ok]}]", "must be the last"),
        ("latency: 5", "latency"),
        ("rules: [{reply: [{stats: 500}]}]", "stats: unknown name; an act takes: content"),
        ("rules:\n  - reply: [maybe]", "yaml:2: rules.0.reply.0: Input should be 'ok'"),
        ("rules: [{when: {rol: feel}, reply: [ok]}]", "rules.0.when.rol: unknown name; did you mean 'role'"),
        ("rulez: []", "rulez: unknown name; did you mean 'rules'"),
        ("rules: [{wen: {role: feel}, reply: [ok]}]", "rules.0.wen: unknown name; did you mean 'when'"),
        ("a: [", "broken YAML"),
        ("", "holds no mapping"),
    ],
)
def test_a_wrong_scenario_is_refused_with_its_place(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "scenario.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=says) as caught:
        load_scenario(path)
    assert "scenario.yaml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_scenario_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.yaml"):
        load_scenario(tmp_path / "none.yaml")


def test_a_scenario_may_say_next_to_nothing(tmp_path: Path) -> None:
    path = tmp_path / "scenario.yaml"
    path.write_text("{}", encoding="utf-8")
    assert load_scenario(path) == Scenario()


def test_a_field_set_to_null_is_told_from_one_that_is_not_set() -> None:
    rule = Rule.model_validate({"reply": [{"content": None}]})
    act = rule.step(0)
    assert isinstance(act, Act)
    assert (act.has("content"), act.has("usage")) == (True, False)
