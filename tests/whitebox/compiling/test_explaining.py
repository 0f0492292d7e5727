"""What is said of physical plans."""

import json
import pickle

from tests.whitebox.compiling.support import built, executable
from tests.whitebox.pipelines import attendees, sentiment
from walle.whitebox.compiling import compile_plan, executed_by, explain_physical


def test_the_text_pipeline_is_executed_by_few_kernels_and_its_features_can_be_kept():
    physical = compile_plan(sentiment().plan())
    features = "count_ngrams, weigh_terms, normalize"
    assert executed_by(physical) == {
        "stage-1": f"{features} | linear_packed",
        "stage-2": f"tokenize, {features} | linear_packed, add, threshold, sigmoid, complement",
    }
    told = explain_physical(physical)
    kept = [each for each in told["stages"] if each["materialized"]]
    assert [each["logical"] for each in kept] == ["stage-1", "stage-2"]
    assert [each["columns"] for each in kept] == [["review"], ["review"]]
    assert {kind for each in kept for kind in each["makes"].values()} == {"sparse of 121", "sparse of 100"}
    json.dumps(told)


def test_vectors_are_made_where_a_concatenation_wants_them():
    physical = compile_plan(attendees().plan())
    kernels = [each.operation.name for each in physical.instructions]
    # The answer: nothing else is copied, not even what several take.
    assert kernels.count("COPY") == 1
    told = explain_physical(physical)
    assert told["frame"]["bytes"] < 4096
    assert told["parameters"]["arrays"] == len(physical.parameters())


def test_a_physical_plan_can_be_sent_to_another_process():
    program, plan = built(sentiment)
    assert pickle.loads(pickle.dumps(plan.plan)) == plan.plan
    assert executable(program).plan == plan.plan
