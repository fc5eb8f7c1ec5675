"""Decides what happens to a call: the rules first, then chance."""

import hashlib
from collections import Counter
from collections.abc import Hashable

from emoharbor.eval.endpoint.call import Call
from emoharbor.eval.endpoint.scenario import Act, Rule, Scenario, When

_PERSON = ("feel", "think", "speak", "fused")


class Director:
    """Plays one scenario. Keeps count of what each rule has done."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self._fitted: Counter[int] = Counter()
        self._played: Counter[Hashable] = Counter()
        self._asked: Counter[str] = Counter()

    def act(self, call: Call) -> Act | None:
        """Return what to do in place of a sensible reply, or None."""
        attempt = self._asked[call.key] if call.attempt is None else call.attempt
        self._asked[call.key] += 1
        for index, rule in enumerate(self.scenario.rules):
            found = self._by_rule(index, rule, call)
            if found is not None and _applies(found, call):
                return found
        return self._by_chance(call, attempt)

    def _by_rule(self, index: int, rule: Rule, call: Call) -> Act | None:
        if not fits(rule.when, call):
            return None
        self._fitted[index] += 1
        if not _is_in(rule.when.count, self._fitted[index]):
            return None
        scope = {"run": None, "profile": call.profile, "request": call.key}[rule.each]
        played = self._played[index, scope]
        self._played[index, scope] += 1
        return rule.step(played)

    def _by_chance(self, call: Call, attempt: int) -> Act | None:
        for index, chance in enumerate(self.scenario.chance):
            if not fits(chance.when, call):
                continue
            text = f"{self.scenario.seed} {index} {call.key} {attempt}"
            digest = hashlib.sha256(text.encode()).digest()
            if int.from_bytes(digest[:8], "big") < chance.share * 2**64:
                act = chance.acts[int.from_bytes(digest[8:16], "big") % len(chance.acts)]
                return act if _applies(act, call) else None
        return None


def fits(when: When, call: Call) -> bool:
    """Tell whether a call is one that is meant; how many there were before does not count here."""
    roles = (call.role, "user") if call.role in _PERSON else (call.role,)
    return (
        any(_is_in(when.role, role) for role in roles)
        and _is_in(when.turn, call.turn)
        and _is_in(when.profile, call.profile)
        and _is_in(when.model, call.model)
    )


def _is_in(wanted: object, found: object) -> bool:
    return wanted is None or found == wanted or (isinstance(wanted, list) and found in wanted)


def _applies(act: Act, call: Call) -> bool:
    return act.form is None or act.form == call.form
