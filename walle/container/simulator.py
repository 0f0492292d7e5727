"""The simulation test of one cell: a task in an app of one version, on one version of a system.

Order of the checks: the task's requirements (a device that does not meet them does not install the task, so the cell
is excluded); whether this machine can stand for the app and isolate the task; whether there are samples; whether the
sources are of the app's Python; then each sample runs in the sandbox under the app's profile, and its output is held
against what its author expects. What cannot be tested is never passed.
"""

from __future__ import annotations

import ast
import importlib.metadata
import json
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

from walle.container.cloud_half import MAX_BATCH, CloudBundle, HalfAnswer, ask, uploaded
from walle.container.profile import ANY_VERSION, Cell, Profile
from walle.container.requirements import cache_tag, check_manifest_fits
from walle.container.result import MEMORY_LIMIT, SANDBOX_ERROR, TIMEOUT, RunResult, SandboxError
from walle.container.samples import Case, SampleCase, SampleResult, mismatches_of, run_sample
from walle.container.sandbox import Sandbox
from walle.protocol.names import InvalidNameError

CellState = Literal["passed", "failed", "excluded", "error"]

NO_SAMPLES: Final = (
    "the task has no samples, so nothing can be tried: add to task.toml a [[samples]] with a name, "
    "an input and what to expect of each output"
)
NO_FEATURES: Final = (
    "no run of the samples goes up, so the cloud half cannot be tried: add a [[samples]] that makes upload.when true"
)
MAX_CELL_SECONDS: Final = 600.0
MAX_LOG: Final = 16 * 1024
MAX_SENTENCE: Final = 2000
_MAX_SAMPLE_LOG: Final = 4 * 1024
_MAX_MISMATCHES: Final = 20
# Without one of these, code of strangers could read the worker's secrets or reach its neighbours.
_NEEDED_ISOLATION: Final = ("files", "network", "processes", "memory", "time")
_WAITED: Final = 0.25
"""A run over its time that computed for less than this part of it may have waited for a machine that was busy."""
_PROBE: Final = "def run(inputs, context):\n    return {}\n"
_PROBE_MANIFEST: Final[Mapping[str, Any]] = {
    "entry_point": "main:run",
    "inputs": {},
    "outputs": {},
    "limits": {"time_ms": 10_000, "memory_mb": 64, "output_kb": 1},
    "requires": {},
    "files": [],
}


@dataclass(frozen=True)
class CellReport:
    """What came of a cell, in one sentence and by sample. An error that is `passing` may not come again."""

    state: CellState
    sentence: str
    samples: tuple[SampleResult, ...] = ()
    limits: Mapping[str, int] = field(default_factory=dict)
    passing: bool = False
    cloud_log: str = ""

    @property
    def short_sentence(self) -> str:
        """The sentence, cut at MAX_SENTENCE characters: tasks have their part in it."""
        return self.sentence if len(self.sentence) <= MAX_SENTENCE else f"{self.sentence[: MAX_SENTENCE - 3]}..."

    def to_dict(self) -> dict[str, Any]:
        """Limits and samples as JSON data, without the logs."""
        return {
            "limits": dict(self.limits),
            "samples": [_sample_dict(sample) for sample in self.samples],
        }

    def logs(self) -> str:
        """What the cloud half wrote where it failed, and the samples, the failed ones first: the end of each.

        MAX_LOG characters in all.
        """
        ordered = sorted(self.samples, key=lambda sample: sample.passed)
        parts = (f"-- {_name(sample)}\n{sample.run.logs[-_MAX_SAMPLE_LOG:]}" for sample in ordered if sample.run.logs)
        cloud = [f"-- the cloud half\n{self.cloud_log[-_MAX_SAMPLE_LOG:]}"] if self.cloud_log else []
        return "\n".join([*cloud, *parts])[:MAX_LOG]


def _name(sample: SampleResult) -> str:
    # TOML can spell NUL, databases cannot.
    return sample.name.replace("\0", "\ufffd")


