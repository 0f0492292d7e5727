"""Plans as text, as SVG and as JSON."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from tests.placement.published import NAMES, published
from walle.placement.beam.search import beam_search
from walle.placement.drawing import plan_svg, plan_text
from walle.placement.evaluation import evaluate
from walle.placement.plan_documents import PlanMalformed, evaluation_document, plan_document, read_plan

SVG = "{http://www.w3.org/2000/svg}"


def best(problem):
    return beam_search(problem, random.Random(1))[0].plan


def test_the_text_has_tiers_from_the_highest_down_with_who_serves_what():
    problem = published("vqa_medium")
    lines = plan_text(problem, best(problem)).splitlines()
    assert lines[0].split() == [
        "cloud",
        "│",
        "SpeechRecognition:",
        "wav2vec2-large-960h-lv60-self,",
        "91%",
        "of",
        "its",
        "load",
    ]
    assert any(line.startswith("edge") for line in lines)
    assert "       │   cpu-4 (x8) 100% busy" in lines
    assert "ReadSpeech → SpeechRecognition: 12.2 GB/h, edge → cloud, 1.215 USD/h" in lines


@pytest.mark.parametrize("name", NAMES)
def test_drawings_name_every_worker_in_use_once(name):
    problem = published(name)
    plan = best(problem)
    drawn = ElementTree.fromstring(plan_svg(problem, plan))
    texts = [each.text or "" for each in drawn.iter(f"{SVG}text")]
    written = plan_text(problem, plan)
    for each in (worker for ids in plan.workers.values() for worker in ids):
        assert sum(text.startswith(f"{each} ") for text in texts) == 1
        assert written.count(f" {each} (") == 1
    for tier in problem.infrastructure.tiers:
        assert tier in texts


def test_boxes_lie_inside_and_do_not_overlap():
    problem = published("vqa_small")
    drawn = ElementTree.fromstring(plan_svg(problem, best(problem)))
    boxes = [
        [float(each.get(key)) for key in ("x", "y", "width", "height")]
        for each in drawn.iter(f"{SVG}rect")
        if each.get("class") == "box"
    ]
    for x, y, width, height in boxes:
        assert x + width <= float(drawn.get("width"))
        assert y + height <= float(drawn.get("height"))
    for index, (x, y, width, height) in enumerate(boxes):
        assert all(
            x + width <= x2 or x2 + w2 <= x or y + height <= y2 or y2 + h2 <= y for x2, y2, w2, h2 in boxes[:index]
        )


def test_names_are_escaped():
    problem = published("vqa_small")
    odd = replace(problem, infrastructure=replace(problem.infrastructure, tiers=("<script>", 'a&"b')))
    drawn = ElementTree.fromstring(plan_svg(odd, best(odd)))
    assert "<script>" in [each.text for each in drawn.iter(f"{SVG}text")]


def test_a_plan_is_written_and_read():
    problem = published("vqa_medium")
    plan = best(problem)
    again = read_plan(json.loads(json.dumps(plan_document(plan))), problem)
    assert again == plan
    assert plan.shares
    document = evaluation_document(evaluate(problem, again))
    assert document["cost"] == pytest.approx(document["compute"] + document["network"])
    assert document["violations"] == []


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"models": {"VQA": 3}}, "3"),
        ({"workers": {"VQA": []}}, "[]"),
        ({"models": {"VQA": "default"}}, "models and workers of the same operators"),
        ({"shares": {"SpeechRecognition": [0.5, 0.4]}}, "1 in all"),
    ],
)
def test_what_is_no_plan_of_the_problem_is_refused(change, found):
    problem = published("vqa_medium")
    with pytest.raises(PlanMalformed) as caught:
        read_plan({**plan_document(best(problem)), **change}, problem)
    assert found in str(caught.value)
