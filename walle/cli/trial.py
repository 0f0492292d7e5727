"""Run a version of a task on this machine as on a device: requirements, sandbox, samples or other inputs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from walle.bundle import kinds
from walle.bundle.compiling import with_bytecode
from walle.bundle.interpreters import Interpreters
from walle.bundle.manifest import build_manifest
from walle.bundle.models import with_models
from walle.bundle.packing import INSTALLED_MODE
from walle.bundle.samples import load_samples
from walle.bundle.spec import TaskSpec
from walle.bundle.tree import FileTree
from walle.bundle.validation import BundleValidation, validate_tree
from walle.cli.errors import CommandFailed, WrongUsage
from walle.container.requirements import RuntimeFacts, check_manifest_fits
from walle.container.result import RunResult
from walle.container.samples import Case, SampleCase, SampleResult, run_sample
from walle.container.sandbox import Sandbox
from walle.protocol.interpreters import THIS_INTERPRETER

# Known only of an app and of its devices; nothing is said of them unless somebody claims to be one.
_OF_DEVICES: Final = frozenset({"app", "os"})
_NOWHERE: Final = "0" * 40


@dataclass(frozen=True)
class TrialFacts:
    """The attributes that the emulated device claims; None if unknown."""

    app_version: str | None = None
    os: str | None = None
    os_version: str | None = None


@dataclass(frozen=True)
class TrialRun:
    """One run: its result, and the milliseconds that its caller waited for it."""

    sample: SampleResult
    whole_ms: float


@dataclass(frozen=True)
class Trial:
    """A task ready to run: the folder of its bundle, its manifest, and what to run it on."""

    bundle: Path
    manifest: Mapping[str, Any]
    cases: tuple[Case, ...]

    def unmet(self, claims: TrialFacts) -> list[str]:
        """Return why such a device would not install the task, and which requirements are unknown."""
        requires = self.manifest["requires"]
        facts = RuntimeFacts.of_this_interpreter(
            tuple(requires.get("modules", ())), app=claims.app_version, os=claims.os, os_version=claims.os_version
        )
        unknown = {name for name in _OF_DEVICES if name in requires and not _claimed(claims, name)}
        return [
            str(one)
            for one in check_manifest_fits(self.manifest, facts)
            if one.requirement.split(".")[0] not in unknown
        ]

    def unchecked(self, claims: TrialFacts) -> list[str]:
        """Return the requirements for which no attribute is known."""
        return sorted(name for name in _OF_DEVICES if name in self.manifest["requires"] and not _claimed(claims, name))

    @property
    def kept(self) -> bool:
        """Whether the task asks for a VM that stays between its runs."""
        return bool(self.manifest.get("vm"))

    def run(
        self, sandbox: Sandbox, tell: Callable[[str], None], *, repeat: int, clock: Callable[[], float]
    ) -> list[TrialRun]:
        """Run the task `repeat` times on each case in turn; announce each. `clock` returns seconds of any clock.

        A session is as many runs as it triggers, or one that failed if it triggers none.
        """
        runs, total = [], repeat * len(self.cases)
        for number, case in enumerate(self.cases * repeat, start=1):
            tell(f"Running {case.name} ({number:,} of {total:,})")
            timed = _TimedRuns(sandbox, clock)
            samples = run_sample(timed, self.bundle, self.manifest, case).by_run()
            runs += [TrialRun(sample, ms) for sample, ms in zip(samples, timed.whole_ms or [0.0], strict=True)]
        return runs


class _TimedRuns:
    """Runs of a sandbox; `whole_ms` are the milliseconds that their caller waited for each."""

    def __init__(self, sandbox: Sandbox, clock: Callable[[], float]) -> None:
        self._sandbox, self._clock = sandbox, clock
        self.whole_ms: list[float] = []

    def __call__(self, bundle: Path, manifest: Mapping[str, Any], inputs: Mapping[str, Any], /) -> RunResult:
        began = self._clock()
        result = self._sandbox.run(bundle, manifest, inputs)
        self.whole_ms.append(1000 * (self._clock() - began))
        return result


def _claimed(claims: TrialFacts, name: str) -> bool:
    return (claims.app_version if name == "app" else claims.os) is not None


def prepare(
    folder: Path,
    into: Path,
    *,
    inputs: Sequence[Mapping[str, Any]] | None,
    variants: Mapping[str, Path],
    name: tuple[str, str, str] = ("local", "task", "0.0.0"),
) -> Trial:
    """Install the bundle of a task's folder into another folder; raises CommandFailed if it is not a valid task."""
    from walle.cli.folders import folder_tree

    tree = folder_tree(folder)
    validation = with_models(tree, validate_tree(tree))
    spec = validation.spec
    if spec is None:
        raise CommandFailed(
            "no device would ever be offered this:\n  " + "\n  ".join(one.text for one in validation.problems),
            f"fix it, then check with: walle version validate {folder}",
        )
    if not kinds.on_devices(spec.kind):
        raise CommandFailed(f"devices do not run tasks of the kind {spec.kind}")
    if not spec.source:
        validation = _compiled(tree, validation, spec)
    scenario, task, version = name
    manifest = build_manifest(
        spec,
        validation.files,
        lambda _path: "0" * 64,
        scenario=scenario,
        task=task,
        version=version,
        commit=_NOWHERE,
        bytecode=validation.bytecode,
        models=validation.models,
    )
    _install(folder, into, validation, variants)
    cases: list[Case]
    if inputs is not None:
        cases = [SampleCase(f"input {number}", given, {}) for number, given in enumerate(inputs, start=1)]
    else:
        cases = load_samples(tree, spec.samples, manifest)
    return Trial(into, manifest, tuple(cases))


