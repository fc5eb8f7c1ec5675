"""Length and manner of the messages against the profile's voice.

The profile's lines say how often this person does a thing: ends without a stop, begins with a small letter, shouts,
makes lists. When `k` of `n` lines show a mark, the number of messages that show it is beta-binomial (Jeffreys' prior).
An episode whose messages show a mark far too often or far too seldom was not written by this person. A whole episode is
judged, since one message says little.
"""

from collections.abc import Iterator
from functools import lru_cache
from math import exp, lgamma
from statistics import median

from emoharbor.eval.audit.case import Case
from emoharbor.eval.audit.finding import Finding
from emoharbor.eval.audit.voice import MARKS, TOLD, Voice, scripts_of, size_of

_LEAST_MESSAGES, _LEAST_FOR_LENGTH = 2, 4
"""Messages below which nothing can be said about a manner, and about the usual length."""
_TOGETHER = 5
"""How many times as likely as the limit each of two marks may be that count together."""


def style(case: Case) -> Iterator[Finding]:
    """How the messages differ from the person's voice."""
    for said in case.said:
        if len(said.text) > case.limits.longest:
            yield case.finding(said, "style", "report", f"{len(said.text)} characters; this is a chat")
    voice = case.person.voice
    if voice is None or len(case.said) < _LEAST_MESSAGES:
        return
    if len(case.said) >= _LEAST_FOR_LENGTH:
        yield from _length(case, voice)
    yield from _script(case, voice)
    yield from _marks(case, voice)


def _length(case: Case, voice: Voice) -> Iterator[Finding]:
    middle = median(size_of(said.text) for said in case.said)
    ratio, most = middle / voice.size, case.limits.length_ratio
    if 1 / most <= ratio <= most:
        return
    far = max(case.said, key=lambda said: abs(size_of(said.text) - voice.size))
    why = f"messages of {middle:.0f} letters (the middle one); this person's lines have {voice.size:.0f}"
    yield case.finding(far, "style", "length", why)


def _script(case: Case, voice: Voice) -> Iterator[Finding]:
    for said in case.said:
        if other := scripts_of(said.text) - voice.scripts:
            yield case.finding(said, "style", "script", f"written in {', '.join(sorted(other))}, which no line is")
            return


def _marks(case: Case, voice: Voice) -> Iterator[Finding]:
    """Marks that are too unlikely: one by itself, or two of which each alone might be chance."""
    unlikely: list[tuple[float, Finding]] = []
    for name, test in MARKS.items():
        having = [test(said.text) for said in case.said]
        seen, shown = sum(having), voice.shown[name]
        many, chance = _surprise(seen, len(having), shown, voice.lines)
        if chance < _TOGETHER * case.limits.style_chance:
            why = f"{seen} of {len(having)} messages {TOLD[name]}; {shown} of this person's {voice.lines} lines do"
            unlikely.append((chance, case.finding(case.said[having.index(many)], "style", name, why)))
    if len(unlikely) > 1 or any(chance < case.limits.style_chance for chance, _ in unlikely):
        yield from (finding for _, finding in unlikely)


@lru_cache(maxsize=65536)
def _surprise(seen: int, of: int, shown: int, lines: int) -> tuple[bool, float]:
    """Return whether a mark is seen more often than expected, and how likely so many, or so few, would be."""
    many = seen * (lines + 1) > of * (shown + 0.5)
    span = range(seen, of + 1) if many else range(seen + 1)
    return many, sum(_beta_binomial(count, of, shown + 0.5, lines - shown + 0.5) for count in span)


def _beta_binomial(count: int, of: int, alpha: float, beta: float) -> float:
    choose = lgamma(of + 1) - lgamma(count + 1) - lgamma(of - count + 1)
    return exp(choose + _log_beta(count + alpha, of - count + beta) - _log_beta(alpha, beta))


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)
