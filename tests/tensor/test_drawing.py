"""Drawings of planned graphs: well-formed, of bounded size, with repeated parts once, whatever names models have."""

from __future__ import annotations

from xml.etree import ElementTree

from tests.tensor.explained import chain, small_graph
from walle.tensor.drawing import MAX_ROWS, explanation_svg
from walle.tensor.explaining import explanation_of
from walle_task.tensor.building import GraphBuilder
from walle_task.tensor.graph import Graph
from walle_task.tensor.planning import plan_execution

SVG = "{http://www.w3.org/2000/svg}"


def drawn(graph: Graph) -> ElementTree.Element:
    return ElementTree.fromstring(explanation_svg(explanation_of(plan_execution(graph))))


def texts(picture: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in picture.iter(f"{SVG}text")]


def test_each_step_is_a_column_with_its_nodes():
    picture = drawn(small_graph())
    found = texts(picture)
    steps = ["imported", "lowered", "constant folding", "vertical merging", "horizontal merging", "unread values"]
    assert [text for text in found if text in steps] == steps
    assert "convolution [1, 3, 4, 4] 1.73 kFLOP" in found
    assert "5 nodes: 2 composite, 2 transform, 1 atomic" in found


def test_what_is_drawn_lies_within_the_picture():
    picture = drawn(small_graph())
    width, height = (float(picture.attrib[name]) for name in ("width", "height"))
    for box in picture.iter(f"{SVG}rect"):
        if box.attrib["width"] != "100%":
            assert 0 <= float(box.attrib["x"]) <= width - float(box.attrib["width"])
            assert 0 <= float(box.attrib["y"]) <= height - float(box.attrib["height"])


def test_repeated_parts_are_drawn_once():
    building = GraphBuilder("deep")
    x = building.input("x", "float32", (3, 3))
    for _ in range(50):
        x = building.add("tanh", building.add("exp", x))
    building.output(x)
    found = texts(drawn(building.build()))
    assert found.count("50 times") == 6
    assert found.count("tanh [3, 3] 9 FLOP") == 6


def test_an_arc_leads_to_what_is_read_later():
    building = GraphBuilder("skip")
    x = building.input("x", "float32", (3,))
    early = building.add("exp", x)
    building.output(building.add("add", early, building.add("sin", building.add("cos", early))))
    assert len(list(drawn(building.build()).iter(f"{SVG}path"))) == 6


def test_names_of_models_cannot_be_more_than_text():
    hostile = "<script>alert(1)</script>&\"'" + "x" * 900
    picture = drawn(small_graph(hostile))
    assert not list(picture.iter(f"{SVG}script"))
    assert texts(picture)[0].startswith("<script>alert(1)</script>&\"'xxx")
    assert max(map(len, texts(picture))) <= 200


def test_a_very_long_graph_is_drawn_in_part():
    picture = drawn(chain(MAX_ROWS + 100))
    assert any(text.startswith("... ") and text.endswith(" more nodes") for text in texts(picture))
    assert len(texts(picture)) < 7 * (MAX_ROWS + 20)
