"""What the demonstration makes of releases: strategies for fleets of any size, and what it shows of them."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.release.strategy import Strategy
from walle.whitebox.archive import read_document
from walleweb.demo import show
from walleweb.demo.context import first_line
from walleweb.demo.examples import BETTER, FLAWED, IMAGE, MOOD, RENAMED, TEXT, UNFIT
from walleweb.demo.rollback import deciding_time
from walleweb.demo.strategies import HASTY, TESTERS, TO_A_THIRD, USUAL, in_stages

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


@given(st.integers(0, 10_000), st.integers(0, 100), st.sampled_from([USUAL, HASTY]))
def test_a_strategy_asks_for_no_more_devices_than_there_are(devices, testers, grays):
    strategy = Strategy.from_dict(in_stages(devices, testers, grays))
    beta, *steps = strategy.stages
    assert (beta.id_list, beta.evidence) == (TESTERS, testers)
    assert sum(step.evidence for step in steps) <= devices


def test_each_version_holds_what_differs_from_the_one_before(tmp_path):
    files = {}
    for example in (IMAGE, BETTER, UNFIT, FLAWED):
        tree = example.lay_out(tmp_path / example.version)
        files[example] = {path.relative_to(tree).as_posix() for path in tree.rglob("*") if path.is_file()}
    assert files[IMAGE] | {"samples/six.json"} == files[BETTER] == files[UNFIT] == files[FLAWED]
    assert "einsum" not in (tmp_path / "1.3.0" / "main.py").read_text()


def test_the_renamed_column_is_all_that_callers_of_the_pipeline_miss(tmp_path):
    trees = [example.lay_out(tmp_path / example.version) for example in (MOOD, RENAMED)]
    before, after = (read_document((tree / "pipeline.json").read_bytes()) for tree in trees)
    columns = [[column.name for column in archive.graph.columns] for archive in (before, after)]
    assert columns == [list(first_line(TEXT.inputs)["inputs"]), ["review"]]
    assert before.array_sizes == after.array_sizes


def test_of_callers_as_many_are_held_back_as_get_the_version():
    first, _ = (strategy := Strategy.from_dict(TO_A_THIRD)).stages
    assert strategy.control == first.share


def test_a_pipeline_goes_to_callers_and_a_task_to_versions_of_the_app():
    assert MOOD.rule(["1.0.0"]) == {"fact": "kind-pipeline", "equals": True}
    assert IMAGE.rule(["1.0.0"]) == {"fact": "app_version", "in": ["1.0.0"]}


def report(number, outcome="success", kind="run"):
    at = (NOW + timedelta(seconds=number)).isoformat()
    return {"device": f"d{number}", "kind": kind, "outcome": outcome, "received_at": at}


def test_the_deciding_report_is_the_first_after_which_a_test_objects():
    release = {"strategy": {"limits": {}}}
    judged_at = (NOW + timedelta(seconds=99)).isoformat()
    healthy = [report(number) for number in range(10)]
    failing = [report(number, "failure") for number in range(10, 20)]
    again = [{**report(30 + number, "failure"), "device": "d1"} for number in range(10)]
    installed = [report(40 + number, kind="install") for number in range(10)]
    assert deciding_time(release, [*failing, *healthy], judged_at) == NOW + timedelta(seconds=12)
    assert deciding_time(release, [*healthy, *again, *installed], judged_at) == NOW + timedelta(seconds=99)


def release_in(state, position, **changes):
    stages = [
        {"kind": "beta", "id_list": "testers", "share": 0},
        {"kind": "gray", "id_list": "", "share": 5_000},
        {"kind": "gray", "id_list": "", "share": 1_000_000},
    ]
    times = [NOW + timedelta(seconds=2 * number) for number in range(4)]
    for number, stage in enumerate(stages):
        reached = position is not None and number <= position
        left = reached and (number < position or state == "complete")
        stage["position"] = number
        stage["entered_at"] = times[number].isoformat() if reached else None
        stage["left_at"] = times[number + 1].isoformat() if left else None
    figures = {"treatment": {"reported": 12, "failed": 1}}
    simulated = {"strategy": {"simulation": True}}
    return {"state": state, "position": position, "stages": stages, "figures": figures, **simulated, **changes}


@pytest.mark.parametrize(
    ("state", "position", "line"),
    [
        ("simulating", None, "▸ simulation ─ · beta testers ─ · gray 0.5 % ─ · gray 100 %"),
        ("rejected", None, "✗ simulation ─ · beta testers ─ · gray 0.5 % ─ · gray 100 % rejected"),
        ("running", 1, "✓ simulation ─ ✓ beta testers 2.0 s ─ ▸ gray 0.5 % 12 reported, 1 failed ─ · gray 100 %"),
        ("paused", 0, "✓ simulation ─ ✗ beta testers ─ · gray 0.5 % ─ · gray 100 % paused"),
        ("rolled-back", 1, "✓ simulation ─ ✓ beta testers 2.0 s ─ ✗ gray 0.5 % ─ · gray 100 % rolled-back"),
        (
            "complete",
            2,
            "✓ simulation ─ ✓ beta testers 2.0 s ─ ✓ gray 0.5 % 2.0 s ─ ✓ gray 100 % 2.0 s complete",
        ),
    ],
)
def test_stages_are_one_line(state, position, line):
    assert show.stages(release_in(state, position)).plain == line


def test_without_a_simulation_the_line_begins_with_the_first_stage():
    release = release_in("running", 0, strategy={"simulation": False})
    assert show.stages(release).plain.startswith("▸ beta testers")


def test_the_last_line_of_a_log_says_what_went_wrong():
    assert show.last_line("-- a seven\nTraceback\nValueError: no\n\n") == "ValueError: no"
    assert show.last_line("") == "(it wrote none)"
