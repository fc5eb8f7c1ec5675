"""Who is there to rate a run again: its people as they were, the people who rate in their stead, and the judge."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from emoharbor.eval.assembly import Assembly, check_prices
from emoharbor.eval.config import Limits
from emoharbor.eval.judging.kinship import check_self_judging, kinship
from emoharbor.eval.judging.naming import named_judge
from emoharbor.eval.judging.records import DonorRecord, JudgeRecord, judge_record
from emoharbor.eval.judging.request import Bench, Request
from emoharbor.eval.runs.manifest import Manifest
from emoharbor.eval.shelf import OpensModels, Shelf
from emoharbor.graphs.route import takes_in
from emoharbor.nodes.cast import build_cast
from emoharbor.nodes.models.settings import ModelSettings
from emoharbor.profiles.donors import Donor, donor_for, partners, recombined
from emoharbor.profiles.loader import bundled, load_people
from emoharbor.profiles.schema import PartialProfile, Profile
from emoharbor.state.errors import ConfigError, ProfileError, RunFolderError
from emoharbor.state.verdict import Control


@dataclass(frozen=True, slots=True)
class Seats:
    """All that rating a run again takes.

    Attributes:
        assembly: the person's roles (for a replay) and the judge; no supporter.
        record: the judge, as the manifest will have it.
        bench: who rates, as whom.
        warnings: what deserves a look, one line each.
    """

    assembly: Assembly
    record: JudgeRecord
    bench: Bench
    warnings: tuple[str, ...]


def take_seats(
    manifest: Manifest, people: Mapping[str, PartialProfile], request: Request, models: OpensModels, limits: Limits
) -> Seats:
    """Build the judge and find who rates in whose stead, before any call is made.

    Args:
        manifest: of the run.
        people: of the run.
        request: what is asked for.
        models: opens the models.
        limits: what judging may use.

    Raises:
        UserError: for a mistake in the request, a judge that is under test, a price that is not known.
    """
    name, spec = named_judge(manifest, request.judge, request.rubric)
    run = manifest.config.run.model_copy(update={"allow_self_judging": _allowed(manifest, request)})
    config = manifest.config.model_copy(update={
        "run": run, "cast": manifest.config.cast.model_copy(update={"judge": spec}), "limits": limits,
    })  # fmt: skip
    shelf = Shelf(config, models)
    user = config.cast.user if request.control == "replay" else ()
    cast = build_cast(config.cast.model_copy(update={"user": user}), (), shelf.get)
    if cast.judge is None:
        raise ConfigError("there is no judge")
    used = {**shelf.used, **_supporters(manifest)}
    check_self_judging(config, used)
    check_prices(config, shelf.used)
    settings = shelf.used.get("cast.judge.model")
    record = judge_record(cast.judge, settings, name=name, own=False)
    if record is None:
        raise ConfigError(f"--judge {name}: says nothing about the rubric it rates on")
    record = _known(manifest, record)
    donors, everybody = _stand_ins(manifest, people, request)
    bench = Bench(record.judge_id, record.own, takes_in(manifest.config.cast.user), everybody, donors)
    assembly = Assembly(config, cast, everybody, shelf.used)
    return Seats(assembly, record, bench, tuple(kinship(used)))


def people_of(manifest: Manifest, people: Mapping[str, PartialProfile] | None = None) -> dict[str, PartialProfile]:
    """Return a run's people as they were when it was run.

    Args:
        manifest: of the run.
        people: the people; None loads those that the config names.

    Raises:
        RunFolderError: when one of them is not there any more, or has changed since.
    """
    try:
        found = load_people(manifest.config.profiles) if people is None else people
    except ProfileError as error:
        raise RunFolderError(f"the run's people cannot be read any more: {error}") from None
    for name, sha in manifest.profiles.items():
        if name not in found:
            raise RunFolderError(f"profile {name} of the run is not there any more; put its file back where it was")
        if _sha(found[name]) != sha:
            raise RunFolderError(f"profile {name} has changed since the run; put the file back as it was")
    return {name: found[name] for name in manifest.profiles}


def _known(manifest: Manifest, record: JudgeRecord) -> JudgeRecord:
    """Return the record that the manifest has of this judge already, or the new one with a name of its own.

    A run without a judge takes the first that rates it for its own; one from before judges were recorded takes the one
    that its config names, as long as prompts and rubric are still what they were.
    """
    known = next((item for item in manifest.judges if item.judge_id == record.judge_id), None)
    if known is not None:
        return known
    is_first = not manifest.judges and (manifest.rubric is None or _is_unchanged(manifest, record))
    names = {item.name for item in manifest.judges}
    name = record.name if record.name not in names else f"{record.name} {record.judge_id[:6]}"
    return record.model_copy(update={"own": is_first, "name": name})


def _is_unchanged(manifest: Manifest, record: JudgeRecord) -> bool:
    rubric = manifest.rubric is not None and manifest.rubric.id == record.rubric.id
    return record.name == "judge" and rubric and record.prompts.items() <= manifest.prompts.items()


def _stand_ins(
    manifest: Manifest, people: Mapping[str, PartialProfile], request: Request
) -> tuple[dict[str, DonorRecord], dict[str, PartialProfile]]:
    """Return who rates in whose stead, and everybody who rates."""
    everybody: dict[str, PartialProfile] = dict(people)
    if request.control is None:
        return {}, everybody
    whole = [profile for profile in people.values() if isinstance(profile, Profile)]
    pool = {**bundled(), **{profile.id: profile for profile in whole}}
    found = _recorded(manifest, request.control, pool)
    found |= _chosen(request.control, [profile for profile in whole if profile.id not in found], pool)
    if not found:
        raise ConfigError(
            f"--counterfactual {request.control}: needs {'two whole people' if whole else 'whole people'} in the run"
        )
    for name, donor in found.items():
        other = pool[donor.id]
        stand_in = other if request.control == "profile" else recombined(pool[name], other)
        everybody[stand_in.id] = stand_in
    return found, everybody


def _chosen(control: Control, whole: list[Profile], pool: Mapping[str, Profile]) -> dict[str, DonorRecord]:
    if control == "profile":
        donors: Mapping[str, Donor] = partners(whole)
    else:
        donors = {profile.id: donor_for(profile, pool.values()) for profile in whole}
    return {
        name: DonorRecord(**donor.model_dump(), sha256=_sha(pool[donor.id])) for name, donor in donors.items()
    }  # fmt: skip


def _recorded(manifest: Manifest, control: Control, pool: Mapping[str, Profile]) -> dict[str, DonorRecord]:
    """Return who rated before: they do so again.

    Raises:
        RunFolderError: when one of them has changed or is not there any more.
    """
    found = manifest.donors.get(control) or (manifest.donors.get("person", {}) if control == "replay" else {})
    for name, donor in found.items():
        if donor.id not in pool or _sha(pool[donor.id]) != donor.sha256:
            raise RunFolderError(f"profile {donor.id}, who rated in the stead of {name}, has changed since then")
    return dict(found)


def _supporters(manifest: Manifest) -> dict[str, ModelSettings]:
    """Return the settings of the models under test, as the manifest has them."""
    return {
        place: ModelSettings.model_validate(found)
        for place, found in manifest.models.items()
        if place.startswith("supporters.")
    }


def _allowed(manifest: Manifest, request: Request) -> bool | tuple[str, ...]:
    allowed = manifest.config.run.allow_self_judging
    return allowed if allowed is True else (*(allowed or ()), *request.allow)


def _sha(profile: PartialProfile) -> str:
    return hashlib.sha256(profile.model_dump_json().encode()).hexdigest()
