"""The spec of graphs: what operators make of what, and what is refused before there is any data."""

from __future__ import annotations

from dataclasses import replace

import pytest

from walle.schema import Problems
from walle.whitebox.graph import (
    MAX_TRANSFORMATIONS,
    Column,
    Graph,
    GraphMalformed,
    Parameter,
    Transformation,
    array_sizes,
    check_graph,
)
from walle.whitebox.operators import OPERATORS, Bound, Flow, Operator
from walle.whitebox.types import (
    CATEGORY,
    NUMBER,
    TEXT,
    TOKENS,
    CategoryType,
    LabelType,
    TextType,
    ValueType,
    VectorType,
)

COLUMNS = (Column("t", "text"), Column("n", "number"), Column("m", "number"), Column("c", "category"))
DIGEST = "ab" * 32


def array(*shape: int, dtype: str = "<f8", digest: str | None = None) -> Parameter:
    return Parameter(digest or f"{abs(hash((shape, dtype))):064x}"[-64:], dtype, shape)


BOTH = Transformation("both", "concat", ("column:n", "column:m"))
TOKENS_ = Transformation("tokens", "tokenize", ("column:t",), {"characters": "word", "shortest": 2})
TABLE = {"table": array(9, dtype="<u8")}
COUNTS = Transformation("counts", "word_ngrams", ("tokens",), {"low": 1, "high": 2, "size": 40}, TABLE)
TREES = {"nodes": array(6, 4, dtype="<i4"), "roots": array(2, dtype="<i4"), "depths": array(2, dtype="<i4")}
LABEL = Transformation("label", "argmax", ("both",))
LOOKUP = {"missing": None, "refuse_unknown": False}


def types_of(*steps: Transformation) -> dict[str, ValueType]:
    """The types of transformations, of which the last may be anything."""
    end = Transformation("end", "binarize", ("column:n",), {"threshold": 0})
    return check_graph(Graph(COLUMNS, (*steps, end), {"value": "end"}))


def refusal(*steps: Transformation) -> str:
    with pytest.raises(GraphMalformed) as raised:
        types_of(*steps)
    (text,) = raised.value.texts
    return text


def use(operator: str, *inputs: str, **settings: object) -> Transformation:
    return Transformation("x", operator, inputs, settings)


