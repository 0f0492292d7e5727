"""Known escapes, tried for real, as this user and (test_other_users) as others."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from tests.container.conftest import ISOLATIONS
from tests.container.escapes import ESCAPES, LIMITS, Escape
from tests.container.support import WarmRuns, manifest, write_bundle
from walle.container.result import RunResult
from walle.container.sandbox import Sandbox

pytestmark = pytest.mark.processes


@pytest.fixture(params=["full isolation", "no namespaces"])
def isolation(request, sandboxes):
    """The isolation that strangers' tasks are run in, where this machine has them."""
    sandboxes(request.param)
    return request.param


@pytest.fixture(params=["cold", "warm"])
def runs(request):
    """What makes a sandbox one for single runs, or for the second run of a VM that is kept."""
    return WarmRuns if request.param == "warm" else lambda sandbox: sandbox


def tried(sandbox: Sandbox, bundle, escape: Escape) -> str:
    """In what a run of an escape ends: the word of its attempt, or the class of its failure."""
    required = [*escape.modules, *(["installed"] if escape.installed else [])]
    write_bundle(bundle, escape.main)
    result: RunResult = sandbox.run(bundle, manifest(limits=LIMITS, requires={"modules": required}), {})
    return result.output["result"][0] if result.output is not None else str(result.error_class)


@pytest.mark.parametrize("escape", [escape for escape in ESCAPES if not escape.installed], ids=lambda one: one.name)
def test_a_known_escape_leads_nowhere(isolation, runs, sandboxes, tmp_path, escape: Escape):
    assert tried(runs(sandboxes(isolation)), tmp_path, escape) in escape.ends


@pytest.fixture
def modules():
    """A folder that every user can read, which the folders of pytest are not."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.parametrize("escape", [escape for escape in ESCAPES if escape.installed], ids=lambda one: one.name)
def test_a_known_escape_by_a_module_of_the_machine_leads_nowhere(isolation, runs, modules, tmp_path, escape: Escape):
    (modules / "installed.py").write_text(escape.installed)
    with Sandbox(module_paths=[str(modules)], **ISOLATIONS[isolation]) as sandbox:
        assert tried(runs(sandbox), tmp_path, escape) in escape.ends
