"""The two halves of a placed workflow, run for real: together they answer what the workflow does as a whole."""

from __future__ import annotations

import base64
import json
import sys
from dataclasses import replace

import numpy as np
import pytest

from tests.bundle.workflow_example import OPERATORS, PROBLEM, plan, workflow_tree
from walle.bundle.manifest import build_manifest
from walle.bundle.samples import load_samples
from walle.bundle.validation import validate_tree
from walle.bundle.workflows.applying import apply_plan
from walle.container.cloud_half import CloudBundle, ask, uploaded, write_entry
from walle.container.profile import Cell, Profile
from walle.container.simulator import Simulator
from walle.placement.processor.planning import WorkflowCode
from walle.placement.processor.specs import OperatorCode
from walle.placement.profiling.models import ValidationRun
from walle_task.workflows import decoded, encoded

ITEMS = [
    {"text": "a tiny oak tree", "numbers": [1, 2]},
    {"text": "is it so", "numbers": [3]},
    {"text": "the same the same", "numbers": []},
    {"text": "one more sentence of words", "numbers": [0.5, 7]},
]
ON_PHONE = {
    "nothing": set(),
    "cutting": {"words", "long"},
    "weighing": {"words", "long", "weight", "factor"},
    "all": set(OPERATORS),
}
KINDS = {name: ("device" if name == "all" else "cloud") for name in ON_PHONE}


@pytest.fixture
def halves(tmp_path):
    """Lays out both halves of a version: the manifest, and the folders of the device's bundle and of the cloud half."""

    def lay_out(on_phone, model="heavy"):
        tiers = {name: "phone" if name in on_phone else "cloud" for name in OPERATORS}
        tree = apply_plan(workflow_tree(), PROBLEM, plan(tiers, model))
        found = validate_tree(tree)
        assert found.problems == ()
        for files, folder in ((found.files, tmp_path / "device"), (found.cloud, tmp_path / "cloud")):
            folder.mkdir()
            for entry in files:
                path = folder / entry.path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(tree.read(entry.path))
        names = {"scenario": "shop", "task": "lengths", "version": "1.0.0", "commit": "0" * 40}
        manifest = build_manifest(found.spec, found.files, lambda path: "0" * 64, **names)
        cloud = None
        if found.spec.cloud:
            write_entry(tmp_path / "cloud", found.spec.cloud)
            cloud = CloudBundle(found.spec.cloud, tmp_path / "cloud", manifest["upload"])
        return tmp_path / "device", manifest, cloud, load_samples(tree, found.spec.samples, manifest)

    return lay_out


@pytest.fixture
def whole(tmp_path):
    """Returns the records of the sink for each item, as the processor computes them in one process."""
    folder = tmp_path / "whole"
    tree = workflow_tree()
    for entry in tree.entries():
        (folder / entry.path).parent.mkdir(parents=True, exist_ok=True)
        (folder / entry.path).write_bytes(tree.read(entry.path))
    named = json.loads(tree.read("code.json"))["operators"]
    code = {name: OperatorCode(str(folder), each.get("entry", ""), each.get("key", "")) for name, each in named.items()}

    def compute(model):
        run = ValidationRun(PROBLEM.workflow, WorkflowCode(code), [(item, {}) for item in ITEMS])
        selection = {name: models[0] for name, (_, _, models) in OPERATORS.items()} | {"weight": model}
        return [[list(record) for record in each.records] for each in run.output("total", selection).envelopes]

    before = set(sys.modules), list(sys.path)
    yield compute
    for name in set(sys.modules) - before[0]:
        if str(folder) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]
    sys.path[:] = before[1]


@pytest.mark.processes
@pytest.mark.parametrize("model", ["light", "heavy"])
@pytest.mark.parametrize("cut", ON_PHONE)
def test_both_halves_together_answer_as_the_workflow_does_as_a_whole(sandbox, halves, whole, cut, model):
    bundle, manifest, cloud, _ = halves(ON_PHONE[cut], model)
    runs = [sandbox.run(bundle, manifest, item) for item in ITEMS]
    assert [(run.error_class, run.message) for run in runs] == [(None, None)] * len(ITEMS)
    outputs = [run.output for run in runs]
    if cloud is not None:
        said = ask(sandbox.run, cloud.folder, cloud.half, [uploaded(cloud.upload, output) for output in outputs])
        assert len(said.calls) == 1
        outputs = [json.loads(each.body) for each in said.answers]
    assert [output["records"] for output in outputs] == whole(model)


