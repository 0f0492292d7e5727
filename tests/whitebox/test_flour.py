"""Pipelines written in Python: what graph a chain is, and that it predicts what it says."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest

from tests.whitebox.pipelines import Tree, data_of, trees
from tests.whitebox.reference import predict
from walle.bundle.tree import FolderTree
from walle.whitebox import flour
from walle.whitebox.archive import ColumnStatistics, VectorStatistics, read_archive
from walle.whitebox.flour import Chain, Flour, LabelChain
from walle.whitebox.graph import Column, GraphMalformed
from walle.whitebox.ngram_table import build_table
from walle.whitebox.operators import OPERATORS, Bound, Flow
from walle.whitebox.oven import STEPS
from walle.whitebox.program import Program

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "pipelines.md"


def value_of(chain, **record):
    program = chain.regression()
    return predict(program.graph, data_of(program), record)["value"].tolist()


def test_the_example_of_the_module_is_a_pipeline():
    lines = inspect.cleandoc(flour.__doc__).splitlines()
    names = {"Flour": Flour}
    exec("\n".join(line.strip() for line in lines if line.startswith("    ")), names)
    found = predict(names["program"].graph, data_of(names["program"]), {"review": "Very good!"})
    assert found["label"] == "good"
    assert found["decision"] == [1 + 2 + 0.5]
    assert names["plan"].stages


def test_nothing_happens_before_a_plan_is_asked_for():
    chain = Flour.text("review").tokenize("letters")
    with pytest.raises(GraphMalformed, match=r"settings.characters: expected one of word, nonspace, found 'letters'"):
        chain.hash_word_ngrams(8).regression().plan()


def test_a_chain_that_is_used_twice_is_one_transformation():
    lower = Flour.text("review").lowercase()
    program = (
        lower.hash_char_ngrams(4).concat(lower.tokenize().hash_word_ngrams(4), lower.hash_char_ngrams(4)).regression()
    )
    assert [each.id for each in program.graph.transformations] == [
        "lowercase",
        "hash_char_ngrams",
        "tokenize",
        "hash_word_ngrams",
        "hash_char_ngrams-2",
        "concat",
    ]
    assert program.graph.columns == (Column("review", "text"),)


def test_columns_are_those_that_are_used_in_the_order_in_which_they_come():
    chain = Flour.numbers("b", "a").concat(Flour.category("c").one_hot(["x"]), Flour.number("a"))
    assert chain.regression().graph.columns == (Column("b", "number"), Column("a", "number"), Column("c", "category"))


def test_what_training_saw_goes_along():
    counts = Flour.text("review").seen(10.5, 20).tokenize().hash_word_ngrams(8).seen(1.5, 3)
    program = Program({"value": counts}, records=7)
    assert program.statistics.records == 7
    assert program.statistics.columns == {"review": ColumnStatistics(10.5, 20)}
    assert program.statistics.transformations == {"hash_word_ngrams": VectorStatistics(1.5, 3)}


def test_annotations_are_at_hand_while_one_writes():
    chain = Flour.text("review").tokenize()
    assert chain.annotations is OPERATORS["tokenize"]
    assert (chain.annotations.flow, chain.annotations.bound) == (Flow.ONE_TO_MANY, Bound.MEMORY)
    assert Flour.text("review").annotations is None


def test_a_dictionary_may_be_a_table_that_is_ready():
    table = build_table(["good", "bad"])
    chain = Flour.text("t").tokenize()
    assert chain.word_ngrams(table).regression().graph == chain.word_ngrams(["good", "bad"]).regression().graph
    assert value_of(chain.word_ngrams(table, size=3), t="bad bad") == [0, 2, 0]


@pytest.mark.parametrize(
    ("chain", "record", "expected"),
    [
        (lambda: Flour.text("t").strip_accents().char_ngrams(["e", "ü"]), {"t": "éü"}, [1, 0]),
        (lambda: Flour.text("t").tokenize(stop_words=["the"]).word_ngrams(["the", "end"]), {"t": "the end"}, [0, 1]),
        (lambda: Flour.text("t").char_ngrams([" a", "a "], 2, 2, boundary=True), {"t": "a"}, [1, 1]),
        (lambda: Flour.category("c").fill("x").one_hot(["x", "y"]), {"c": None}, [1, 0]),
        (lambda: Flour.category("c").one_hot(["x"], missing=1), {"c": None}, [0, 1]),
        (lambda: Flour.category("c").one_hot(["x", "y"], columns=[-1, 0], unknown_column=2), {"c": "z"}, [0, 0, 1]),
        (lambda: Flour.category("c").ordinal(["x", "y"], codes=[3, 7]), {"c": "y"}, [7]),
        (lambda: Flour.number("n").ordinal([1, 2.5], unknown_value=-1), {"n": 2.5}, [1]),
        (lambda: Flour.number("n").ordinal([1, 2.5], unknown_value=-1), {"n": 2}, [-1]),
        (lambda: Flour.number("n").one_hot([1, 2.5]), {"n": 2.5}, [0, 1]),
        (lambda: Flour.numbers("n", "m").impute([8, 9], indicated=[1]), {"n": None, "m": 2}, [8, 2, 0]),
        (lambda: Flour.numbers("n", "m").impute([8, 9], missing=2), {"n": 1, "m": 2}, [1, 9]),
        (lambda: Flour.number("n").affine(center=[1], divisor=[2], factor=[3], offset=[4], clip=(0, 9)), {"n": 5}, [9]),
        (lambda: Flour.numbers("n", "m").select([1, 1]), {"n": 1, "m": 2}, [2, 2]),
        (lambda: Flour.numbers("n", "m").pca([[1, 1]], [1, 1], [2]), {"n": 3, "m": 5}, [3]),
        (lambda: Flour.numbers("n", "m").kmeans([[0, 0]]), {"n": 3, "m": 4}, [5]),
        (lambda: Flour.number("n").map("square").binarize(8), {"n": 3}, [1]),
        (lambda: Flour.number("n").sum(Flour.number("n"), weights=[1, 2], intercept=[1]), {"n": 2}, [7]),
        (lambda: Flour.number("n").trees(**trees(Tree(0, 2, (1, 2, 3))), size=1, base=[10]), {"n": 1.5}, [13]),
    ],
)
def test_transformations_compute_what_they_say(chain, record, expected):
    assert value_of(chain(), **record) == expected


@pytest.mark.parametrize(
    ("chain", "record", "expected"),
    [
        (lambda: Flour.text("t").char_ngrams(["a", "ab"]), {"t": "ab"}, [1, 0]),
        (lambda: Flour.text("t").char_ngrams([" a", "a"], 1, 2), {"t": "a"}, [0, 1]),
        (lambda: Flour.text("t").hash_char_ngrams(1, signed=False), {"t": "ab"}, [2]),
        (lambda: Flour.text("t").tokenize().word_ngrams(["aa", "aa bb", "c"]), {"t": "aa bb c"}, [1, 0, 0]),
        (lambda: Flour.text("t").tokenize().hash_word_ngrams(1, signed=False), {"t": "aa bb"}, [2]),
        (lambda: Flour.category("c").one_hot(["x"]), {"c": None}, [0]),
        (lambda: Flour.numbers("n", "m").binarize(), {"n": 0, "m": 0.5}, [0, 1]),
        (lambda: Flour.numbers("n", "m").normalize(), {"n": 3, "m": 4}, [0.6, 0.8]),
        (lambda: Flour.number("n").tfidf([2]), {"n": 3}, [6]),
        (lambda: Flour.number("n").trees(**trees(*[Tree(0, 2, (1, 2, 3))] * 2), size=1), {"n": 1.5}, [6]),
    ],
)
def test_what_is_not_said_is_the_simplest(chain, record, expected):
    assert value_of(chain(), **record) == expected


def test_classifiers_end_with_label_probabilities_and_decision():
    scores = Flour.numbers("a", "b")
    program = scores.classifier(["x", "y"])
    found = predict(program.graph, data_of(program), {"a": 1, "b": 1})
    assert (found["label"], found["probabilities"].tolist()) == ("x", [0.5, 0.5])
    other = scores.select([0]).binary_classifier([0, 1])
    assert predict(other.graph, data_of(other), {"a": 0, "b": 1})["label"] == 0


def test_labels_vote():
    a, b = Flour.number("a"), Flour.number("b")
    labels = a.threshold().vote(b.threshold(), a.concat(b).argmin(), weights=[1, 3, 1])
    program = Program({"label": labels}, ("no", "yes"))
    assert predict(program.graph, data_of(program), {"a": -1, "b": 1})["label"] == "yes"


def test_a_program_is_written_as_an_archive(tmp_path):
    program = Flour.numbers("a", "b").linear([[1, 2]]).regression()
    program.write(tmp_path)
    assert read_archive(FolderTree(tmp_path)).graph == program.graph


def test_every_operator_can_be_written():
    """But for those that only the oven makes."""
    written = set(re.findall(r'Chain\(\s*"(\w+)"', inspect.getsource(flour)))
    assert OPERATORS.keys() - written == {"norm", "join_norms", "divide"}
    assert issubclass(LabelChain, Chain)
    assert np.array_equal(Flour.numbers("a", "b").linear([[1, 2]]).arrays["weights"], [[1.0, 2.0]])


def test_the_example_of_the_guide_is_an_archive(tmp_path, monkeypatch):
    (example,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(example, {})
    archive = read_archive(FolderTree(tmp_path / "mood"))
    assert archive.graph.classes == ("bad", "good")


def test_the_guide_names_the_rules_of_the_oven_in_their_order():
    rows = re.findall(
        r"^\| ([\w ]*) ?\| ([\w -]+) \| .* \|$",
        GUIDE.read_text().split("## What the oven does")[1].split("\n## ")[0],
        re.MULTILINE,
    )
    named = [rule for _, rule in rows if rule not in ("rule", "---")]
    assert named == [rule.name for step in STEPS for rule in step.rules]
    assert [step.strip() for step, _ in rows[1:] if step.strip(" -")] == [step.name for step in STEPS]
