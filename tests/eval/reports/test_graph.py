"""The picture of a cast's graph, in three forms."""

from collections.abc import Callable
from types import MappingProxyType
from xml.etree import ElementTree

import pytest
from langgraph.graph import END, START

from emoharbor.eval.reports.drawing import drawing_of
from emoharbor.eval.reports.flow import flow
from emoharbor.eval.reports.mermaid import mermaid
from emoharbor.eval.reports.svg import svg
from emoharbor.graphs.episode import build_episode
from emoharbor.nodes.cast import Cast, Part
from emoharbor.nodes.contract import Runtime
from emoharbor.profiles.schema import PartialProfile
from emoharbor.state.base import Role
from emoharbor.state.episode import Channels
from emoharbor.state.updates import SpeakUpdate

Golden = Callable[[str, str], None]


async def _node(_state: Channels, _runtime: Runtime) -> SpeakUpdate:
    return SpeakUpdate(message="never said")


def _part(role: Role, use: str = "offline", model: str | None = None) -> Part:
    return Part(role, use, {}, "0", model, _node)


def _cast(*user: Role, judge: bool = True, supporters: tuple[str, ...] = ("generic", "attuned")) -> Cast:
    under_test = MappingProxyType({name: _part("supporter") for name in supporters})
    return Cast(tuple(_part(role) for role in user), _part("judge") if judge else None, under_test)


CASTS = {
    "whole": _cast("feel", "think", "speak"),
    "no_feel": _cast("think", "speak"),
    "no_think": _cast("feel", "speak"),
    "alone": _cast("speak"),
    "fused": _cast("fused"),
    "user": _cast("feel", "think", "speak", judge=False, supporters=()),
    "unjudged": _cast("feel", "think", "speak", judge=False),
}


@pytest.mark.parametrize("name", ["whole", "alone", "fused"])
@pytest.mark.parametrize(("form", "suffix"), [(flow, "txt"), (mermaid, "mmd"), (svg, "svg")])
def test_a_drawing_is_as_in_the_golden_file(name: str, form: Callable[..., str], suffix: str, golden: Golden) -> None:
    golden(f"graph_{name}.{suffix}", form(drawing_of(CASTS[name])))


@pytest.mark.parametrize("cast", CASTS.values(), ids=CASTS.keys())
def test_every_arrow_is_an_edge_of_the_compiled_graph_and_only_entries_and_failures_are_left_out(cast: Cast) -> None:
    def nobody(name: str) -> PartialProfile:
        raise KeyError(name)

    edges = {(edge.source, edge.target) for edge in build_episode(cast, nobody).get_graph().edges}
    drawn = {(arrow.source, arrow.target) for arrow in drawing_of(cast).arrows}

    assert drawn <= edges
    assert {edge for edge in edges - drawn if edge[0] != START and edge[1] != END} == set()
    assert (START, cast.chain[0]) in drawn
    assert [edge for edge in drawn if edge[1] == END]


@pytest.mark.parametrize("cast", CASTS.values(), ids=CASTS.keys())
def test_every_svg_is_well_formed_and_inside_its_own_frame(cast: Cast) -> None:
    root = ElementTree.fromstring(svg(drawing_of(cast)))  # noqa: S314 - our own text
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    spots = [
        (float(item.attrib["x"]), float(item.attrib["y"]))
        for item in root.iter()
        if item.tag.rpartition("}")[2] in ("rect", "text")
    ]

    assert spots
    assert all(0 <= x <= width and 0 <= y <= height for x, y in spots)


def test_names_of_parts_cannot_break_out_of_the_picture() -> None:
    cast = _cast("speak", supporters=('"]; click x "javascript:', "</text><script>alert(1)</script>"))
    picture, diagram = svg(drawing_of(cast)), mermaid(drawing_of(cast))

    assert "<script" not in picture
    assert "<script" not in diagram
    assert '"];' not in diagram.replace('"]\n', "")
    ElementTree.fromstring(picture)  # noqa: S314 - our own text, and that it parses is the test


def test_many_supporters_and_long_names_fit_their_box() -> None:
    names = tuple(f"a-very-long-name-of-a-supporter-{number}" for number in range(9))
    text = svg(drawing_of(_cast("speak", supporters=names)))

    assert "and 7 more" in text
    assert names[0] not in text
