"""Going on with a run by its folder alone: config and people as its manifest names them."""

from pathlib import Path

from emoharbor.eval.assembly import assemble
from emoharbor.eval.run import Run
from emoharbor.eval.runs.manifest import Manifest, read_manifest
from emoharbor.eval.runs.plan import Selection
from emoharbor.eval.runs.progress import OnProgress
from emoharbor.eval.runs.start import Options, run_assembly
from emoharbor.nodes.models.client import Models
from emoharbor.profiles.loader import load_people
from emoharbor.profiles.schema import Profile
from emoharbor.state.errors import RunFolderError


def people_of(manifest: Manifest) -> dict[str, Profile]:
    """Return the people of a run, in its order; of a branch, the one.

    Raises:
        ProfileError: when a file it names is not there any more.
        RunFolderError: when one of them is not in it.
    """
    found = load_people(manifest.config.profiles)
    missing = [name for name in manifest.profiles if name not in found]
    if missing:
        raise RunFolderError(f"{missing[0]}: this person is no longer among {', '.join(manifest.config.profiles)}")
    return {name: found[name] for name in manifest.profiles}


async def resume_run(
    folder: Path | str,
    *,
    on_progress: OnProgress | None = None,
    only: Selection | None = None,
    heed_signals: bool = False,
) -> Run:
    """Go on with a run by its folder alone, for example with a branch that was just made.

    Args:
        folder: the run folder.
        on_progress: told how far the run is.
        only: a part of the run.
        heed_signals: as in `evaluate`.

    Raises:
        UserError: when it cannot be gone on with.
    """
    manifest = read_manifest(Path(folder))
    async with Models() as models:
        assembly = assemble(manifest.config, models, people_of(manifest))
        how = Options(
            resume=True, on_progress=on_progress, only=only, heed_signals=heed_signals, reports=models.report,
            waited=models.waited,
        )  # fmt: skip
        return await run_assembly(assembly, Path(folder), how)
