"""Plans explained: as text, as JSON data, and as a drawing."""

import json
import xml.etree.ElementTree as ET

import pytest

from tests.whitebox.pipelines import PROGRAMS, attendees, sentiment, words
from walle.whitebox.flour import Flour
from walle.whitebox.oven import explain_json, explain_svg, explain_text

SVG = "{http://www.w3.org/2000/svg}"
PHYSICAL = {"stage-1": "ngrams, dot"}


def test_text_shows_stages_outputs_and_what_rules_did():
    lines = explain_text(sentiment().plan(), PHYSICAL).splitlines()
    assert lines[0] == "columns: review (text)"
    assert lines[2] == "stage-1: from review; gives lowercase, linear+0"
    assert "    linear+0 = linear(normalize, weights[0:121]) -> vector of 1" in lines
    assert "    executed by ngrams, dot" in lines
    assert "label: threshold" in lines
    assert "classes: bad, good" in lines
    at = lines.index("  stage optimisation: push linear models")
    assert lines[at + 1] == "    - linear = linear(concat) -> vector of 1"
    assert "    + linear = sum(linear+0, linear+1) -> vector of 1" in lines[at:]


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


def test_a_drawing_of_many_columns_stays_readable():
    numbers = Flour.numbers(*(f"{at:03}{'n' * 150}" for at in range(200)))
    drawing = explain_json(numbers.regression().plan())["drawing"]
    lines = drawing["boxes"][0]["lines"]
    assert len(lines) == 40
    assert lines[-1] == "... 161 more"
    assert max(map(len, lines)) == 110
