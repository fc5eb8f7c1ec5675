"""The table of rules, and running them."""

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources.abc import Traversable

from emoharbor.profiles.lint import contradictions, leaks, together, whole
from emoharbor.profiles.lint.finding import Each, Finding, Remark, Subject, Together
from emoharbor.profiles.lint.words import Languages
from emoharbor.profiles.loader import load_partial
from emoharbor.state.errors import ProfileError
from emoharbor.state.yamlfile import nearest

EACH: Mapping[str, Each] = {
    "missing-field": whole.missing_field,
    "file-name": whole.file_name,
    "drafted": whole.drafted,
    "length": whole.length,
    "age-history": contradictions.age_history,
    "pace": contradictions.pace,
    "trait-voice": contradictions.trait_voice,
    "needs-lands": contradictions.needs_lands,
    "risk-marked": contradictions.risk_marked,
    "named-traits": leaks.named_traits,
    "rubric-words": leaks.rubric_words,
    "situation-person": leaks.situation_person,
    "guarded-given": leaks.guarded_given,
    "guarded-trust": leaks.guarded_trust,
}
"""Rules about one person, by id."""
TOGETHER: Mapping[str, Together] = {
    "same-name": together.same_name,
    "near-duplicates": together.near_duplicates,
    "coverage": together.coverage,
}
"""Rules about a set, by id."""
BROKEN, SILENCE = "broken", "silence"
"""What is said of a file that cannot be read, and of a silence that is not needed. Neither can be silenced."""


def rules() -> dict[str, str]:
    """Return what each rule asks for, by id."""
    found = {name: inspect.getdoc(check) or "" for name, check in {**EACH, **TOGETHER}.items()}
    return {name: " ".join(text.split()) for name, text in found.items()}


def lint(files: Iterable[Traversable]) -> list[Finding]:
    """Return everything that the rules find, silenced findings with their reason, ordered by file and line."""
    languages = Languages()
    subjects: list[Subject] = []
    found: list[Finding] = []
    for source in files:
        try:
            profile, file = load_partial(source)
        except ProfileError as error:
            found.append(_broken(source, str(error)))
            continue
        subjects.append(Subject(profile, file, languages.of(profile.language)))
    found += (
        _finding(rule, subject, remark)
        for subject in subjects
        for rule, check in EACH.items()
        for remark in check(subject)
    )
    found += (_finding(rule, *item) for rule, check in TOGETHER.items() for item in check(subjects))
    return sorted([*found, *_idle(subjects, found)], key=lambda item: (item.file, item.line, item.rule))


def _finding(rule: str, subject: Subject | None, remark: Remark) -> Finding:
    if subject is None:
        return Finding(rule, "", 0, remark.message)
    reason = next((item.reason for item in subject.profile.lint if item.rule == rule), "")
    return Finding(rule, str(subject.file.source), subject.line(remark.path), remark.message, reason)


def _broken(source: Traversable, message: str) -> Finding:
    match = re.match(rf"{re.escape(str(source))}:(\d+): ", message)
    finding = Finding(BROKEN, str(source), 1, message.removeprefix(f"{source}: "))
    return replace(finding, line=int(match[1]), message=message[match.end() :]) if match else finding


def _idle(subjects: Sequence[Subject], found: Sequence[Finding]) -> Iterator[Finding]:
    """Yield a finding for each silence that names no rule, or silences nothing any more."""
    used = {(item.file, item.rule) for item in found}
    for subject in subjects:
        file = str(subject.file.source)
        for at, silence in enumerate(subject.profile.lint):
            line = subject.line(("lint", at))
            known = EACH.keys() | TOGETHER.keys()
            if silence.rule not in known:
                yield Finding(
                    SILENCE, file, line, f"no rule is called {silence.rule!r}; {nearest(silence.rule, known)}"
                )
            elif (file, silence.rule) not in used:
                yield Finding(SILENCE, file, line, f"{silence.rule} finds nothing here any more; remove the silence")
