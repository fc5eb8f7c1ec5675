"""Counterfactual people: who rates a talk in another's stead, as the control for personalisation.

Two ways. A **donor** lends their `person` block to somebody else's situation: unlike them in personality, needs, coping
and voice, and able to have lived that situation. **Partners** are two whole people who rate each other's talks. Both
follow from the profiles alone, so that they are the same every time.

Distance, 0 to 1, is the mean of four parts, each 0 to 1:

- personality: the mean of the difference of the five traits (of 100), of the two dimensions of attachment (low, mid,
  high as 0, 0.5, 1), and of pace, resistance and volatility (of 4);
- needs: 1 minus what is shared, where the primary need weighs two thirds and the secondary one third;
- coping: 1 minus the share of styles in common (Jaccard);
- voice: 1 for another style of expression, else 0.

A donor is compatible when nothing about them contradicts the situation: within ten years of age; same region, since a
situation's money, schools and families are those of a place; same standing in partnership (none, partnered, parted),
parenthood (none, child at home, grown up) and work (student, working, not working), since situations tell of partners,
children and jobs. Gender is free: situations do not tell it. The donor is the most unlike of those who are compatible.
Where none of them is at least `FAR` away, rules are given up one after the other, in the order of `LOOSENED`, and what
was given up is recorded.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from statistics import fmean

from emoharbor.profiles.schema import Person, Profile
from emoharbor.state.base import Frozen
from emoharbor.state.errors import ProfileError

FAR = 0.65
"""Distance from which two people count as opposite enough."""
AGES = 10
"""Years by which a donor may be older or younger."""
LOOSENED = ("work", "region", "age", "partnership", "parenthood")
"""The rules, the one that is given up first first: a job or a place is a detail of most situations, a child is not."""
_LEVELS = {"low": 0.0, "mid": 0.5, "high": 1.0}
_PARTNERSHIP = {
    "single": "none", "dating": "partnered", "married": "partnered", "cohabiting": "partnered",
    "just out of a relationship": "parted", "divorced": "parted", "divorcing": "parted", "widowed": "parted",
}  # fmt: skip
_PARENTHOOD = {"none": "none", "grown up": "grown up"}
_WORK = {
    "student": "student",
    "between jobs": "not working",
    "at home with family": "not working",
    "retired": "not working",
}


class Distance(Frozen):
    """How unlike two people are: four parts, each from 0 (the same) to 1 (opposite)."""

    personality: float
    needs: float
    coping: float
    voice: float

    @property
    def total(self) -> float:
        """Their mean."""
        return fmean((self.personality, self.needs, self.coping, self.voice))


class Donor(Frozen):
    """Who rates in somebody's stead."""

    id: str
    distance: Distance
    loosened: tuple[str, ...] = ()
    """Rules of compatibility that do not hold for the two."""


def distance(one: Person, other: Person) -> Distance:
    """Return how unlike two people are."""
    traits = fmean(
        abs(getattr(one.traits, name) - getattr(other.traits, name)) / 100 for name in type(one.traits).model_fields
    )
    attachment = fmean(
        abs(_LEVELS[getattr(one.attachment, name)] - _LEVELS[getattr(other.attachment, name)])
        for name in ("anxiety", "avoidance")
    )
    manner = fmean(
        abs(getattr(one, name) - getattr(other, name)) / 4 for name in ("disclosure_pace", "resistance", "volatility")
    )
    styles, others = set(one.coping), set(other.coping)
    return Distance(
        personality=fmean((traits, attachment, manner)),
        needs=1 - _shared_needs(one, other),
        coping=1 - len(styles & others) / len(styles | others),
        voice=float(one.voice.style != other.voice.style),
    )


def contradictions(one: Person, other: Person) -> tuple[str, ...]:
    """Return the rules that keep one from having lived the other's situation."""
    apart = {
        "age": abs(one.age - other.age) > AGES,
        "region": one.region != other.region,
        "partnership": _of(_PARTNERSHIP, one.relationship) != _of(_PARTNERSHIP, other.relationship),
        "parenthood": _of(_PARENTHOOD, one.children, "at home") != _of(_PARENTHOOD, other.children, "at home"),
        "work": _of(_WORK, one.occupation_group, "working") != _of(_WORK, other.occupation_group, "working"),
    }
    return tuple(rule for rule in LOOSENED if apart[rule])


def donor_for(profile: Profile, pool: Iterable[Profile]) -> Donor:
    """Return who of a pool is opposite enough, fits the situation best, and then is most unlike; ties: the smaller id.

    Raises:
        ProfileError: when the pool holds nobody else.
    """
    others = [other for other in pool if other.id != profile.id]
    if not others:
        raise ProfileError(f"{profile.id}: there is nobody else who could rate in their stead")
    found = [
        Donor(id=other.id, distance=distance(profile.person, other.person),
              loosened=contradictions(profile.person, other.person))
        for other in others
    ]  # fmt: skip
    return min(found, key=_preference)


def partners(people: Sequence[Profile]) -> dict[str, Donor]:
    """Return whom each person exchanges the seat with: the most unlike pair first, then of the rest, and so on.

    Of an odd number, one stays without a partner and is left out.
    """
    ordered = sorted(people, key=lambda profile: profile.id)
    pairs = [(one.id, other.id, distance(one.person, other.person)) for one, other in combinations(ordered, 2)]
    found: dict[str, Donor] = {}
    for one, other, apart in sorted(pairs, key=lambda pair: (-pair[2].total, pair[0], pair[1])):
        if one not in found and other not in found:
            found[one], found[other] = Donor(id=other, distance=apart), Donor(id=one, distance=apart)
    return {profile.id: found[profile.id] for profile in people if profile.id in found}


def recombined(profile: Profile, donor: Profile) -> Profile:
    """Return one person's situation with another's person. What they would say about it nobody has written."""
    return Profile(
        id=f"{profile.id}~{donor.id}", language=profile.language, situation=profile.situation, person=donor.person
    )


def _preference(donor: Donor) -> tuple[bool, int, float, str]:
    apart = donor.distance.total
    return apart < FAR, _given_up(donor.loosened), -apart, donor.id


def _given_up(loosened: Sequence[str]) -> int:
    """Return how far down the list of rules one has to go; all rules up to there may be broken."""
    return max((LOOSENED.index(rule) + 1 for rule in loosened), default=0)


def _shared_needs(one: Person, other: Person) -> float:
    weights = ({person.needs.primary: 2 / 3, person.needs.secondary: 1 / 3} for person in (one, other))
    mine, theirs = weights
    return sum(min(weight, theirs.get(need, 0.0)) for need, weight in mine.items())


def _of(groups: Mapping[str, str], value: str, rest: str | None = None) -> str:
    """Return the group of a value; a value of nobody's list is a group of its own, or belongs to the rest."""
    return groups.get(value, value if rest is None else rest)
