"""The example vqa, with a plan applied: its halves answer the sample, wherever the cut is."""

from __future__ import annotations

import json

import pytest

from examples.evaluate import HERE
from walle.bundle.manifest import build_manifest
from walle.bundle.samples import load_samples
from walle.bundle.tree import FolderTree
from walle.bundle.validation import validate_tree
from walle.bundle.workflows.applying import apply_plan
from walle.container.cloud_half import CloudBundle, write_entry
from walle.container.profile import Cell, Profile
from walle.container.sandbox import Sandbox
from walle.container.simulator import Simulator
from walle.placement.problem.document import problem_of
from walle.placement.problem.model import PlacementPlan
from walle.placement.profiling.document import completed

pytestmark = [pytest.mark.slow, pytest.mark.processes]
VQA = HERE / "workflows" / "vqa"
MODELS = {"features": "large", "speech": "fast", "answer": "keyword"}
EDGE = {"features": "edge-1", "speech": "edge-2", "answer": "edge-3"}
CLOUD = {"features": "cloud-1", "speech": "cloud-2", "answer": "cloud-3"}


def applied(on_device):
    """The tree with a plan that has some operators on the device, of a problem that asks for little."""
    document = json.loads((VQA / "problem.json").read_text())
    document["target"] = {"accuracy": 0, "rates": {"image": 1, "sound": 1}}
    workers = {name: ((EDGE if name in on_device else CLOUD)[name],) for name in MODELS}
    return apply_plan(FolderTree(VQA), problem_of(completed(document)), PlacementPlan(MODELS, workers))


@pytest.mark.parametrize("on_device", [set(MODELS), {"features", "speech"}, {"speech"}, set()], ids=len)
def test_the_sample_is_answered(tmp_path, on_device):
    tree = applied(on_device)
    found = validate_tree(tree)
    assert found.problems == ()
    for files, folder in ((found.files, tmp_path / "device"), (found.cloud, tmp_path / "cloud")):
        for entry in files:
            path = folder / entry.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(tree.read(entry.path))
    names = {"scenario": "shop", "task": "vqa", "version": "1.0.0", "commit": "0" * 40}
    manifest = build_manifest(found.spec, found.files, lambda path: "0" * 64, **names)
    cloud = None
    if found.spec.cloud:
        write_entry(tmp_path / "cloud", found.spec.cloud)
        cloud = CloudBundle(found.spec.cloud, tmp_path / "cloud", manifest["upload"])
    samples = load_samples(tree, found.spec.samples, manifest)
    profile = Profile(sdk="1.3.0", python="3.11", modules={"numpy": "*"})
    with Sandbox() as sandbox:
        simulator = Simulator(sandbox)
        report = simulator.simulate(
            Cell("1.0.0", "android", "14"), profile, tmp_path / "device", manifest, samples, cloud=cloud
        )
    assert report.state == "passed", report.sentence
