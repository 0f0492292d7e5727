"""Every benchmark starts, measures and ends at a tiny scale: what it measured then is not judged."""

import json
import subprocess
import sys
from importlib.util import find_spec

import pytest

from benchmarks.support.harness import Status
from benchmarks.support.walle import ROOT
from tests.benchmarks.listing import NAMES, declared
from walleweb.dashboard.journeys import find_browser

pytestmark = pytest.mark.processes

OF_A_PART = ("engine", "placement_run")
"""Their tiny runs are of one network or example, of which not all figures can be told."""
WITH_TORCH = {"raster"}
"""Those with PyTorch as a peer, which is installed apart."""
HUNG_S = 600
"""Longer than any of them takes on a machine that is busy with something else."""


@pytest.mark.parametrize("name", NAMES)
def test_measures_at_a_tiny_scale(name, tiny_environment):
    if name == "dashboard" and find_browser() is None:
        pytest.skip("no Chromium on this machine")
    command = [sys.executable, "-m", f"benchmarks.{name}"]
    done = subprocess.run(
        command, cwd=ROOT, env=tiny_environment, capture_output=True, text=True, timeout=HUNG_S, check=False
    )
    assert done.returncode == Status.NOT_JUDGED, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    benchmark = declared(name)
    assert f"{name}: not judged: below the stated scale" in done.stdout
    found = json.loads(done.stdout.splitlines()[-1])
    assert (found["benchmark"], found["judged"], found["met"]) == (name, False, False)
    assert found["scale"] == {dimension: size.tiny for dimension, size in benchmark.scale.items()}
    assert found["stated_scale"] == {dimension: size.stated for dimension, size in benchmark.scale.items()}
    assert found["assumptions"] == list(benchmark.assumptions)
    measured = {figure for figure, value in found["figures"].items() if value is not None}
    lacks = name in OF_A_PART or (name in WITH_TORCH and find_spec("torch") is None)
    left_out = found["left_out"] if lacks else ()
    assert {target.figure for target in benchmark.targets} - set(left_out) <= measured
