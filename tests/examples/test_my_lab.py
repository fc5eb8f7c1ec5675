"""The swapping example: a package that others install, used by entry point and by module path."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import invalidate_caches
from importlib.metadata import version
from pathlib import Path

import pytest

from emoharbor.eval.config import RunConfig, load_config
from emoharbor.graphs.begin import EpisodeContext, first_state
from emoharbor.graphs.episode import build_episode, step_limit
from emoharbor.nodes.cast import Cast, build_cast, build_part
from emoharbor.nodes.parts import installed
from emoharbor.nodes.spec import PartSpec
from emoharbor.profiles.loader import load_people
from emoharbor.state.episode import EpisodeState
from emoharbor.state.errors import CastError

EXAMPLES = Path(__file__).parents[2] / "examples"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example, built from a copy (a build writes beside the sources) and installed into a folder of its own."""
    source = tmp_path_factory.mktemp("source") / "my_lab"
    target = tmp_path_factory.mktemp("site")
    shutil.copytree(EXAMPLES / "my_lab", source)
    command = [
        sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps",
        "--no-build-isolation", "--target", str(target), str(source),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture
def with_lab(lab: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make the installed package visible, and forget it afterwards."""
    monkeypatch.syspath_prepend(lab)
    invalidate_caches()
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "my_lab"]:
        del sys.modules[name]


@pytest.fixture
def config() -> RunConfig:
    """The run config that the example ships with."""
    return load_config(EXAMPLES / "swap.yaml")


def no_model(value: object, place: str) -> None:
    raise AssertionError(f"{place} asks for a model")


async def talk(cast: Cast, supporter: str, max_turns: int) -> EpisodeState:
    people = load_people("P040")
    context = EpisodeContext(supporter=supporter, max_turns=max_turns)
    graph = build_episode(cast, people.__getitem__)
    state = first_state(people["P040"], context).channels()
    return EpisodeState.from_channels(await graph.ainvoke(state, {"recursion_limit": step_limit(max_turns)}))


@pytest.mark.usefixtures("with_lab")
class TestInstalled:
    def test_its_entry_points_and_its_version_are_found(self, config: RunConfig) -> None:
        cast = build_cast(config.cast, config.supporters, no_model)  # type: ignore[arg-type]  # no model is asked for

        assert {"stoic_think", "patient_listener"} <= set(installed())
        assert cast.part("think").version == version("my-lab") == "0.1.0"
        assert {cast.supporters[name].version for name in ("by-name", "by-path")} == {"0.1.0"}

    def test_a_node_is_found_by_module_path_too(self) -> None:
        spec = PartSpec.model_validate({"use": "my_lab.think:stoic_think", "patience": "2"})

        assert build_part("think", spec, no_model, "cast.think").version == "0.1.0"  # type: ignore[arg-type]  # as above

    async def test_every_supporter_of_the_example_talks_to_the_end(self, config: RunConfig) -> None:
        cast = build_cast(config.cast, config.supporters, no_model)  # type: ignore[arg-type]  # as above

        ends = {name: await talk(cast, name, 6) for name in cast.supporters}

        assert all(end.outcome is not None and end.outcome.judged for end in ends.values())
        texts = {name: [message.text for message in end.messages] for name, end in ends.items()}
        assert texts["by-name"] == texts["by-path"] != texts["baseline"]

    async def test_the_agent_remembers_what_it_is_not_sent(self, config: RunConfig) -> None:
        cast = build_cast(config.cast, config.supporters, no_model)  # type: ignore[arg-type]  # as above

        end = await talk(cast, "by-path", 6)

        opening = end.messages[0].text.split(".")[0].strip()
        later = [message.text for message in end.messages if message.id in ("a4", "a5")]
        assert later, f"the talk ended too early to tell: {end.outcome}"
        assert all(opening in text for text in later)

    async def test_the_swapped_think_holds_back_longer(self, config: RunConfig) -> None:
        stoic = build_cast(config.cast, config.supporters, no_model)  # type: ignore[arg-type]  # as above
        usual = config.cast.model_copy(update={"think": config.cast.feel})
        plain = build_cast(usual, config.supporters, no_model)  # type: ignore[arg-type]  # as above

        held, told = await talk(stoic, "by-path", 9), await talk(plain, "by-path", 9)

        first = [min((world.turn for world in end.worlds if world.released), default=99) for end in (held, told)]
        assert first[1] < 6 <= first[0]
        assert any(fault.kind == "stoic" for fault in held.faults)


def test_without_it_the_config_is_refused_by_name(config: RunConfig) -> None:
    with pytest.raises(CastError, match=r"cast.think: no implementation is called 'stoic_think'; known: llm, offline"):
        build_cast(config.cast, config.supporters, no_model)  # type: ignore[arg-type]  # no model is asked for
