"""Plans with a cascade: the prefix answers what it is sure of, the whole pipeline everything else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.whitebox.cascades.programs import arrays_of, cascaded, cheap_words
from tests.whitebox.compiling.support import GuardedVectors, executable
from tests.whitebox.pipelines import WORDS, sentiment
from walle.whitebox.archive.cascade import cascade_document_of
from walle.whitebox.compiling import compile_plan
from walle.whitebox.compiling.plan_document import from_lines, to_lines
from walle.whitebox.explaining import explanation_of
from walle.whitebox.oven import optimise, plan_archive
from walle.whitebox.runtime.served_plan import ServedPlan

TEXTS = st.lists(st.sampled_from(["aa", "bb", *WORDS[:20], "É", "x"]), max_size=8).map(" ".join)


@pytest.fixture(scope="module")
def plans():
    """The plan with a cascade, then those of the prefix and of the whole pipeline alone."""
    served = ServedPlan.of(cascaded()).bind(arrays_of(sentiment(), cheap_words()))
    return served, executable(cheap_words()), executable(sentiment())


def expected_of(plans, text):
    _, prefix, whole = plans
    alone = prefix.predict(text, prefix.vectors())
    sure = max(alone.probabilities) >= 0.8
    return (alone if sure else whole.predict(text, whole.vectors()))._replace(cascade=sure)


@given(text=TEXTS)
def test_the_prefix_answers_what_it_is_sure_of_and_the_whole_pipeline_the_rest(plans, text):
    vectors = GuardedVectors(plans[0].vectors(1).size)
    assert plans[0].predict(text, vectors) == expected_of(plans, text)
    vectors.check()


@given(texts=st.lists(TEXTS, min_size=1, max_size=6))
def test_a_batch_is_answered_as_its_records_are(plans, texts):
    served = plans[0]
    answers, refused = served.run([*texts, 1], served.vectors(1))
    expected = [expected_of(plans, text) for text in texts]
    assert served.read(answers) == expected
    assert [each[0] for each in refused] == [len(texts)]
    said = served.columns(answers, refused).part("cascade")
    assert said[:-1, 0].tolist() == [each.cascade for each in expected]


@pytest.mark.parametrize(("threshold", "answered"), [(0, True), (0.7, True), (0.99, False), (1, False)])
def test_a_threshold_may_be_any_number(threshold, answered):
    served = ServedPlan.of(cascaded(threshold)).bind(arrays_of(sentiment(), cheap_words()))
    assert served.predict("aa", served.vectors(1)).cascade is answered


def test_stage_by_stage_the_whole_pipeline_answers(plans):
    served, _, whole = plans
    plan, texts = served.plan, ["aa aa aa", "bb bb bb", ""]
    batch, vectors = plan.parse(texts), plan.vectors(len(texts))
    for stage in plan.stages:
        stage.run(batch, vectors, 0, len(texts))
    alone = [whole.predict(text, whole.vectors())._replace(cascade=False) for text in texts]
    assert plan.predictions(batch) == alone


def test_what_the_prefix_computed_of_a_text_is_not_computed_again(plans):
    kernels = [each.operation.name for each in plans[0].plan.plan.instructions]
    assert (kernels.count("TOKENIZE"), kernels.count("COUNT_NGRAMS")) == (1, 3)
    before = kernels.index("FINISH_IF_SURE")
    assert kernels[:before].count("COUNT_NGRAMS") == 1


def test_nothing_of_a_plan_with_a_cascade_is_kept_for_others(plans):
    assert plans[0].shareable == frozenset()


def test_without_a_cascade_a_plan_is_as_it_was():
    program = sentiment()
    plan = compile_plan(optimise(program.graph))
    assert "cascade" not in plan.answers
    assert "FINISH_IF_SURE" not in {each.operation.name for each in plan.instructions}


def test_a_host_keeps_a_plan_with_a_cascade():
    archive = cascaded()
    plan = compile_plan(plan_archive(archive), archive.statistics)
    assert repr(from_lines(to_lines(plan))) == repr(plan)


def test_the_explanation_has_the_cascade_and_its_stages():
    archive = cascaded()
    told = explanation_of(archive)
    assert told["cascade"] == cascade_document_of(archive.cascade)
    assert told["logical"]["stages"][0]["id"].startswith("cascade:")
    assert "cascade" in [each["id"] for each in told["physical"]["stages"]]
    json.dumps(told)