def _sample_dict(sample: SampleResult) -> dict[str, Any]:
    run = sample.run
    return {
        "name": _name(sample),
        "passed": sample.passed,
        "error_class": run.error_class,
        "message": run.message,
        "mismatches": list(sample.mismatches[:_MAX_MISMATCHES]),
        "duration_ms": round(run.duration_ms, 2),
        "cpu_ms": round(run.cpu_ms, 2),
        "peak_memory_kb": run.peak_memory_kb,
        "enforced": dict(run.enforced),
        "backends": dict(run.backends),
    }


def _installed_version(module: str) -> str | None:
    distributions = _distributions().get(module)
    return importlib.metadata.version(distributions[0]) if distributions else None


_distributions = cache(importlib.metadata.packages_distributions)


@dataclass(frozen=True)
class Interpreter:
    """What runs the samples: its minor version of Python, and the versions of its modules by import name."""

    python: tuple[int, int] = sys.version_info[:2]
    version_of: Callable[[str], str | None] = _installed_version

    def misfit(self, profile: Profile, manifest: Mapping[str, Any]) -> str | None:
        """Why this interpreter cannot stand for that of an app, as far as a task depends on it."""
        bytecode = manifest.get("bytecode")
        if bytecode is not None and bytecode["interpreter"] != cache_tag(self.python):
            wanted, found = bytecode["interpreter"], cache_tag(self.python)
            return f"the bytecode is for {wanted}, the simulator runs {found}: run the workers under {wanted}"
        if profile.python_minor > self.python:
            found = ".".join(map(str, self.python))
            return f"the app has Python {profile.python}, the simulator {found}: run the workers under the newer one"
        for module in sorted({str(name).partition(".")[0] for name in manifest["requires"].get("modules", ())}):
            if module in sys.stdlib_module_names:
                continue
            wanted, found_version = profile.modules.get(module, ANY_VERSION), self.version_of(module)
            if found_version is None:
                return f"the simulator has no module {module}: install it where the workers run"
            if wanted != ANY_VERSION and not f"{found_version}.".startswith(f"{wanted}."):
                return (
                    f"the app has {module} {wanted}, the simulator {found_version}: install {wanted} where the workers "
                    'run, or declare "*" to have any version stand for it'
                )
        return None


