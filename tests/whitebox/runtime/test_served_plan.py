"""Compiled plans in the runtime: batches as single records, and the same answers whatever plans share."""

import math
from pkgutil import resolve_name

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.whitebox.compiling.test_columns import columns_of
from tests.whitebox.compiling.test_predictions import sentiment_with_another_model
from tests.whitebox.pipelines import attendees, data_of, records, sentiment
from walle.whitebox.archive import Archive
from walle.whitebox.compiling.records import RecordRefused
from walle.whitebox.kernels import character_classes, load_kernels
from walle.whitebox.runtime.served_plan import ServedPlan
from walle.whitebox.runtime.service import KERNELS, Runtime
from walle.whitebox.serving.runtime_engine import warm_up

PROGRAMS = {"one": sentiment, "other": sentiment_with_another_model, "numbers": attendees}


@pytest.fixture(scope="module")
def runtime(tmp_path_factory):
    return runtime_in(tmp_path_factory.mktemp("parameters"))


def runtime_in(folder):
    runtime = Runtime(folder)
    for name, build in PROGRAMS.items():
        program = build()
        for digest, raw in data_of(program).items():
            (runtime.store.folder / f"{digest}.bin").write_bytes(raw)
        archive = Archive(program.graph, program.statistics, {})
        runtime.register(name, ServedPlan.of(archive), engine="request-response")
    return runtime


def load_as_executors_do():
    for name in KERNELS:
        found = resolve_name(name)
        if callable(found):
            found()


@pytest.mark.parametrize("load", [load_as_executors_do, warm_up])
def test_a_process_that_forks_others_has_made_all_that_plans_need(load):
    """A plan has a fraction of a second of processor time, in which its executor must not make tables."""
    character_classes.cache_clear()
    load()
    assert (character_classes.cache_info().currsize, load_kernels.cache_info().currsize) == (1, 1)


def test_plans_that_differ_in_their_model_share_the_features_of_texts_and_their_parameters(runtime):
    found = runtime.statistics()
    assert [found["plans"][name]["shared_stages"] for name in PROGRAMS] == [2, 2, 0]
    assert found["stages"]["shared"] == 2
    assert found["memory"]["unshared_bytes"] > found["memory"]["shared_bytes"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.text(max_size=40), min_size=1, max_size=5))
def test_what_another_plan_computed_changes_no_answer(runtime, texts):
    for name in ("one", "other"):
        plan = runtime.plan(name)
        for text in texts:
            assert runtime.predict(name, {"review": text}) == plan.bound.predict(text, plan.bound.vectors(1))


def test_what_one_plan_computed_is_found_by_another(tmp_path):
    # One that has chosen nothing yet by the times of what it was asked.
    runtime = runtime_in(tmp_path)
    kept = runtime.statistics()["stages"]
    record = {"review": "a text that no other test has, abab cdcd"}
    for _ in range(3):
        runtime.predict("one", record), runtime.predict("other", record)
    found = runtime.statistics()["stages"]
    assert found["entries"] == kept["entries"] + 1
    assert found["hits"] > kept["hits"]


@given(data=st.data())
def test_a_batch_has_the_answers_of_its_records_and_their_refusals(runtime, data):
    for name, build in PROGRAMS.items():
        given = data.draw(st.lists(records(build().graph) | st.just("no record"), max_size=6))
        bound = runtime.plan(name).bound
        answers, refused = bound.run(given, bound.vectors(1))
        found = bound.read(answers)
        alone = [one(bound, index, record) for index, record in enumerate(given)]
        assert refused == [each for each in alone if type(each) is tuple]
        assert found == [each for each in alone if type(each) is not tuple]


def one(bound, index, record):
    """The prediction of one record, or its refusal as in a batch."""
    try:
        return bound.predict(record, bound.vectors(1))
    except RecordRefused as error:
        return index, error.field, error.expected


@given(data=st.data())
def test_columns_are_answered_as_their_records_and_stay_columns(runtime, data):
    bound, graph = runtime.plan("numbers").bound, attendees().graph
    given = data.draw(st.lists(records(graph), min_size=1, max_size=6))
    given = [
        record | data.draw(st.sampled_from([{}, {}, {"age": math.inf}, {"city": "x" * 2_000_000}])) for record in given
    ]
    columns = columns_of(given, [column.name for column in graph.columns])
    answers = bound.columns(*bound.run(columns, bound.vectors(1)))
    expected = [one(bound, index, record) for index, record in enumerate(given)]
    assert [
        (each.index, each.field, each.expected) if isinstance(each, RecordRefused) else each for each in answers
    ] == (expected)
    assert len(answers) == len(given)
    assert answers.is_answered.tolist() == [type(each) is not tuple for each in expected]
    assert answers.part("value").shape == (len(given), 1)
    for values, each in zip(answers.part("value").tolist(), expected, strict=True):
        assert math.isnan(values[0]) if type(each) is tuple else values == [each.value]
    assert answers.part("probabilities") is None
