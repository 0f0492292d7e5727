"""Each rule of the oven by itself: what stood before, what is expected after it, and equal predictions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.whitebox.pipelines import (
    LETTERS,
    PROGRAMS,
    WORDS,
    Tree,
    assert_same,
    data_of,
    letters,
    numbers,
    records,
    trees,
    weights,
    words,
)
from walle.whitebox.archive import Statistics
from walle.whitebox.flour import Chain, Flour
from walle.whitebox.graph import Column, Graph, GraphMalformed, Transformation, check_graph
from walle.whitebox.oven import pushing
from walle.whitebox.oven.draft import Draft, DraftBroken, check_draft
from walle.whitebox.oven.fusing import fuse_featurizers, inline_single_transformations
from walle.whitebox.oven.input_validation import propagate_schema, validate_graph, validate_schema
from walle.whitebox.oven.optimiser import STEPS
from walle.whitebox.oven.output_validation import (
    count_nonzeros,
    describe_stages,
    label_sparse,
    label_vectorizable,
    order_transformations,
    validate_stages,
)
from walle.whitebox.oven.pushing import delay_normalization, push_elementwise, push_linear
from walle.whitebox.oven.rules import Rule, Step
from walle.whitebox.oven.sharing import (
    merge_equal_stages,
    merge_equal_transformations,
    regroup,
    remove_dead_branches,
)
from walle.whitebox.oven.stage_building import break_into_stages, separate_compute_bound
from walle.whitebox.program import Program
from walle.whitebox.types import LabelType, VectorType

REVIEW = Flour.text("review")
LEFT, RIGHT = letters(REVIEW), words(REVIEW)
SIZE = len(LETTERS) + len(WORDS)


def draft_of(program: Program, *stages: str) -> Draft:
    """A draft of a pipeline with its types; `stages` are ids with spaces between, one stage for each left out."""
    draft = propagate_schema(Draft(program.graph, program.statistics))
    given_ = [each.split() for each in stages]
    named = {id_ for stage in given_ for id_ in stage}
    rest = [[each.id] for each in program.graph.transformations if each.id not in named]
    return draft.with_stages([*given_, *rest])


def shown(draft: Draft) -> set[str]:
    return {f"{each.id} = {each.operator}({', '.join(each.inputs)})" for each in draft.graph.transformations}


def changes(before: Draft, after: Draft) -> tuple[set[str], set[str]]:
    """What a rule took away and what it added."""
    check_draft(after)
    return shown(before) - shown(after), shown(after) - shown(before)


def stages(draft: Draft) -> set[str]:
    return {" ".join(stage) for stage in draft.stages}


# Input validation


def test_schemas_go_from_the_columns_to_the_outputs():
    draft = propagate_schema(Draft(LEFT.linear(weights(121)).binary_classifier([0, 1]).graph, Statistics()))
    assert draft.types["char_ngrams"] == VectorType(121, sparse=True)
    assert draft.types["linear"] == VectorType(1)
    assert draft.types["threshold"] == LabelType(2)


def test_a_transformation_that_gets_what_it_does_not_take_is_refused():
    graph = Graph((Column("age", "number"),), (Transformation("low", "lowercase", ("column:age",)),), {"value": "low"})
    draft = propagate_schema(Draft(graph, Statistics()))
    assert "low" not in draft.types
    with pytest.raises(GraphMalformed, match=r"transformations\[0\].inputs\[0\]: expected text, found vector of 1"):
        validate_schema(draft)


def test_a_graph_without_a_predictor_is_refused():
    graph = Graph(
        (Column("review", "text"),), (Transformation("low", "lowercase", ("column:review",)),), {"value": "low"}
    )
    draft = propagate_schema(Draft(graph, Statistics()))
    assert validate_schema(draft) is draft
    with pytest.raises(GraphMalformed, match=r"outputs.value: expected vector, found text"):
        validate_graph(draft)


# Stage building


def test_stages_end_behind_pipeline_breakers_and_where_branches_part_or_meet():
    lower = REVIEW.lowercase()
    chars = lower.char_ngrams(LETTERS, 2, 2).normalize().binarize()
    tokens = lower.tokenize().word_ngrams(WORDS)
    program = chars.concat(tokens).affine(factor=numbers(SIZE)).regression()
    draft = propagate_schema(Draft(program.graph, Statistics()))
    assert stages(break_into_stages(draft)) == {
        "lowercase",
        "char_ngrams normalize",
        "binarize",
        "tokenize word_ngrams",
        "concat",
        "affine",
    }


def test_stages_that_are_built_are_not_built_again():
    draft = draft_of(LEFT.linear(weights(121)).regression())
    assert break_into_stages(draft) is draft


def test_what_is_limited_by_computing_gets_a_stage_of_its_own():
    dense = Flour.numbers("a", "b").binarize().pca(numbers(4).reshape(2, 2)).binarize(1).linear([[1.0, 2.0]]).sigmoid()
    draft = draft_of(dense.regression(), "concat", "binarize pca binarize-2 linear sigmoid")
    assert stages(separate_compute_bound(draft)) == {"concat", "binarize", "pca", "binarize-2", "linear", "sigmoid"}


def test_a_product_with_a_sparse_vector_is_limited_by_memory_and_stays():
    draft = draft_of(LEFT.linear(weights(121)).regression(), "char_ngrams linear")
    assert separate_compute_bound(draft) is draft


# Stage optimisation


def test_branches_that_no_output_needs_are_removed():
    program = LEFT.linear(weights(121)).regression()
    dead = Transformation("dead", "tokenize", ("lowercase",), {"characters": "word", "shortest": 1})
    dead_too = Transformation(
        "dead-too", "hash_word_ngrams", ("dead",), {"low": 1, "high": 1, "size": 9, "signed": True}
    )
    graph = replace(program.graph, transformations=(*program.graph.transformations, dead, dead_too))
    before = propagate_schema(Draft(graph, Statistics())).with_stages([each.id] for each in graph.transformations)
    gone, came = changes(before, remove_dead_branches(before))
    assert gone == {"dead = tokenize(lowercase)", "dead-too = hash_word_ngrams(dead)"}
    assert not came


def twice() -> Program:
    """Two branches that begin alike, though they were written twice."""
    return words(REVIEW).binarize().sum(words(REVIEW)).linear(weights(100)).regression()


def test_equal_stages_become_one():
    before = draft_of(twice(), "lowercase tokenize word_ngrams", "lowercase-2 tokenize-2 word_ngrams-2")
    after = merge_equal_stages(before)
    assert "lowercase tokenize word_ngrams" in stages(after)
    assert not any("-2" in each for stage in after.stages for each in stage)


def test_stages_that_only_begin_alike_stay_two():
    before = draft_of(twice(), "lowercase tokenize word_ngrams binarize", "lowercase-2 tokenize-2 word_ngrams-2")
    assert merge_equal_stages(before) is before


def test_of_equal_stages_one_is_kept_though_it_stands_behind_what_takes_the_other():
    short = Flour.number("a"), Flour.number("b")
    chain = RIGHT.concat(RIGHT.concat(LEFT, *short).affine(factor=numbers(SIZE + 2)), *short)
    program = chain.linear(weights(size_of(chain))).regression()
    plan = program.plan()
    assert sum(each.inputs == ("column:a", "column:b") for each in plan.graph.transformations) == 1
    assert_same(program.graph, plan.graph, data_of(program), {"review": "ab cd", "a": 1.0, "b": -2.0})


def test_equal_transformations_become_one_wherever_they_are():
    before = draft_of(twice(), "lowercase tokenize word_ngrams binarize", "lowercase-2 tokenize-2 word_ngrams-2")
    gone, came = changes(before, merge_equal_transformations(before))
    assert gone == {
        "lowercase-2 = lowercase(column:review)",
        "tokenize-2 = tokenize(lowercase-2)",
        "word_ngrams-2 = word_ngrams(tokenize-2)",
        "sum = sum(binarize, word_ngrams-2)",
    }
    assert came == {"sum = sum(binarize, word_ngrams)"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda x: x.binarize(1.0), lambda x: x.binarize(2.0)),
        (lambda x: x.affine(factor=[1.0, 2.0]), lambda x: x.affine(factor=[1.0, 3.0])),
        (lambda x: x.affine(factor=[1.0, 2.0]), lambda x: x.affine(offset=[1.0, 2.0])),
        (lambda x: x.binarize(), lambda x: x.map("abs").binarize()),
    ],
)
def test_other_settings_parameters_or_inputs_are_another_transformation(one, other):
    numbers_ = Flour.numbers("a", "b")
    before = draft_of(one(numbers_).concat(other(numbers_)).regression())
    assert merge_equal_transformations(before) is before


def test_the_order_of_inputs_makes_no_difference_to_a_sum_without_weights_and_to_no_concatenation():
    a, b = Flour.number("a"), Flour.number("b")
    weighted = a.sum(b, weights=[1, 2]).concat(b.sum(a, weights=[1, 2]))
    before = draft_of(a.sum(b).concat(b.sum(a), a.concat(b), b.concat(a), weighted).regression())
    gone, _ = changes(before, merge_equal_transformations(before))
    assert gone == {
        "sum-2 = sum(column:b, column:a)",
        "concat-4 = concat(sum, sum-2, concat, concat-2, concat-3)",
    }


def test_the_order_of_votes_and_of_norms_makes_no_difference():
    graph = Graph(
        (Column("a", "number"), Column("b", "number")),
        (
            Transformation("one", "join_norms", ("column:a", "column:b"), {"norm": "l2"}),
            Transformation("other", "join_norms", ("column:b", "column:a"), {"norm": "l2"}),
            Transformation("a", "argmax", ("column:a",)),
            Transformation("b", "argmin", ("column:b",)),
            Transformation("first", "vote", ("a", "b"), {"weights": None}),
            Transformation("second", "vote", ("b", "a"), {"weights": None}),
            Transformation("both", "vote", ("first", "second"), {"weights": None}),
            Transformation("norms", "concat", ("one", "other")),
        ),
        {"label": "both", "value": "norms"},
        ("only",),
    )
    before = propagate_schema(Draft(graph, Statistics())).with_stages([each.id] for each in graph.transformations)
    gone, came = changes(before, merge_equal_transformations(before))
    assert came == {"both = vote(first, first)", "norms = concat(one, one)"}
    assert {each.partition(" ")[0] for each in gone} == {"other", "second", "both", "norms"}


def test_concatenations_and_sums_of_their_like_are_one():
    a, b, c = Flour.number("a"), Flour.number("b"), Flour.number("c")
    before = draft_of(a.concat(b.concat(c)).concat(a.sum(b).sum(c, intercept=[2.0])).regression())
    after = remove_dead_branches(regroup(before))
    assert shown(after) == {
        "sum-2 = sum(column:a, column:b, column:c)",
        "concat-3 = concat(column:a, column:b, column:c, sum-2)",
    }
    assert after.by_id()["sum-2"].parameters.keys() == {"intercept"}


def test_what_does_nothing_is_removed():
    a = Flour.number("a").binarize()
    before = draft_of(a.concat().sum().linear([[2.0]]).regression())
    after = regroup(before)
    assert shown(after) == {"binarize = binarize(column:a)", "linear = linear(binarize)"}
    assert shown(regroup(draft_of(a.concat().regression()))) == {"binarize = binarize(column:a)"}
    assert regroup(draft_of(Flour.number("a").concat().regression())).graph.outputs == {"value": "concat"}


@pytest.mark.parametrize(
    "kept",
    [
        lambda a, b: a.sum(b, intercept=[1.0]).sum(a),
        lambda a, b: a.sum(b, weights=[1, 2]).sum(a),
        lambda a, b: a.sum(b).sum(a, weights=[1, 2]),
        lambda a, b: a.sum(weights=[2]),
        lambda a, b: a.sum(intercept=[2.0]),
        lambda a, b: (both := a.concat(b)).concat(both.binarize()),
    ],
)
def test_what_adds_something_or_is_used_elsewhere_stays(kept):
    before = draft_of(kept(Flour.number("a"), Flour.number("b")).regression())
    assert regroup(before) is before


def test_elementwise_transformations_are_pushed_through_a_concatenation():
    program = (
        LEFT.concat(RIGHT).tfidf(numbers(SIZE)).affine(divisor=numbers(SIZE, 1)).linear(weights(SIZE)).regression()
    )
    before = draft_of(program)
    after = push_elementwise(before)
    gone, came = changes(before, after)
    assert gone == {"tfidf = tfidf(concat)", "affine = affine(tfidf)"}
    assert came == {
        "tfidf+0 = tfidf(char_ngrams)",
        "tfidf+1 = tfidf(word_ngrams)",
        "tfidf = concat(tfidf+0, tfidf+1)",
        "affine+0 = affine(tfidf+0)",
        "affine+1 = affine(tfidf+1)",
        "affine = concat(affine+0, affine+1)",
    }
    idf = [after.by_id()[f"tfidf+{part}"].parameters["idf"] for part in range(2)]
    assert [(each.start, each.stop, each.shape) for each in idf] == [(0, 121, (SIZE,)), (121, SIZE, (SIZE,))]


def test_short_neighbours_stay_concatenated():
    a, b, c = Flour.number("a"), Flour.number("b"), Flour.number("c")
    program = a.concat(b, LEFT, c, RIGHT).linear(weights(SIZE + 3), [1.0]).regression()
    after = push_linear(draft_of(program))
    assert {each for each in shown(after) if "linear" in each or "concat+" in each} == {
        "concat+0 = concat(column:a, column:b)",
        "linear+0 = linear(concat+0)",
        "linear+1 = linear(char_ngrams)",
        "linear+2 = linear(column:c)",
        "linear+3 = linear(word_ngrams)",
        "linear = sum(linear+0, linear+1, linear+2, linear+3)",
    }
    assert [each.start for each in (after.by_id()[f"linear+{part}"].parameters["weights"] for part in range(4))] == [
        0,
        2,
        123,
        124,
    ]


@pytest.mark.parametrize("rule", [push_elementwise, push_linear, delay_normalization])
@pytest.mark.parametrize(
    "stays",
    [
        # The whole vector is needed all the same.
        lambda: (
            (both := LEFT.concat(RIGHT)).binarize().linear(weights(SIZE)).sum(both.normalize().select([0])).regression()
        ),
        # It leads to no linear model.
        lambda: LEFT.concat(RIGHT).binarize().normalize().select([1, 2]).regression(),
        # Nothing is gained: the concatenation is of numbers that lie side by side.
        lambda: Flour.numbers("a", "b").binarize().linear([[1.0, 2.0]]).regression(),
    ],
)
def test_nothing_is_pushed_where_nothing_is_gained(rule, stays):
    before = draft_of(stays())
    assert rule(before) is before


def test_a_linear_model_is_divided_by_the_norm_instead_of_a_concatenation():
    program = LEFT.concat(RIGHT).normalize("l1").linear(weights(SIZE), [0.5]).regression()
    before = draft_of(program)
    gone, came = changes(before, delay_normalization(before))
    assert gone == {"linear = linear(normalize)"}
    assert came == {
        "linear+0 = linear(concat)",
        "normalize+0 = norm(concat)",
        "linear+1 = divide(linear+0, normalize+0)",
        "linear = sum(linear+1)",
    }


def test_a_norm_of_one_featurizer_is_not_delayed():
    before = draft_of(LEFT.normalize().linear(weights(121)).regression())
    assert delay_normalization(before) is before


def test_linear_models_and_norms_are_pushed_through_a_concatenation():
    both = LEFT.concat(RIGHT)
    first, second = both.linear(weights(SIZE), [0.5]), both.linear(numbers(SIZE).reshape(1, -1))
    before = draft_of(first.sum(second).regression())
    after = push_linear(before)
    gone, came = changes(before, after)
    assert gone == {"linear = linear(concat)", "linear-2 = linear(concat)"}
    assert came == {
        "linear+0 = linear(char_ngrams)",
        "linear+1 = linear(word_ngrams)",
        "linear = sum(linear+0, linear+1)",
        "linear-2+0 = linear(char_ngrams)",
        "linear-2+1 = linear(word_ngrams)",
        "linear-2 = sum(linear-2+0, linear-2+1)",
    }
    assert after.by_id()["linear"].parameters.keys() == {"intercept"}
    assert after.by_id()["linear+1"].parameters["weights"].part == (1, 100)


@pytest.mark.parametrize("room", [3, 4])
def test_something_is_pushed_as_long_as_there_is_room_for_two_transformations_of_each_part(room, monkeypatch):
    before = draft_of(LEFT.concat(RIGHT).linear(weights(SIZE)).regression())
    monkeypatch.setattr(pushing, "MAX_TRANSFORMATIONS", len(before.graph.transformations) + room)
    assert (push_linear(before) is not before) is (room == 4)


def test_featurizers_are_one_pass():
    program = LEFT.tfidf().normalize().linear(weights(121)).binary_classifier([0, 1])
    after = fuse_featurizers(draft_of(program))
    assert stages(after) == {
        "lowercase collapse_spaces char_ngrams tfidf normalize linear",
        "threshold",
        "sigmoid complement",
    }


def test_what_several_stages_take_or_is_executed_by_itself_is_not_fused():
    dense = Flour.numbers("a", "b").binarize()
    both = dense.pca(numbers(4).reshape(2, 2)).concat(dense.kmeans(numbers(4).reshape(2, 2))).regression()
    assert stages(fuse_featurizers(draft_of(both))) == {"concat binarize", "pca", "kmeans", "concat-2"}


def test_featurizers_of_columns_for_the_same_stage_go_over_the_record_together():
    cities, days = Flour.category("city").one_hot(["Oslo"]), Flour.number("day").one_hot([1.0, 2.0])
    program = cities.concat(days, REVIEW.lowercase().hash_char_ngrams(8)).regression()
    assert stages(fuse_featurizers(draft_of(program))) == {"one_hot one_hot-2", "lowercase hash_char_ngrams", "concat"}


def test_a_stage_that_takes_a_column_too_is_another_pass():
    program = (
        LEFT.linear(weights(121)).sum(REVIEW.char_ngrams(LETTERS).linear(numbers(121).reshape(1, -1))).regression()
    )
    before = draft_of(program, "lowercase collapse_spaces char_ngrams linear", "char_ngrams-2 linear-2 sum")
    assert fuse_featurizers(before) is before


def test_single_transformations_are_inlined():
    lower = REVIEW.lowercase()
    left, right = (
        lower.char_ngrams(LETTERS).linear(weights(121)),
        lower.tokenize().word_ngrams(WORDS).linear(weights(100)),
    )
    before = draft_of(left.sum(right).regression(), "char_ngrams linear", "tokenize word_ngrams linear-2")
    assert stages(inline_single_transformations(before)) == {
        "lowercase char_ngrams linear",
        "tokenize word_ngrams linear-2 sum",
    }


def test_a_concatenation_is_inlined_where_it_is_taken():
    dense = Flour.numbers("a", "b").binarize()
    program = dense.pca(numbers(4).reshape(2, 2)).concat(dense).linear([[1.0, 2.0, 3.0, 4.0]]).regression()
    before = draft_of(program, "concat binarize")
    assert stages(inline_single_transformations(before)) == {"concat binarize", "pca", "concat-2 linear"}


def test_what_follows_a_product_with_a_matrix_is_inlined_behind_it():
    program = Flour.numbers("a", "b").linear(numbers(6).reshape(3, 2)).classifier([0, 1, 2])
    before = draft_of(program)
    assert stages(inline_single_transformations(before)) == {"concat", "linear argmax softmax"}


# Output validation


def test_transformations_stand_in_the_order_of_their_stages():
    program = LEFT.linear(weights(121)).sum(RIGHT.linear(weights(100))).regression()
    draft = merge_equal_transformations(draft_of(program))
    mixed = draft.with_stages(
        [["lowercase", "tokenize", "word_ngrams", "linear-2"], ["collapse_spaces", "char_ngrams", "linear"], ["sum"]]
    )
    after = order_transformations(mixed)
    assert [each.id for each in after.graph.transformations] == [each for stage in after.stages for each in stage]


def test_vectors_have_room_for_what_training_saw():
    seen = LEFT.seen(4.5, 12).tfidf().concat(RIGHT).normalize()
    program = (
        seen.linear(weights(SIZE)).concat(Flour.category("c").one_hot([str(each) for each in range(50)])).regression()
    )
    room = count_nonzeros(draft_of(program)).capacities
    assert room == {
        "char_ngrams": 12,
        "tfidf": 12,
        "word_ngrams": 100,
        "concat": 112,
        "normalize": 112,
        "linear": 1,
        "one_hot": 1,
        "concat-2": 2,
    }


@pytest.mark.parametrize(
    ("mean", "most", "sparse"), [(3, 20, True), (40, 60, False), (35, 120, True), (37, 120, False), (0, 0, True)]
)
def test_vectors_are_dense_where_training_saw_them_full(mean, most, sparse):
    draft = label_sparse(count_nonzeros(draft_of(LEFT.seen(mean, most).linear(weights(121)).regression())))
    assert draft.types["char_ngrams"] == VectorType(121, sparse)


def test_very_long_vectors_stay_sparse_however_full():
    counts = Flour.text("t").hash_char_ngrams(2**20 + 1).seen(2**20, 2**20)
    draft = label_sparse(count_nonzeros(draft_of(counts.normalize().regression())))
    assert draft.types["hash_char_ngrams"] == VectorType(2**20 + 1, sparse=True)


def test_short_vectors_are_dense_and_others_stay_as_they_are_made():
    both = Flour.category("c").one_hot(["a", "b"]).concat(LEFT)
    draft = label_sparse(count_nonzeros(draft_of(both.linear(weights(123)).regression())))
    assert draft.types["one_hot"] == VectorType(2)
    assert draft.types["char_ngrams"] == VectorType(121, sparse=True)


def test_vectors_that_are_taken_as_dense_ones_only_are_dense():
    city = Flour.category("c").one_hot([str(each) for each in range(50)])
    joined = city.concat(Flour.number("n"))
    forest = trees(Tree(0, 0.5, (1.0, 2.0, 3.0)))
    both = joined.trees(**forest, size=1).concat(city.trees(**forest, size=1))
    draft = label_sparse(count_nonzeros(draft_of(both.regression())))
    assert not draft.is_sparse("one_hot")
    assert not draft.is_sparse("concat")
    scored = both.concat(city.linear(weights(50)))
    draft = label_sparse(count_nonzeros(draft_of(scored.regression())))
    assert draft.is_sparse("one_hot")
    assert not draft.is_sparse("concat")


def test_compute_bound_transformations_of_dense_vectors_are_vectorized():
    dense = Flour.numbers("a", "b").pca(numbers(4).reshape(2, 2)).linear([[1.0, 2.0]])
    draft = label_vectorizable(draft_of(dense.sum(LEFT.linear(weights(121))).regression()))
    assert draft.vectorizable == {"pca", "linear"}


def test_stages_say_what_they_take_and_give():
    draft = draft_of(
        LEFT.linear(weights(121)).binary_classifier([0, 1]), "lowercase collapse_spaces", "char_ngrams linear"
    )
    schemas = dict(zip(draft.stages, describe_stages(draft).schemas, strict=True))
    assert schemas["lowercase", "collapse_spaces"].inputs == ("column:review",)
    assert schemas["lowercase", "collapse_spaces"].outputs == ("collapse_spaces",)
    assert schemas["char_ngrams", "linear"].inputs == ("collapse_spaces",)
    assert schemas["char_ngrams", "linear"].outputs == ("linear",)
    assert schemas["sigmoid",].outputs == ("sigmoid",)


def test_a_plan_without_an_output_is_none():
    draft = draft_of(LEFT.linear(weights(121)).regression())
    assert validate_stages(draft) is draft
    with pytest.raises(DraftBroken, match="output"):
        validate_stages(replace(draft, stages=draft.stages[:-1]))


# All rules


@pytest.mark.parametrize("program", PROGRAMS)
@given(data=st.data())
def test_no_application_of_a_rule_changes_a_prediction(program, data):
    pipeline = program()
    record = data.draw(records(pipeline.graph))
    for graph in rewritten(program):
        assert_same(pipeline.graph, graph, data_of(pipeline), record)


@cache
def rewritten(program: Callable[[], Program]) -> list[Graph]:
    """The graphs that rules make of a pipeline one after the other, each once."""
    pipeline = program()
    draft = Draft(pipeline.graph, pipeline.statistics)
    graphs = []
    for rule in (rule for step in STEPS for rule in step.rules):
        draft = rule.rewrite(draft)
        check_draft(draft)
        graphs.append(draft.graph)
    return [graph for before, graph in pairwise([pipeline.graph, *graphs]) if graph is not before]


NUMBERS = [
    lambda x, size, seed: x.affine(center=numbers(size, seed), divisor=1 + np.abs(numbers(size, seed + 1))),
    lambda x, size, seed: x.tfidf(np.abs(numbers(size, seed))),
    lambda x, size, seed: x.binarize(0.5),
    lambda x, size, seed: x.normalize("l2"),
    lambda x, size, seed: x.normalize("l1"),
    lambda x, size, seed: x.normalize("max"),
    lambda x, size, seed: x.map("abs"),
    lambda x, size, seed: x.concat(x),
    lambda x, size, seed: x.concat(LEFT),
    lambda x, size, seed: RIGHT.concat(x, Flour.number("a"), Flour.number("b")),
]
ENDS = [
    lambda x, size: x.linear(numbers(size).reshape(1, -1), [0.5]).binary_classifier(["no", "yes"]),
    lambda x, size: x.linear(numbers(3 * size).reshape(3, -1)).classifier([0, 1, 2]),
    lambda x, size: (score := x.linear(numbers(size).reshape(1, -1))).sum(score.sigmoid(), weights=[1, 2]).regression(),
    lambda x, size: x.trees(**trees(Tree(0, 0.5, (1.0, 2.0, 3.0))), size=1).regression(),
]


@st.composite
def programs(draw: Callable[..., object]) -> Program:
    """Pipelines of all shapes that rules look for: chains of transformations, concatenations and models."""
    chain, size = draw(st.sampled_from([(LEFT, 121), (RIGHT, 100), (Flour.numbers("a", "b", "c"), 3)]))
    for seed in range(draw(st.integers(0, 5))):
        chain = draw(st.sampled_from(NUMBERS))(chain, size, seed)
        size = size_of(chain)
    return draw(st.sampled_from(ENDS))(chain, size)


def size_of(chain: Chain) -> int:
    program = Program({"value": chain})
    type_ = check_graph(program.graph)[program.graph.outputs["value"]]
    assert isinstance(type_, VectorType)
    return type_.size


@given(programs(), st.data())
def test_any_pipeline_predicts_the_same_after_the_oven(program, data):
    record = data.draw(records(program.graph))
    assert_same(program.graph, program.plan().graph, data_of(program), record)


# Steps


def test_a_step_goes_back_to_its_first_rule_after_each_change_and_writes_down_what_changed():
    step = Step("fewer", (Rule("dead", "", remove_dead_branches), Rule("equal", "", merge_equal_transformations)))
    draft, trace = step.run(draft_of(twice()))
    assert [each.rule for each in trace] == ["equal"]
    assert "sum = sum(binarize, word_ngrams-2) -> vector of 100" in trace[0].before
    assert "sum = sum(binarize, word_ngrams) -> vector of 100" in trace[0].after
    assert step.run(draft) == (draft, ())


@pytest.mark.parametrize(
    "broken",
    [
        lambda draft: replace(draft, stages=draft.stages[:-1]),
        lambda draft: replace(draft, stages=draft.stages[::-1]),
        lambda draft: replace(draft, stages=(*draft.stages, draft.stages[0])),
        lambda draft: replace(draft, stages=(*draft.stages, ())),
        lambda draft: replace(draft, types={**draft.types, "linear": VectorType(2)}),
        lambda draft: replace(draft, graph=replace(draft.graph, transformations=draft.graph.transformations[1:])),
    ],
)
def test_a_rule_that_breaks_the_spec_is_found_out(broken):
    step = Step("breaking", (Rule("break", "", broken),))
    with pytest.raises(DraftBroken):
        step.run(draft_of(LEFT.linear(weights(121)).regression()))


def test_rules_that_never_agree_are_found_out():
    rule = Rule("more", "", lambda draft: replace(draft, capacities={"linear": draft.capacities.get("linear", 0) + 1}))
    with pytest.raises(DraftBroken, match="fix point"):
        Step("restless", (rule,)).run(draft_of(Flour.number("a").linear([[1.0]]).regression()))
