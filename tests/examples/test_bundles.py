"""The examples as devices get them: valid bundles, reduced to what travels, run in the sandbox."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from examples.evaluate import EXAMPLES, HERE, predict
from tests.examples.replay import cases_of
from walle.bundle.manifest import build_manifest
from walle.bundle.samples import load_samples
from walle.bundle.spec import TaskSpec
from walle.bundle.tree import FolderTree
from walle.bundle.validation import validate_tree
from walle.container.requirements import RuntimeFacts, check_requirements
from walle.container.samples import run_samples
from walle.container.sandbox import Sandbox
from walleweb.demo.examples import Example

pytestmark = pytest.mark.processes

NAMES = {"image": "camera/digits", "text": "comments/sentiment", "recommendation": "shop/recommend", "shop": "shop/ipv"}
BUNDLES = (*EXAMPLES, "image 1.1.0", "image 1.2.0", "text 1.1.0")


class Installed(NamedTuple):
    """A bundle in a folder of its own that holds only the files that travel."""

    folder: Path
    source: Path
    manifest: dict[str, Any]
    spec: TaskSpec


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as opened:
        yield opened


def source_of(bundle: str, folder: Path) -> Path:
    """The tree that is pushed."""
    example, _, version = bundle.partition(" ")
    return Example(NAMES[example], version or "1.0.0", HERE / example).lay_out(folder)


def install(bundle: str, tmp_path: Path) -> Installed:
    source, folder = source_of(bundle, tmp_path / "source"), tmp_path / "installed"
    validation = validate_tree(FolderTree(source))
    assert validation.problems == ()
    assert validation.spec is not None
    for file in validation.files:
        (folder / file.path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / file.path, folder / file.path)
    scenario, task = NAMES[bundle.partition(" ")[0]].split("/")
    manifest = build_manifest(
        validation.spec,
        validation.files,
        lambda path: hashlib.sha256((source / path).read_bytes()).hexdigest(),
        scenario=scenario,
        task=task,
        version="1.0.0",
        commit="0" * 40,
    )
    return Installed(folder, source, manifest, validation.spec)


@pytest.fixture(params=BUNDLES)
def installed(request: pytest.FixtureRequest, tmp_path: Path) -> Installed:
    return install(request.param, tmp_path)


def test_only_what_a_device_needs_travels(installed: Installed) -> None:
    travelling = {path.relative_to(installed.folder).as_posix() for path in installed.folder.rglob("*.*")}
    assert travelling - {"defaults/prefs.json"} == {"main.py", "model.npz", "task.toml"}


def test_this_interpreter_meets_the_requirements(installed: Installed) -> None:
    facts = RuntimeFacts.of_this_interpreter(["numpy"], app="1.0.0", os="android", os_version="14")
    assert check_requirements(installed.manifest["requires"], facts) == []


def test_the_samples_pass_in_the_sandbox(installed: Installed, sandbox: Sandbox) -> None:
    samples = load_samples(FolderTree(installed.source), installed.spec.samples, installed.manifest)
    results = run_samples(sandbox.run, installed.folder, installed.manifest, samples)
    assert len(results) >= 2
    for result in results:
        assert result.passed, (result.name, result.mismatches, result.run)
        assert result.run.output is not None
        assert result.run.metrics == {"confidence": result.run.output["confidence"]}


def test_held_out_inputs_give_the_same_in_the_sandbox(installed: Installed, sandbox: Sandbox) -> None:
    example = next(name for name in EXAMPLES if NAMES[name].endswith(f"/{installed.manifest['task']}"))
    cases = cases_of(example)[::25]
    expected = list(predict(installed.source, cases))
    for case, output in zip(cases, expected, strict=True):
        result = sandbox.run(installed.folder, installed.manifest, case["inputs"])
        assert result.ok, result
        # One thread here and several there may round the last digit in another way.
        assert result.output == output | {"confidence": pytest.approx(output["confidence"], abs=2e-4)}


def test_the_kept_version_gives_what_the_one_before_gave(sandbox: Sandbox, tmp_path: Path) -> None:
    single, kept = install("text", tmp_path / "single"), install("text 1.1.0", tmp_path / "kept")
    assert "vm" not in single.manifest
    assert kept.manifest["vm"]["keep"]
    for case in cases_of("text")[:3]:
        once, again = (sandbox.run(one.folder, one.manifest, case["inputs"]) for one in (single, kept))
        assert again.output == once.output
        assert once.ok


def test_an_exclusive_variant_takes_the_place_of_the_default(sandbox: Sandbox, tmp_path: Path) -> None:
    shop = install("recommendation", tmp_path)
    inputs = {"events": [{"event": "login"}]}
    before = sandbox.run(shop.folder, shop.manifest, inputs)
    shutil.copy(HERE / "recommendation" / "variants" / "under-18.json", shop.folder / "prefs.json")
    after = sandbox.run(shop.folder, shop.manifest, inputs)
    assert before.output is not None
    assert after.output is not None
    assert "Wine" in before.output["recommendations"]
    assert "Wine" not in after.output["recommendations"]