def _compiled(tree: FileTree, validation: BundleValidation, spec: TaskSpec) -> BundleValidation:
    """Compile the sources with the interpreter that runs them here. Raises CommandFailed."""
    if spec.interpreter not in (None, THIS_INTERPRETER):
        raise CommandFailed(
            f"its bytecode is for {spec.interpreter}, and this is {THIS_INTERPRETER}",
            f"run walle with {spec.interpreter}, or set source = true under [files] for a try",
        )
    compiled = with_bytecode(tree, validation, Interpreters())
    if compiled.bytecode is None:
        raise CommandFailed("its sources cannot be compiled:\n  " + "\n  ".join(one.text for one in compiled.problems))
    return compiled


def _install(folder: Path, into: Path, validation: BundleValidation, variants: Mapping[str, Path]) -> None:
    """Install the files of the bundle, and a variant of each exclusive file that has no default."""
    compiled = validation.bytecode.compiled if validation.bytecode else {}
    for file in validation.files:
        if validation.travels_as_it_is(file.path):
            _copy(folder / file.path, into / file.path)
    for name, content in {**compiled, **validation.models.imported}.items():
        (into / name).parent.mkdir(parents=True, exist_ok=True)
        (into / name).write_bytes(content)
        (into / name).chmod(INSTALLED_MODE)
    exclusive = {one.path: one.default for one in validation.spec.exclusive} if validation.spec else {}
    if unknown := sorted(set(variants) - set(exclusive)):
        raise WrongUsage(
            f"the task has no exclusive file {', '.join(unknown)}: expected {', '.join(exclusive) or 'none'}"
        )
    missing = sorted(path for path, default in exclusive.items() if default is None and path not in variants)
    if missing:
        raise WrongUsage(
            f"the content of {missing[0]} depends on the device", f"set its content with: --variant {missing[0]}=FILE"
        )
    for path, variant in variants.items():
        _copy(variant, into / path)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        shutil.copyfile(source, target)
    except OSError as error:
        raise WrongUsage(f"cannot read {source}: {error.strerror}") from error
    target.chmod(INSTALLED_MODE)


def read_inputs(text: str, name: str) -> list[Mapping[str, Any]]:
    """Read inputs from JSON: an object of inputs, or JSON Lines with an object, or {"inputs": object}, on each."""
    try:
        try:
            found = [json.loads(text)]
        except ValueError:
            found = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError) as error:
        raise WrongUsage(f"cannot read {name} as JSON or JSON Lines: {error}") from error
    objects = [one["inputs"] if isinstance(one, dict) and set(one) == {"inputs"} else one for one in found]
    if not objects or not all(isinstance(one, dict) for one in objects):
        raise WrongUsage(f"{name}: expected an object with the task's inputs")
    return objects