@pytest.mark.parametrize(
    ("step", "made"),
    [
        (use("lowercase", "column:t"), TEXT),
        (use("strip_accents", "column:t", form="ascii"), TEXT),
        (use("collapse_spaces", "column:t"), TEXT),
        (use("tokenize", "column:t", characters="nonspace", shortest=1), TOKENS),
        (use("hash_char_ngrams", "column:t", low=1, high=3, boundary=True, size=8, signed=True), VectorType(8, True)),
        (use("hash_word_ngrams", "tokens", low=1, high=3, size=8, signed=True), VectorType(8, True)),
        (use("fill", "column:c", value="none"), CATEGORY),
        (use("concat", "both", "column:n"), VectorType(3)),
        (use("concat", "both", "counts"), VectorType(42, True)),
        (use("binarize", "counts", threshold=0), VectorType(40, True)),
        (use("binarize", "counts", threshold=-0.5), VectorType(40)),
        (use("map", "counts", function="exp"), VectorType(40)),
        (use("tfidf", "counts", sublinear=True), VectorType(40, True)),
        (use("affine", "counts", clip=None), VectorType(40, True)),
        (use("affine", "counts", clip=[0, 1]), VectorType(40, True)),
        (use("affine", "counts", clip=[1, 2]), VectorType(40)),
        (use("normalize", "counts", norm="max"), VectorType(40, True)),
        (use("norm", "counts", norm="l1"), NUMBER),
        (use("join_norms", "column:n", "column:m", norm="l1"), NUMBER),
        (use("divide", "both", "column:n"), VectorType(2)),
        (use("sigmoid", "both"), VectorType(2)),
        (use("softmax", "both"), VectorType(2)),
        (use("complement", "column:n"), VectorType(2)),
        (use("argmax", "both"), LabelType(2)),
        (use("argmin", "both"), LabelType(2)),
        (use("threshold", "column:n", threshold=0.5), LabelType(2)),
        (use("sum", "both", "both", weights=[0.5, 2]), VectorType(2)),
        (use("vote", "label", "label", weights=None), LabelType(2)),
        (replace(use("select", "both"), parameters={"indices": array(5, dtype="<i4")}), VectorType(5)),
        (
            replace(
                use("impute", "both", missing=None), parameters={"values": array(2), "indicated": array(1, dtype="<i4")}
            ),
            VectorType(3),
        ),
        (replace(use("affine", "counts", clip=None), parameters={"center": array(40)}), VectorType(40)),
        (replace(use("pca", "both"), parameters={"components": array(3, 2), "mean": array(2)}), VectorType(3)),
        (replace(use("kmeans", "both"), parameters={"centers": array(3, 2)}), VectorType(3)),
        (replace(use("linear", "counts"), parameters={"weights": array(3, 40)}), VectorType(3)),
        (
            replace(
                use("trees", "both", size=3, average=True, single=False), parameters={**TREES, "values": array(6, 3)}
            ),
            VectorType(3),
        ),
        (
            replace(
                use("trees", "both", size=3, average=True, single=False),
                parameters={**TREES, "values": array(6, 1), "targets": array(2, dtype="<i4")},
            ),
            VectorType(3),
        ),
        (
            replace(
                use("tree_features", "both", size=4, single=True),
                parameters={**TREES, "columns": array(6, dtype="<i4")},
            ),
            VectorType(4, True),
        ),
        (
            replace(use("one_hot", "column:c", size=5, unknown_column=4, **LOOKUP), parameters=TABLE),
            VectorType(5, True),
        ),
        (
            replace(use("one_hot", "column:n", size=5, unknown_column=None, **LOOKUP), parameters={"values": array(5)}),
            VectorType(5, True),
        ),
        (replace(use("ordinal", "column:c", unknown_value=None, **LOOKUP), parameters=TABLE), NUMBER),
        (
            replace(use("char_ngrams", "column:t", low=2, high=2, boundary=False, size=7), parameters=TABLE),
            VectorType(7, True),
        ),
    ],
    ids=lambda value: value.operator if isinstance(value, Transformation) else "",
)
def test_what_operators_make(step, made):
    assert types_of(BOTH, TOKENS_, COUNTS, LABEL, step)["x"] == made


def test_every_operator_is_tried_and_annotated():
    tried = {
        mark.args[1][at][0].operator for mark in test_what_operators_make.pytestmark for at in range(len(mark.args[1]))
    }
    assert tried | {"word_ngrams"} == OPERATORS.keys()
    assert len(OPERATORS) == 35
    for each in OPERATORS.values():
        assert isinstance(each.flow, Flow)
        assert isinstance(each.bound, Bound)
        assert each.words
        assert each.inputs is None or not (each.commutative or each.associative)


def test_annotations_are_those_by_which_the_oven_works():
    def those(flag: str) -> set[str]:
        return {each.name for each in OPERATORS.values() if getattr(each, flag)}

    assert those("breaks") == {"concat", "normalize", "softmax"}
    assert those("commutative") == {"sum", "join_norms", "vote"}
    assert those("associative") == {"concat", "sum", "join_norms"}
    assert those("elementwise") == {"affine", "binarize", "map", "tfidf", "sigmoid"}
    dense = {"affine", "binarize", "map", "tfidf", "normalize", "norm", "pca", "kmeans", "linear", "sum", "divide"}
    assert those("vectorizable") == dense | {"sigmoid", "softmax"}
    assert {each.name for each in OPERATORS.values() if each.flow is Flow.ONE_TO_MANY} == {
        "tokenize",
        "char_ngrams",
        "word_ngrams",
        "hash_char_ngrams",
        "hash_word_ngrams",
        "one_hot",
        "tree_features",
        "complement",
    }
    assert {each.name for each in OPERATORS.values() if each.bound is Bound.COMPUTE} == {
        *("map", "pca", "kmeans", "linear", "trees", "tree_features", "sum", "vote"),
        *("sigmoid", "softmax", "complement", "argmax", "argmin", "threshold"),
    }


