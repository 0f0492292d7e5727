"""camera/digits 1.2.0 and 1.3.0: each fails where it is to be stopped, and nowhere else."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from examples.evaluate import LocalContext, load_run
from tests.examples.replay import cases_of, readme
from tests.examples.test_bundles import Installed, install
from walle.bundle.samples import load_samples
from walle.bundle.tree import FolderTree
from walle.container.profile import read_profile
from walle.container.samples import SampleResult, run_samples
from walle.container.sandbox import Sandbox
from walleweb.demo.seed import APP_VERSIONS

pytestmark = pytest.mark.processes

CASES = cases_of("image")


@pytest.mark.parametrize(("app_version", "passes"), [("1.0.0", False), ("1.1.0", True), ("2.0.0", True)])
def test_1_2_0_fails_in_the_first_version_of_the_app_alone(app_version: str, passes: bool, tmp_path: Path) -> None:
    results = samples_in("image 1.2.0", app_version, tmp_path)
    assert [result.passed for result in results] == [passes] * 3
    assert passes or all("einsum" in str(result.run.message) for result in results)


@pytest.mark.parametrize("app_version", APP_VERSIONS)
def test_1_3_0_passes_on_its_samples_everywhere(app_version: str, tmp_path: Path) -> None:
    assert [result.passed for result in samples_in("image 1.3.0", app_version, tmp_path)] == [True] * 3


def test_1_3_0_fails_on_the_share_of_real_inputs_that_the_readme_says(tmp_path: Path) -> None:
    before, after = (answers(install(f"image {version}", tmp_path / version)) for version in ("1.1.0", "1.3.0"))
    failed = after.count(None)
    said = f"{failed} of the {len(CASES)} held-out images ({100 * failed / len(CASES):.0f} %)"
    assert said in readme("image")
    assert all(new in (None, old) for old, new in zip(before, after, strict=True))


def samples_in(bundle: str, app_version: str, tmp_path: Path) -> list[SampleResult]:
    """The samples of a version, run as a simulation of a version of the app runs them."""
    installed = install(bundle, tmp_path)
    profile = read_profile(APP_VERSIONS[app_version])["android", "14"]
    samples = load_samples(FolderTree(installed.source), installed.spec.samples, installed.manifest)
    with Sandbox() as sandbox:
        return run_samples(partial(sandbox.run, profile=profile), installed.folder, installed.manifest, samples)


def answers(installed: Installed) -> list[object]:
    """What a version answers to each held-out image; None where it fails as it is known to."""
    run, context = load_run(installed.folder), LocalContext(installed.folder)
    found: list[object] = []
    for case in CASES:
        try:
            found.append(run({"image": np.asarray(case["inputs"]["image"], dtype=np.float32)}, context))
        except IndexError:
            found.append(None)
    return found