class Simulator:
    """Tests cells in a sandbox. `clock` counts seconds; a cell's samples may take `seconds` in all."""

    def __init__(
        self,
        sandbox: Sandbox,
        *,
        interpreter: Interpreter | None = None,
        clock: Callable[[], float] = time.monotonic,
        seconds: float = MAX_CELL_SECONDS,
    ) -> None:
        self._sandbox = sandbox
        self._interpreter = interpreter or Interpreter()
        self._clock, self._seconds = clock, seconds
        self._is_isolating = False

    def simulate(
        self,
        cell: Cell,
        profile: Profile,
        bundle: Path,
        manifest: Mapping[str, Any],
        samples: Sequence[Case],
        *,
        cloud: CloudBundle | None = None,
        checkpoint: Callable[[], None] = lambda: None,
    ) -> CellReport:
        """Test a cell with the bundle in a folder, and the `cloud` half with what devices would send it of the samples.

        `checkpoint` is called before each run and may raise.
        """
        untestable = self._untestable(cell, profile, manifest)
        if untestable is not None:
            return untestable
        if not samples:
            return CellReport("failed", NO_SAMPLES)
        if newer := "; ".join(newer_syntax(bundle, profile.python_minor)):
            return CellReport("failed", f"not Python {profile.python}: {newer}")
        cases = [*samples, *_again(manifest, samples)]
        report = self._run(profile, bundle, manifest, cases, checkpoint)
        if cloud is None or report.state != "passed":
            return report
        try:
            return self._with_cloud(report, cases, cloud, checkpoint)
        finally:
            self._sandbox.end(cloud.folder)

    def _with_cloud(
        self, report: CellReport, cases: Sequence[Case], cloud: CloudBundle, checkpoint: Callable[[], None]
    ) -> CellReport:
        """The report on a cell whose samples passed, after their outputs were put to the cloud half."""
        runs = [
            (case, one.run.output)
            for case, sample in zip(cases, report.samples, strict=True)
            for one in sample.by_run()
            if one.run.output is not None
        ]
        raised = [(case, each) for case, output in runs if (each := uploaded(cloud.upload, output)) is not None]
        features = [feature for _, feature in raised]
        if not features:
            return replace(report, state="failed", sentence=NO_FEATURES)
        for first in range(0, len(features), MAX_BATCH):
            checkpoint()
            try:
                found = ask(self._sandbox.run, cloud.folder, cloud.half, features[first : first + MAX_BATCH])
            except SandboxError as error:
                sentence = f"the sandbox could not run the cloud half: {error}"
                return replace(report, state="error", sentence=sentence, passing=True)
            if found.failed is not None:
                sentence = f"the cloud half: {found.failed.error_class}: {found.failed.message}"
                return replace(report, state="failed", sentence=sentence, cloud_log=found.failed.logs)
            for (case, _), said in zip(raised[first:], found.answers, strict=False):
                if wrong := _unexpected(case, said):
                    return replace(report, state="failed", sentence=wrong)
        return replace(report, sentence=f"{report.sentence}, {len(features)} features answered in the cloud")

    def _untestable(self, cell: Cell, profile: Profile, manifest: Mapping[str, Any]) -> CellReport | None:
        try:
            modules = tuple(manifest["requires"].get("modules", ()))
            unmet = check_manifest_fits(manifest, profile.facts(cell, modules))
        except InvalidNameError as error:
            return CellReport("error", f"the task's requirements cannot be read: {error}")
        if unmet:
            reasons = "; ".join(map(str, unmet))
            return CellReport("excluded", f"a device like this does not install the task: {reasons}")
        if problem := self._interpreter.misfit(profile, manifest):
            return CellReport("error", problem)
        if problem := self.missing_isolation():
            return CellReport("error", problem, passing=True)
        return None

    def missing_isolation(self) -> str | None:
        """Why this machine cannot run what strangers wrote, found out by a run of nothing; None if it can."""
        if self._is_isolating:
            return None
        with tempfile.TemporaryDirectory(prefix="walle-probe-") as folder:
            Path(folder, "main.py").write_text(_PROBE)
            probe = self._sandbox.run(Path(folder), _PROBE_MANIFEST, {})
        if not probe.ok:
            return f"no task can be run here: {probe.message}"
        missing = [each for each in _NEEDED_ISOLATION if each not in probe.enforced]
        self._is_isolating = not missing
        if self._is_isolating:
            return None
        reasons = "; ".join(f"{kind}: {reason}" for kind, reason in self._sandbox.missing().items())
        return f"tasks cannot be isolated here, nothing protects {', '.join(missing)} ({reasons or 'turned off'})"

    def _run(
        self,
        profile: Profile,
        bundle: Path,
        manifest: Mapping[str, Any],
        samples: Sequence[Case],
        checkpoint: Callable[[], None],
    ) -> CellReport:
        try:
            return self._run_cases(profile, bundle, manifest, samples, checkpoint)
        finally:
            self._sandbox.end(bundle)

    def _run_cases(
        self,
        profile: Profile,
        bundle: Path,
        manifest: Mapping[str, Any],
        samples: Sequence[Case],
        checkpoint: Callable[[], None],
    ) -> CellReport:
        ends, done = self._clock() + self._seconds, []

        def run(bundle: Path, manifest: Mapping[str, Any], inputs: Mapping[str, Any]) -> RunResult:
            result = run_once(bundle, manifest, inputs)
            waited = result.error_class == TIMEOUT and result.cpu_ms < _WAITED * manifest["limits"]["time_ms"]
            return run_once(bundle, manifest, inputs) if waited else result

        def run_once(bundle: Path, manifest: Mapping[str, Any], inputs: Mapping[str, Any]) -> RunResult:
            checkpoint()
            left_ms = int((ends - self._clock()) * 1000)
            if left_ms <= 0:
                raise _CellOver
            result = self._sandbox.run(bundle, _within(manifest, left_ms), inputs, profile=profile)
            if result.error_class == TIMEOUT and left_ms < manifest["limits"]["time_ms"]:
                raise _CellOver
            return result

        with suppress(_CellOver):
            for sample in samples:
                done.append(run_sample(run, bundle, manifest, sample))
                if done[-1].run.error_class == SANDBOX_ERROR:
                    break
        limits = {name: int(manifest["limits"][name]) for name in ("time_ms", "memory_mb", "output_kb")}
        if profile.memory_mb is not None:
            limits["memory_mb"] = min(limits["memory_mb"], profile.memory_mb)
        state, sentence = self._judged(done, len(samples), limits)
        return CellReport(state, sentence, tuple(done), limits, passing=state == "error")

    def _judged(self, done: Sequence[SampleResult], count: int, limits: Mapping[str, int]) -> tuple[CellState, str]:
        broken = next((sample for sample in done if sample.run.error_class == SANDBOX_ERROR), None)
        if broken is not None:
            return "error", f"the sandbox could not run sample {broken.name!r}: {broken.run.message}"
        failed = [sample for sample in done if not sample.passed]
        if failed:
            others = f" ({len(failed)} of {count} samples failed)" if count > 1 else ""
            return "failed", f"sample {failed[0].name!r}: {_why(failed[0], limits)}{others}"
        if len(done) < count:
            return "failed", f"only {len(done)} of {count} samples ran within {self._seconds:g} s"
        return "passed", f"{count} samples passed" if count > 1 else "1 sample passed"