@pytest.mark.parametrize(
    ("setting", "operators"),
    [
        ("low", {"char_ngrams", "word_ngrams", "hash_char_ngrams", "hash_word_ngrams"}),
        ("high", {"char_ngrams", "word_ngrams", "hash_char_ngrams", "hash_word_ngrams"}),
        (
            "size",
            {
                *("char_ngrams", "word_ngrams", "hash_char_ngrams", "hash_word_ngrams"),
                *("one_hot", "trees", "tree_features"),
            },
        ),
        ("shortest", {"tokenize"}),
        ("missing", {"one_hot", "ordinal"}),
        ("unknown_column", {"one_hot"}),
    ],
)
def test_what_counts_or_is_a_place_is_a_whole_number(setting, operators):
    def refuses(operator: Operator, value: object) -> bool:
        problems = Problems()
        operator.check_settings({setting: value}, "settings", problems)
        return problems.touches(f"settings.{setting}")

    assert {each.name for each in OPERATORS.values() if setting in each.settings and refuses(each, 1.5)} == operators
    assert not [each.name for each in OPERATORS.values() if setting in each.settings and refuses(each, 2)]


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (use("lowercase", "column:n"), "inputs[0]: expected text, found vector of 1"),
        (use("tokenize", "tokens", characters="word", shortest=1), "inputs[0]: expected text, found tokens"),
        (
            use("hash_word_ngrams", "column:t", low=1, high=1, size=8, signed=True),
            "inputs[0]: expected tokens, found text",
        ),
        (
            use("hash_word_ngrams", "tokens", low=3, high=2, size=8, signed=True),
            "settings.high: expected at least low, 3, found 2",
        ),
        (use("fill", "column:t", value="x"), "inputs[0]: expected category, found text"),
        (use("concat", "column:n", "column:c"), "inputs[1]: expected vector, found category"),
        (
            use("sum", "column:n", "both", weights=None),
            "inputs[1]: expected vector of 1, like the first, found vector of 2",
        ),
        (use("sum", "column:n", weights=[1, 2]), "settings.weights: expected 1 weights, one for each input, found 2"),
        (use("vote", "both", weights=None), "inputs[0]: expected label, found vector of 2"),
        (use("vote", "label", "label-2", weights=None), "inputs: expected labels of the same number of classes"),
        (use("complement", "both"), "inputs[0]: expected vector of 1, found vector of 2"),
        (use("threshold", "both", threshold=0), "inputs[0]: expected vector of 1, found vector of 2"),
        (use("divide", "both", "both"), "inputs[1]: expected vector of 1, found vector of 2"),
        (use("divide", "both"), "inputs: expected as many inputs as divide takes, 2, found 1"),
        (use("join_norms", "column:n", "both", norm="l1"), "inputs[1]: expected vector of 1, found vector of 2"),
        (use("affine", "both", clip=[2, 1]), "settings.clip: expected the least number first"),
        (use("one_hot", "both", size=5, unknown_column=None, **LOOKUP), "inputs[0]: expected category, or vector of 1"),
        (use("one_hot", "column:t", size=5, unknown_column=None, **LOOKUP), "inputs[0]: expected category or vector"),
        (
            use("ordinal", "column:n", unknown_value=0, **LOOKUP),
            "parameters: expected values and not table for a vector of 1",
        ),
        (
            replace(use("tfidf", "both", sublinear=True), parameters={"idf": array(3)}),
            "idf: expected the shape [2], found [3]",
        ),
        (replace(use("kmeans", "both"), parameters={"centers": array(3, 3)}), "centers: expected the shape [3, 2]"),
        (
            replace(
                use("tree_features", "both", size=4, single=True),
                parameters={**TREES, "columns": array(5, dtype="<i4")},
            ),
            "columns: expected the shape [6], found [5]",
        ),
        (
            replace(
                use("trees", "both", size=1, average=True, single=False),
                parameters={**TREES, "nodes": array(6, 3, dtype="<i4"), "values": array(6, 1)},
            ),
            "nodes: expected the shape [6, 4], found [6, 3]",
        ),
        (
            replace(
                use("trees", "both", size=1, average=True, single=False),
                parameters={**TREES, "nodes": array(1, 4, dtype="<i4"), "values": array(1, 1)},
            ),
            "roots: expected at most as many trees as nodes, 1, found 2",
        ),
        (
            replace(use("sigmoid", "both"), parameters={"x": array(3)}),
            "x: expected one of the parameters of sigmoid (none)",
        ),
        (
            replace(use("tfidf", "both", sublinear=True), parameters={"idf": Parameter(DIGEST, "<f8", (2,), 1, 3)}),
            "idf: expected a part inside the array",
        ),
        (use("concat", *["huge"] * 3), "inputs: expected a size of at most 268435456 together, found 536870913"),
    ],
)
def test_what_operators_refuse(step, expected):
    huge = Transformation(
        "huge", "hash_word_ngrams", ("tokens",), {"low": 1, "high": 1, "size": 178956971, "signed": True}
    )
    label = Transformation("label-2", "threshold", ("column:n",), {"threshold": 0})
    three = Transformation("label", "argmax", ("three",))
    before = (BOTH, TOKENS_, COUNTS, Transformation("three", "concat", ("both", "column:n")), three, label, huge)
    assert expected in refusal(*before, step)


