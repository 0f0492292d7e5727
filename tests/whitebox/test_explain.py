"""Plans explained: as text, as JSON data, and as a drawing."""

import json
import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from tests.whitebox.pipelines import PROGRAMS, attendees, sentiment, words
from walle.whitebox.flour import Flour
from walle.whitebox.oven import explain_json, explain_svg, explain_text

SVG = "{http://www.w3.org/2000/svg}"
PHYSICAL = {"stage-1": "ngrams, dot"}


def test_text_shows_stages_outputs_and_what_rules_did():
    lines = explain_text(sentiment().plan(), PHYSICAL).splitlines()
    assert lines[0] == "columns: review (text)"
    assert lines[2] == "stage-1: inputs review; outputs lowercase, linear+0"
    assert "    linear+0 = linear(normalize, weights[0:121]) -> vector of 1" in lines
    assert "    executed by ngrams, dot" in lines
    assert "label: threshold" in lines
    assert "classes: bad, good" in lines
    at = lines.index("  stage optimisation: push linear models")
    assert lines[at + 1] == "    - linear = linear(concat) -> vector of 1"
    assert "    + linear = sum(linear+0, linear+1) -> vector of 1" in lines[at:]


def test_text_has_a_paragraph_for_each_stage():
    paragraphs = explain_text(sentiment().plan()).split("\n\n")
    assert [each.partition(":")[0] for each in paragraphs] == [
        *("columns", "stage-1", "stage-2", "label", "rules that were applied")
    ]


def test_long_lists_of_inputs_are_shortened():
    plan = Flour.numbers(*(f"n{at}" for at in range(30))).regression().plan()
    assert "concat = concat(n0, n1, n2, n3, n4, n5, ... 24 more) -> vector of 30" in explain_text(plan)


def test_json_has_every_transformation_with_its_annotations():
    plan = attendees().plan()
    found = json.loads(json.dumps(explain_json(plan, PHYSICAL)))
    steps = {each["id"]: each for stage in found["stages"] for each in stage["transformations"]}
    assert steps.keys() == {each.id for each in plan.graph.transformations}
    pca = steps["pca"]
    assert (pca["flow"], pca["bound"], pca["vectorizable"], pca["type"]) == ("n-to-1", "compute", True, "vector of 2")
    assert pca["parameters"]["components"]["shape"] == [2, 4]
    assert found["stages"][0]["physical"] == "ngrams, dot"
    assert found["stages"][1]["physical"] is None
    assert found["stages"][0]["identity"] == plan.stages[0].identity
    assert [each["rule"] for each in found["rules"]] == [each.rule for each in plan.trace]
    assert found["outputs"] == {"value": "trees"}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_drawing_has_boxes_beside_each_other_and_below_what_they_take(program):
    drawing = explain_json(program().plan())["drawing"]
    boxes = {each["id"]: each for each in drawing["boxes"]}
    for start, end in drawing["edges"]:
        assert boxes[start]["y"] + boxes[start]["height"] < boxes[end]["y"]
    for each in boxes.values():
        assert each["x"] + each["width"] <= drawing["width"]
        assert each["width"] >= 7 * max(map(len, each["lines"]))
        assert each["y"] + each["height"] <= drawing["height"]
        for other in boxes.values():
            apart = each["x"] + each["width"] < other["x"] or other["x"] + other["width"] < each["x"]
            assert each is other or each["y"] != other["y"] or apart


def test_the_edges_are_what_stages_take():
    edges = explain_json(sentiment().plan())["drawing"]["edges"]
    assert edges == [["columns", "stage-1"], ["stage-1", "stage-2"], ["stage-2", "outputs"]]


def test_a_drawing_is_a_document_with_a_box_and_lines_for_each_stage():
    name = 'a < b & "c"'
    plan = words(Flour.text(name)).linear([[0.5] * 100]).regression().plan()
    root = ET.fromstring(explain_svg(plan, PHYSICAL))
    texts = [each.text for each in root.iter(f"{SVG}text")]
    assert f"{name}: text" in texts
    assert "executed by ngrams, dot" in texts
    assert len(list(root.iter(f"{SVG}rect"))) == 3
    assert len([each for each in root.iter(f"{SVG}path") if each.get("marker-end")]) == 2


def boxes_of(root: ET.Element) -> list[tuple[float, float, float, float]]:
    """The left, upper, right and lower edge of each box."""
    sides = ([float(rect.attrib[name]) for name in ("x", "y", "width", "height")] for rect in root.iter(f"{SVG}rect"))
    return [(x, y, x + width, y + height) for x, y, width, height in sides]


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_line_is_written_below_the_one_before_it_and_in_its_box(program):
    root = ET.fromstring(explain_svg(program().plan()))
    written = [(float(each.attrib["x"]), float(each.attrib["y"])) for each in root.iter(f"{SVG}text")]
    for left, upper, right, lower in boxes_of(root):
        inside = [y for x, y in written if left < x < right and upper < y < lower]
        assert len(inside) >= 2
        assert all(below - above >= 12 for above, below in pairwise([upper, *inside]))
        written = [(x, y) for x, y in written if not (left < x < right and y in inside)]
    assert not written


@pytest.mark.parametrize("program", PROGRAMS)
def test_an_arrow_leads_down_from_the_middle_of_a_box_to_the_middle_of_another(program):
    root = ET.fromstring(explain_svg(program().plan()))
    boxes = boxes_of(root)
    lower = {((left + right) / 2, bottom) for left, _, right, bottom in boxes}
    upper = {((left + right) / 2, top) for left, top, right, _ in boxes}
    ways = [each.attrib["d"] for each in root.iter(f"{SVG}path") if each.get("marker-end")]
    assert ways
    for way in ways:
        numbers = [float(each) for each in re.findall(r"[\d.]+", way)]
        start, first, second, end = zip(numbers[::2], numbers[1::2], strict=True)
        assert start in lower
        assert end in upper
        assert (start[0], end[0]) == (first[0], second[0])
        assert start[1] < first[1] < end[1] > second[1] > start[1]


def test_a_drawing_of_many_columns_stays_readable():
    numbers = Flour.numbers(*(f"{at:03}{'n' * 150}" for at in range(200)))
    drawing = explain_json(numbers.regression().plan())["drawing"]
    lines = drawing["boxes"][0]["lines"]
    assert len(lines) == 40
    assert lines[-1] == "... 161 more"
    assert max(map(len, lines)) == 110
