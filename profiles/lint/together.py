"""Rules about a set of people."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from emoharbor.profiles.lint.finding import Remark, Subject, texts
from emoharbor.profiles.population import population
from emoharbor.profiles.schema import Profile
from emoharbor.profiles.similarity import overlap, pairs, shingles, story, voice
from emoharbor.profiles.stats import TRAITS, correlations, spread
from emoharbor.state.text import folded

Remarks = Iterator[tuple[Subject | None, Remark]]

STORY_BOUND, VOICE_BOUND, LINE_BOUND = 0.08, 0.12, 0.6
"""Similarity (`emoharbor.profiles.similarity`) at which two stories, all sample lines of two people, or two lines
count as near-duplicates."""
_SHORTEST_LINE = 4
"""Shorter lines ('No.') are anybody's."""
_SHORTEST_NAME = 3
_WHOLE_SET = 100
"""Sets smaller than this differ from the population by chance alone."""


def coverage(subjects: Sequence[Subject]) -> Remarks:
    """Traits of a set of a hundred or more have the means and correlations of the population."""
    people = [subject.profile for subject in subjects if isinstance(subject.profile, Profile)]
    if len(people) < _WHOLE_SET:
        return
    target = population()
    for name, measure in TRAITS.items():
        mean = spread([measure(profile) for profile in people]).mean
        if mean is not None and abs(mean - target.means[name]) > target.mean_within:
            yield None, Remark((), f"mean {name} {mean:.1f}; the population has {target.means[name]:.1f}")
    for (first, second), found in correlations(people).items():
        wanted = target.correlations[f"{first} {second}"]
        if found is None:
            yield None, Remark((), f"{first} or {second} does not vary; in the population they correlate {wanted:+.2f}")
        elif abs(found - wanted) > target.correlation_within:
            message = f"{first} and {second} correlate {found:+.2f}; in the population {wanted:+.2f}"
            yield None, Remark((), message)


def same_name(subjects: Sequence[Subject]) -> Remarks:
    """No two people share a first or a family name."""
    bearers: dict[str, list[Subject]] = defaultdict(list)
    for subject in subjects:
        person = subject.profile.person
        for part in dict.fromkeys(folded(part) for part in (person.name.split() if person else ())):
            if len(part) >= _SHORTEST_NAME or not part.isascii():
                bearers[part].append(subject)
    for found in bearers.values():
        for subject in found[1:]:
            other = found[0].profile
            message = f"{_name(subject)} shares a name with {_name(found[0])} ({other.id})"
            yield subject, Remark(("person", "name"), message)


def near_duplicates(subjects: Sequence[Subject]) -> Remarks:
    """No two stories, voices or sample lines are nearly the same."""
    by_id = {subject.profile.id: subject for subject in subjects}
    people = [subject.profile for subject in subjects]
    for what, text, bound, path in (
        ("story", story, STORY_BOUND, ("situation",)),
        ("voice", voice, VOICE_BOUND, ("person", "voice")),
    ):
        for pair in pairs(people, text):
            if pair.similarity < bound:
                break
            message = f"the {what} is much like that of {pair.first} ({pair.similarity:.2f}, bound {bound:g})"
            yield by_id[pair.second], Remark(path, message)
    yield from _lines(subjects)


def _lines(subjects: Sequence[Subject]) -> Remarks:
    where = [
        (subject, path, text, shingles(text, 1))
        for subject in subjects
        for path, text in texts(subject, ("person", "voice"))
        if path[-1] not in ("style", "description") and len(text.split()) >= _SHORTEST_LINE
    ]
    for (first, _, text, left), (second, path, _, right) in combinations(where, 2):
        if first is not second and overlap(left, right) >= LINE_BOUND:
            yield second, Remark(path, f"{text!r} of {first.profile.id} is nearly the same line")


def _name(subject: Subject) -> str:
    return subject.profile.person.name if subject.profile.person else subject.profile.id