def test_what_follows_something_refused_is_not_blamed():
    bad = Transformation("bad", "lowercase", ("column:n",))
    assert refusal(bad, use("tokenize", "bad", characters="word", shortest=1)).startswith("transformations[0]")


def test_all_that_share_a_digest_are_as_large():
    one = replace(use("select", "both"), parameters={"indices": Parameter(DIGEST, "<i4", (2,))})
    other = replace(one, id="y", parameters={"indices": Parameter(DIGEST, "<i4", (4,))})
    assert "parameters.indices: expected 8 bytes, as others of this digest, found 16" in refusal(BOTH, one, other)
    as_float = Transformation(
        "y", "tfidf", ("column:n",), {"sublinear": False}, {"idf": Parameter(DIGEST, "<f8", (1,))}
    )
    assert types_of(BOTH, one, as_float)["y"] == NUMBER


def test_all_arrays_together_have_a_limit():
    large = [
        Transformation(f"x{at}", "kmeans", ("both",), {}, {"centers": array(2**25, 2, digest=f"{at:064x}")})
        for at in range(9)
    ]
    assert "transformations: expected parameters of at most 4294967296 bytes together" in refusal(BOTH, *large)


def test_all_dense_vectors_together_have_a_limit():
    settings = {"low": 1, "high": 1, "size": 2**26 - 4, "signed": True}
    hashed = Transformation("hashed", "hash_word_ngrams", ("tokens",), settings)
    assert types_of(TOKENS_, hashed, use("normalize", "hashed", norm="l1"))["x"] == VectorType(2**26 - 4, True)
    # Two numbers of the record and that of the end are dense as well.
    assert types_of(TOKENS_, hashed, use("map", "hashed", function="exp"))["x"] == VectorType(2**26 - 4)
    found = refusal(TOKENS_, hashed, BOTH, use("map", "hashed", function="exp"))
    assert found == f"transformations: expected dense vectors of at most {2**26} numbers together, found {2**26 + 1}"


def test_too_many_transformations_are_not_looked_at():
    graph = Graph(COLUMNS, (TOKENS_,) * (MAX_TRANSFORMATIONS + 1), {})
    with pytest.raises(GraphMalformed) as raised:
        check_graph(graph)
    assert raised.value.texts == [f"transformations: expected 1 to {MAX_TRANSFORMATIONS} of them, found 4097"]


def test_a_graph_that_answers_nothing_is_refused():
    with pytest.raises(GraphMalformed) as raised:
        check_graph(Graph(COLUMNS, (BOTH,), {}))
    assert raised.value.texts == ["outputs: expected at least one of label, probabilities, value, decision, found none"]


def test_parts_of_parameters_are_cut_by_reference():
    whole = Parameter(DIGEST, "<f8", (2, 10))
    part = whole.slice(2, 8)
    assert (part.part, part.bytes, part.digest) == ((2, 6), 160, DIGEST)
    assert part.slice(1, 3) == Parameter(DIGEST, "<f8", (2, 10), 3, 5)
    assert whole.slice(0, 10) is whole
    step = Transformation("x", "linear", ("both",), {}, {"weights": part})
    assert array_sizes(Graph(COLUMNS, (step,), {})) == {DIGEST: 160}


def test_graphs_are_values():
    first, second = (Graph(COLUMNS, (BOTH, use("binarize", "both", threshold=0)), {"value": "x"}) for _ in range(2))
    assert first == second
    assert hash(first) == hash(second)
    assert first != replace(first, outputs={"decision": "x"})


def test_types_are_named():
    assert [
        str(each) for each in (TextType(), CategoryType(), TOKENS, VectorType(3), VectorType(3, True), LabelType(2))
    ] == [
        "text",
        "category",
        "tokens",
        "vector of 3",
        "sparse vector of 3",
        "label of 2",
    ]