class _CellOver(Exception):
    """The time of the cell is over, which is not for the task to answer for."""


def _again(manifest: Mapping[str, Any], samples: Sequence[Case]) -> list[Case]:
    """The first sample once more, for a task that is kept: in a VM that the others have used it gives the same."""
    if not manifest.get("vm"):
        return []
    return [replace(samples[0], name=f"{samples[0].name} (again, in the VM that was kept)")]


def _unexpected(case: Case, said: HalfAnswer) -> str | None:
    """Why what the cloud half says to a run of a sample is not what the sample expects; None if it is."""
    if not isinstance(case, SampleCase) or not case.answer:
        return None
    if said.body is None:
        return f"sample {case.name!r}: expected an answer of the cloud half, found none: {said.reason}"
    wrong = "; ".join(mismatches_of(case.answer, json.loads(said.body)))
    return f"sample {case.name!r}, answered in the cloud: {wrong}" if wrong else None


def _within(manifest: Mapping[str, Any], left_ms: int) -> Mapping[str, Any]:
    """The manifest of a run that ends with its cell at the latest."""
    limits = manifest["limits"]
    return {**manifest, "limits": {**limits, "time_ms": min(int(limits["time_ms"]), left_ms)}}


def _why(sample: SampleResult, limits: Mapping[str, int]) -> str:
    run: RunResult = sample.run
    if run.ok:
        return "; ".join(sample.mismatches)
    limit = f" (at most {limits['memory_mb']} MB here)" if run.error_class == MEMORY_LIMIT else ""
    return f"{run.error_class}: {run.message}{limit}"


def newer_syntax(bundle: Path, python: tuple[int, int]) -> Iterator[str]:
    """Where the sources of a bundle use what a version of Python does not know yet, one text for each file."""
    for path in sorted(bundle.rglob("*.py")):
        name = path.relative_to(bundle).as_posix()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(path.read_bytes(), name, feature_version=min(python, sys.version_info[:2]))
        except SyntaxError as error:
            yield f"{name}:{error.lineno or 1}: {error.msg}"
        except (ValueError, RecursionError, MemoryError) as error:
            yield f"{name}: {error or 'nested too deeply'}"
