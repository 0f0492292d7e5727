"""Compiled plans predict what the pipelines say, whatever the record and however they are run."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.whitebox.compiling.programs import hashed_text, many_numbers, two_texts, words_inside
from tests.whitebox.compiling.support import GuardedVectors, assert_alike, built, executable, is_missing
from tests.whitebox.pipelines import PROGRAMS, VALUES, attendees, records, sentiment
from walle.whitebox.compiling import ExecutablePlan, RecordRefused
from walle.whitebox.compiling.binding import TOGETHER
from walle.whitebox.compiling.compiler import LOWERINGS
from walle.whitebox.compiling.lowering import TEXT_STEPS
from walle.whitebox.compiling.reuse import Materialized, ReusingPlan
from walle.whitebox.flour import Flour
from walle.whitebox.graph import ID, Graph
from walle.whitebox.operators import OPERATORS

pytestmark = pytest.mark.slow

EVERY = (*PROGRAMS, hashed_text, words_inside, two_texts, many_numbers)
# Every kind of space and letter, marks that combine, and letters whose lower case is longer.
ODD = "aAbB 12_\t\n\x00\x1c\x85\xa0éÉßİK\u210dǅ\u0301\u0345\u2003\u200b¨\U0001d49c🙂ⅷ٣"
PIECES = st.one_of(st.sampled_from(ODD), st.sampled_from(["ab", "cd", "a b", "  ", "x" * 300]))
TEXTS = st.one_of(VALUES["text"], st.lists(PIECES, max_size=40).map("".join), st.text("ab ", max_size=3000))


def odd_records(plan: ExecutablePlan) -> st.SearchStrategy[dict[str, Any]]:
    values = {**VALUES, "text": TEXTS}
    return st.fixed_dictionaries({each.name: values[each.type] for each in plan.plan.columns})


def lacks_a_number(plan: ExecutablePlan, record: dict[str, Any]) -> bool:
    return any(is_missing(record[name]) and not may_miss for name, may_miss in plan.plan.numbers.items())


@pytest.mark.parametrize("program", EVERY)
@given(data=st.data())
def test_one_record_is_predicted_as_its_pipeline_says_and_nothing_outside_of_the_frame_is_touched(program, data):
    pipeline, plan = built(program)
    record, vectors = data.draw(odd_records(plan)), GuardedVectors()
    if lacks_a_number(plan, record):
        with pytest.raises(RecordRefused):
            plan.predict(record, vectors)
    else:
        assert_alike(plan.predict(record, vectors), pipeline, record)
    vectors.check()


@pytest.mark.parametrize("program", EVERY)
@given(data=st.data())
def test_a_batch_is_predicted_as_its_records_are_inline_and_stage_by_stage(program, data):
    _, plan = built(program)
    given_records = data.draw(st.lists(odd_records(plan) | st.none() | st.just({}), max_size=5))
    vectors, single = GuardedVectors(), plan.vectors()
    inline, staged = plan.parse(given_records), plan.parse(given_records)
    plan.run_batch(inline, vectors)
    for stage in plan.stages:
        stage.run(staged, vectors, 0, len(staged))
    vectors.check()
    for record, one, other in zip(given_records, plan.predictions(inline), plan.predictions(staged), strict=True):
        try:
            expected: Any = plan.predict(record, single)
        except RecordRefused as error:
            expected = (error.field, error.expected)
        assert described(one) == described(other) == described(expected)


def described(found: Any) -> Any:
    return (found.field, found.expected) if isinstance(found, RecordRefused) else found


@pytest.mark.parametrize("missing", [None, 4])
def test_records_that_go_through_trees_together_are_predicted_as_alone(missing):
    _, plan = built(attendees)
    vectors, single = GuardedVectors(), plan.vectors()
    rng = np.random.default_rng(0)
    records = [
        {"age": age, "distance": distance, "price": price, "day": 1, "city": "Seoul"}
        for age, distance, price in rng.normal(size=(TOGETHER + 13, 3)).tolist()
    ]
    records[7]["age"] = "none"
    if missing is not None:
        records[missing]["price"] = records[missing]["distance"] = None
    batch = plan.parse(records)
    plan.run_batch(batch, vectors)
    vectors.check()
    found = plan.predictions(batch)
    assert isinstance(found.pop(7), RecordRefused)
    del records[7]
    assert found == [plan.predict(each, single) for each in records]
    assert len(set(found)) > 2


def test_a_part_of_a_batch_leaves_the_others_alone():
    _, plan = built(sentiment)
    texts = [{"review": text} for text in ("aa bb", "cc", "dd ee aa", "")]
    whole, part, vectors = plan.parse(texts), plan.parse(texts), plan.vectors()
    plan.run_batch(whole, vectors)
    before = part.answers.copy()
    plan.run_batch(part, vectors, 1, 3)
    assert (part.answers[[0, 3]] == before[[0, 3]]).all()
    assert (part.answers[1:3] == whole.answers[1:3]).all()


@pytest.mark.parametrize("program", [sentiment, words_inside])
@given(text=TEXTS)
def test_a_surrogate_on_its_own_is_a_character_that_no_dictionary_has(program, text):
    _, plan = built(program)
    vectors = plan.vectors()
    surrogate, private = (f"{text} ab{odd}cd {odd}{text}" for odd in ("\ud800", "\ue000"))
    assert plan.predict(surrogate, vectors) == plan.predict(private, vectors)


@pytest.mark.parametrize("program", EVERY)
def test_no_id_is_the_name_of_a_slot_that_its_transformation_does_not_have(program):
    _, plan = built(program)
    made = {each.id for each in program().plan().graph.transformations}
    assert not [each for each in plan.plan.slots if ID.fullmatch(each) and each not in made]


@pytest.mark.parametrize("name", ["leaves", "row"])
def test_a_transformation_may_have_any_name(name):
    record = {"age": 31.0, "distance": 2.0, "price": None, "day": 1, "city": "Seoul"}
    program, plan = built(attendees)
    expected = plan.predict(record, plan.vectors())
    for step in program.graph.transformations:
        renamed = executable(program, with_id(program.graph, step.id, name))
        assert renamed.predict(record, renamed.vectors()) == expected


def with_id(graph: Graph, old: str, new: str) -> Graph:
    """A graph in which a transformation has another id."""
    names = {old: new}
    steps = (
        replace(each, id=names.get(each.id, each.id), inputs=tuple(names.get(id_, id_) for id_ in each.inputs))
        for each in graph.transformations
    )
    outputs = {name: names.get(id_, id_) for name, id_ in graph.outputs.items()}
    return replace(graph, transformations=tuple(steps), outputs=outputs)


def test_a_column_may_be_called_as_another_one_after_a_step():
    lower = Flour.text("note").lowercase().tokenize().word_ngrams(["ab"])
    other = Flour.text("note lowercase").tokenize().word_ngrams(["ab"])
    plan = executable(lower.concat(other).linear([[1.0, 10.0]]).regression())
    assert plan.predict({"note": "AB", "note lowercase": "ab ab"}, plan.vectors()).value == 21.0


class Kept(dict):
    put = dict.__setitem__
    paused = False

    def pauses(self):
        return self.paused

    def wants(self, key):
        return key not in self


class Unwanted(Kept):
    def wants(self, key):
        return False


@pytest.mark.parametrize("program", [*PROGRAMS, two_texts, words_inside])
@given(data=st.data())
def test_what_was_kept_of_a_record_predicts_the_same(program, data):
    pipeline, plan = built(program)
    store, vectors = Kept(), GuardedVectors()
    reusing = reusing_all(plan, store)
    drawn = data.draw(st.lists(records(pipeline.graph), min_size=1, max_size=4))
    for record in [each for each in drawn * 2 if not lacks_a_number(plan, each)]:
        assert reusing.predict(record, vectors) == plan.predict(record, plan.vectors())
    vectors.check()


def test_only_features_of_texts_are_kept_and_the_rest_is_run_with_what_is_found():
    _, plan = built(sentiment)
    store, vectors = Kept(), plan.vectors()
    reusing = reusing_all(plan, store)
    expected = reusing.predict("Aa bb", vectors)
    assert (len(store), len(reusing.shared)) == (1, 2)
    assert all(isinstance(each, Materialized) and each.size for each in store.values())
    changed = {key: Materialized(each.capacity, (bytearray(8), bytearray(8))) for key, each in store.items()}
    nothing = reusing_all(plan, Kept(changed)).predict("Aa bb", vectors)
    assert nothing == plan.predict("", vectors) != expected


def test_what_is_not_wanted_is_not_kept():
    _, plan = built(sentiment)
    store, vectors = Unwanted(), plan.vectors()
    assert reusing_all(plan, store).predict("Aa bb", vectors) == plan.predict("Aa bb", vectors)
    assert not store


def test_a_store_that_pauses_is_asked_for_nothing():
    _, plan = built(sentiment)
    store, vectors = Kept(), plan.vectors()
    reusing = reusing_all(plan, store)
    store.paused = True
    assert reusing.predict("Aa bb", vectors) == plan.predict("Aa bb", vectors)
    assert not store
    store.paused = False
    reusing.predict("Aa bb", vectors)
    assert len(store) == 1


@pytest.mark.parametrize("value", [["Aa"], {}, 7, None])
def test_what_is_no_text_is_refused_where_texts_are_looked_up_too(value):
    _, plan = built(sentiment)
    store = Kept()
    reusing = reusing_all(plan, store)
    with pytest.raises(RecordRefused, match="field review: expected a text"):
        reusing.predict({"review": value}, plan.vectors())
    assert not store


def test_plans_with_other_models_share_their_features():
    _, plan = built(sentiment)
    _, other = built(sentiment_with_another_model)
    identities = {each.identity for each in plan.stages} & {each.identity for each in other.stages} - {None}
    store, vectors = Kept(), plan.vectors()
    ReusingPlan(plan, identities, store).predict("Aa bb cc", vectors)
    assert len(store) == 1
    kept = dict(store)
    found = ReusingPlan(other, identities, store).predict("Aa bb cc", vectors)
    assert found == other.predict("Aa bb cc", vectors)
    assert store == kept


def reusing_all(plan, store):
    """Return the plan as one all of whose stages other plans have, too."""
    return ReusingPlan(plan, {each.identity for each in plan.stages} - {None}, store)


def sentiment_with_another_model():
    from tests.whitebox.pipelines import LETTERS, WORDS, letters, numbers, weights, words
    from walle.whitebox.flour import Flour

    review = Flour.text("review")
    left = letters(review).tfidf(numbers(len(LETTERS), 1)).normalize()
    right = words(review).tfidf(numbers(len(WORDS), 2), sublinear=True).normalize()
    score = left.concat(right).linear(-2 * weights(len(LETTERS), len(WORDS)))
    return score.binary_classifier(["bad", "good"])


def test_every_operator_has_a_kernel():
    assert {*LOWERINGS, *TEXT_STEPS} == OPERATORS.keys()