@pytest.mark.processes
@pytest.mark.parametrize("cut", ["all", "weighing"])
def test_a_simulation_holds_the_answer_against_the_samples_wherever_it_is_made(sandbox, halves, cut):
    bundle, manifest, cloud, samples = halves(ON_PHONE[cut])
    profile = Profile(sdk="1.3.0", python="3.11", modules={})
    cell = Cell("1.0.0", "android", "14")
    report = Simulator(sandbox).simulate(cell, profile, bundle, manifest, samples, cloud=cloud)
    assert (report.state, report.sentence.startswith("1 sample passed")) == ("passed", True)
    wrong = {"records": {"equals": []}}
    others = [replace(each, expect=each.expect and wrong, answer=each.answer and wrong) for each in samples]
    report = Simulator(sandbox).simulate(cell, profile, bundle, manifest, others, cloud=cloud)
    assert report.state == "failed"
    assert "records: expected [], found [[4, 105.0], [3, 45.0]]" in report.sentence


@pytest.mark.processes
def test_what_no_device_half_uploads_gets_no_answer_and_spoils_no_other(sandbox, halves):
    bundle, manifest, cloud, _ = halves(ON_PHONE["cutting"])
    sound = uploaded(cloud.upload, sandbox.run(bundle, manifest, ITEMS[0]).output)["crossing"]
    strange = [
        {},
        {**sound, "more": ["t"]},
        {**sound, "long": ["l"]},
        {**sound, "long": ["t", ["z"]]},
        {**sound, "long": ["t", ["a", "O", [1], ""]]},
        {**sound, "long": {"t": 1}},
    ]
    features = [{"crossing": each} for each in (sound, *strange, sound)] + [{"crossing": 1}, {}]
    said = ask(sandbox.run, cloud.folder, cloud.half, features)
    assert len(said.calls) == 1
    assert [each.body is not None for each in said.answers] == [True, *[False] * len(strange), True, False, False]


def arrays(value):
    """Return a value with arrays as texts that say all of them, so that it can be compared."""
    if isinstance(value, np.ndarray | np.generic):
        return f"{type(value).__name__} {value.dtype} {value.shape} {value.tobytes().hex()}"
    if isinstance(value, list | tuple):
        return type(value)(map(arrays, value))
    return {key: arrays(each) for key, each in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize(
    "record",
    [
        None,
        True,
        -7,
        0.1,
        "t",
        "",
        [],
        (),
        {},
        ["l", ["t", 1]],
        ("a", ("b", [None, {"d": (1, b"\0\xff"), "": []}])),
        np.arange(6, dtype=">i2").reshape(2, 3),
        np.zeros((0, 4), np.float32),
        np.array([[True], [False]]),
        np.array(["red", "green"]),
        np.float32(0.1),
        {"box": np.arange(12, dtype=np.uint8).reshape(3, 4)[:, ::2], "n": np.int64(3)},
    ],
    ids=repr,
)
def test_a_record_crosses_as_it_is(record):
    crossed = decoded(json.loads(json.dumps(encoded(record), allow_nan=False)))
    assert arrays(crossed) == arrays(record)
    assert type(crossed) is type(record)


def test_arrays_that_crossed_can_be_written_to():
    crossed = decoded(encoded(np.zeros(2)))
    crossed[0] = 1
    assert crossed.tolist() == [1, 0]


@pytest.mark.parametrize("record", [{1: 2}, {3}, object(), np.array([None]), np.datetime64("2024-01-01")], ids=type)
def test_a_record_that_would_come_apart_does_not_cross(record):
    with pytest.raises(TypeError, match="plain values and arrays"):
        encoded([record])


@pytest.mark.parametrize(
    "value",
    [
        {"t": 1},
        [],
        ["x", 1],
        ["d", [1]],
        ["b", "*"],
        ["a", "O", [1], base64.b64encode(bytes(8)).decode()],
        ["a", "<f8", [3], base64.b64encode(bytes(8)).decode()],
        ["a", "<f8"],
        [["t"]],
    ],
    ids=repr,
)
def test_what_was_never_encoded_is_refused(value):
    with pytest.raises((ValueError, TypeError, LookupError)):
        decoded(value)
