"""The oven as a whole: what becomes of pipelines, and that they predict what they did."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.whitebox.cascades.programs import cascaded, cheap_words
from tests.whitebox.pipelines import (
    PROGRAMS,
    assert_same,
    attendees,
    data_of,
    records,
    sentiment,
    sentiment_normalized_at_the_end,
    words,
)
from walle.whitebox.flour import Flour
from walle.whitebox.graph import Column, GraphMalformed, Parameter, check_graph
from walle.whitebox.oven import STEPS, LogicalPlan, optimise, plan_archive, pushing
from walle.whitebox.types import VectorType


def stages(plan: LogicalPlan) -> list[list[str]]:
    return [[each.operator for each in stage.transformations] for stage in plan.stages]


def test_the_text_pipeline_of_the_thesis_becomes_two_stages_without_a_concatenation():
    assert stages(sentiment().plan()) == [
        ["lowercase", "collapse_spaces", "char_ngrams", "tfidf", "normalize", "linear"],
        ["tokenize", "word_ngrams", "tfidf", "normalize", "linear", "sum", "threshold", "sigmoid", "complement"],
    ]


def test_a_norm_of_all_features_is_made_of_those_of_the_branches():
    first, second = stages(sentiment_normalized_at_the_end().plan())
    assert first == ["lowercase", "collapse_spaces", "char_ngrams", "tfidf", "linear", "norm"]
    assert second[:4] == ["tokenize", "word_ngrams", "tfidf", "linear"]
    assert sorted(second[4:]) == sorted(["norm", "sum", "join_norms", "divide", "sum", "argmax", "softmax"])


def test_compute_bound_transformations_have_stages_of_their_own():
    found = stages(attendees().plan())
    assert ["pca"] in found
    assert ["kmeans"] in found
    assert ["concat", "impute", "affine"] in found
    assert ["fill", "one_hot", "one_hot"] in found
    assert found[-1] == ["concat", "trees"]


@pytest.mark.parametrize("program", PROGRAMS)
@given(data=st.data())
def test_a_plan_predicts_what_its_pipeline_does(program, data):
    pipeline = program()
    plan = pipeline.plan()
    assert_same(pipeline.graph, plan.graph, data_of(pipeline), data.draw(records(pipeline.graph)))


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_plan_is_a_graph_that_keeps_to_its_spec_and_stays_as_it_is(program):
    plan = program().plan()
    check_graph(plan.graph)
    again = optimise(plan.graph)
    assert stages(again) == stages(plan)


def test_stages_stand_behind_those_that_they_take_from_and_say_what_they_take():
    plan = sentiment().plan()
    first, second = plan.stages
    assert first.inputs == ("column:review",)
    assert first.outputs == ("lowercase", "linear+0")
    assert second.inputs == ("lowercase", "linear+0")
    assert set(second.outputs) == {"linear", "threshold", "complement"}
    assert [stage.id for stage in plan.stages] == ["stage-1", "stage-2"]


def test_the_steps_and_their_rules_are_those_of_the_thesis():
    assert [(step.name, len(step.rules)) for step in STEPS] == [
        ("input validation", 3),
        ("stage building", 2),
        ("stage optimisation", 9),
        ("output validation", 6),
    ]
    names = [rule.name for step in STEPS for rule in step.rules]
    assert len(set(names)) == 20


def test_what_rules_did_is_written_down():
    plan = sentiment().plan()
    pushed = next(each for each in plan.trace if each.rule == "push linear models")
    assert pushed.step == "stage optimisation"
    assert "linear = linear(concat) -> vector of 1" in pushed.before
    assert "linear+1 = linear(normalize-2) -> vector of 1" in pushed.after


def test_equal_transformations_of_different_pipelines_have_equal_identities():
    one, other = sentiment().plan(), sentiment_normalized_at_the_end().plan()
    identities = [
        {each: stage.identities[each] for stage in plan.stages for each in stage.identities} for plan in (one, other)
    ]
    assert identities[0]["char_ngrams"] == identities[1]["char_ngrams"]
    assert identities[0]["word_ngrams"] == identities[1]["word_ngrams"]
    assert identities[0]["tfidf"] != identities[1]["tfidf+0"]
    assert one.stages[0].identity == sentiment().plan().stages[0].identity
    assert one.stages[0].identity != other.stages[0].identity


def test_an_identity_is_of_columns_too():
    plans = [Flour.number(name).affine(center=[1.0]).regression().plan() for name in ("a", "b", "a")]
    first, second, third = (plan.stages[0].identity for plan in plans)
    assert first == third != second


def test_a_graph_that_is_none_is_refused():
    program = Flour.numbers("a", "b").linear([[1.0, 2.0, 3.0]]).regression()
    with pytest.raises(GraphMalformed, match=r"parameters.weights: expected the shape \[1, 2\], found \[1, 3\]"):
        program.plan()
    graph = Flour.numbers("a", "b").linear([[1.0, 2.0]]).regression().graph
    with pytest.raises(GraphMalformed, match=r"outputs.label: expected label of 0"):
        optimise(replace(graph, outputs={"label": "linear"}))
    with pytest.raises(GraphMalformed, match=r"transformations\[0\].inputs\[1\]: expected vector, found text"):
        optimise(replace(graph, columns=(graph.columns[0], Column("b", "text"))))


def test_pipelines_that_differ_in_their_numbers_only_have_plans_of_their_own():
    def plan(weight: float, factor: float) -> LogicalPlan:
        return Flour.numbers("a", "b").affine(factor=[factor, 1.0]).linear([[weight, 2.0]]).regression().plan()

    one, other, third = plan(1.0, 3.0), plan(5.0, 3.0), plan(1.0, 3.0)
    assert one == third != other
    assert hash(one) == hash(third)
    assert [each.parameters for each in one.graph.transformations] != [
        each.parameters for each in other.graph.transformations
    ]
    (first,), (second,) = one.stages[:1], other.stages[:1]
    assert first.identities["affine"] == second.identities["affine"]
    assert {**one.stages[-1].identities}["linear"] != {**other.stages[-1].identities}["linear"]


def test_parameters_that_are_the_same_in_one_pipeline_only_make_another_plan():
    def plan(second: float) -> list[list[str]]:
        a = Flour.number("a")
        return stages(a.affine(factor=[2.0]).concat(a.affine(factor=[second])).regression().plan())

    assert plan(2.0) == [["affine", "concat"]]
    assert plan(3.0) == [["affine", "affine", "concat"]]


def test_statistics_that_differ_make_plans_that_differ():
    def plan(nonzeros: int) -> LogicalPlan:
        return words(Flour.text("t")).seen(nonzeros, nonzeros).linear([[1.0] * 100]).regression().plan()

    assert [each.stages[0].capacities["word_ngrams"] for each in (plan(3), plan(90), plan(3))] == [3, 90, 3]
    assert [bool(each.stages[0].sparse) for each in (plan(3), plan(90))] == [True, False]


def test_a_digest_that_is_none_is_refused():
    graph = Flour.number("a").linear([[1.0]]).regression().graph
    bad = replace(graph.transformations[0], parameters={"weights": Parameter("x", "<f8", (1, 1))})
    with pytest.raises(GraphMalformed, match=r"weights.digest: expected the SHA-256"):
        optimise(replace(graph, transformations=(bad,)))


def test_what_rules_did_to_a_very_long_pipeline_is_shortened():
    chain = Flour.number("a")
    for at in range(300):
        chain = chain.binarize(at)
    first = chain.regression().plan().trace[0]
    assert len(first.before) == len(first.after) == 200
    assert first.before[-1] == "... 101 more"


def test_pushing_stops_before_there_are_too_many_transformations(monkeypatch):
    monkeypatch.setattr(pushing, "MAX_TRANSFORMATIONS", 14)
    # Another number of classes than in other tests: what was remembered is not asked.
    operators = [each.operator for each in sentiment_normalized_at_the_end(classes=7).plan().graph.transformations]
    assert "concat" in operators
    assert len(operators) <= 14


# Cascades


def test_the_prefix_of_a_cascade_comes_first_and_gives_the_whole_pipeline_what_both_compute():
    plan = plan_archive(cascaded())
    assert [stage.id for stage in plan.stages] == ["cascade:stage-1", "stage-1", "stage-2"]
    assert plan.cascade is not None
    assert plan.cascade.stages == 1
    prefix, first, second = plan.stages
    assert prefix.inputs == ("column:review",)
    assert {*plan.cascade.outputs.values(), "cascade:tokenize"} < set(prefix.outputs)
    assert first.inputs == ("cascade:lowercase-2",)
    assert second.inputs == ("cascade:tokenize", "linear+0")
    made = [each.id for stage in plan.stages for each in stage.transformations]
    assert len(made) == len(set(made))
    assert [each.operator for each in plan.graph.transformations].count("tokenize") == 1


def test_a_plan_with_a_cascade_predicts_what_its_prefix_and_its_pipeline_do():
    plan = plan_archive(cascaded())
    assert plan.cascade is not None
    data = {**data_of(sentiment()), **data_of(cheap_words())}
    for text in ("aa bb aa", "ab CD ef aa", ""):
        assert_same(sentiment().graph, plan.graph, data, {"review": text})
        prefix = replace(plan.graph, outputs=plan.cascade.outputs)
        assert_same(cheap_words().graph, prefix, data, {"review": text})


def test_a_plan_says_of_each_of_its_stages_what_it_needs_to_know():
    for plan in (plan_archive(cascaded()), sentiment().plan()):
        for stage in plan.stages:
            made = {each.id for each in stage.transformations}
            assert stage.identities.keys() == made
            assert stage.types.keys() >= made.union(stage.inputs)
            assert stage.capacities.keys() >= {each for each in made if isinstance(stage.types[each], VectorType)}
            assert made.issuperset(stage.outputs)


def test_plans_with_a_cascade_are_values():
    first, second = plan_archive(cascaded()), plan_archive(cascaded())
    assert (first, hash(first)) == (second, hash(second))
    assert first != plan_archive(cascaded(threshold=0.9))
