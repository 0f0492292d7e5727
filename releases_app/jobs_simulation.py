"""Background jobs of simulations: one job for each cell."""

import shutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

from django.conf import settings

from jobs_app.registry import job, periodic
from jobs_app.runner import JobRun, LeaseLost
from releases_app.models import SimulationCell
from releases_app.selectors.simulation import SIMULATE, allowance
from releases_app.services.simulation import fail_lost, write_report
from tasks_app.selectors.catalogue import manifest_of
from tasks_app.services.bundles import lay_out, lay_out_cloud, samples_of
from walle.container.cloud_half import CloudBundle
from walle.container.profile import Cell, Profile
from walle.container.result import Outcome, RunResult
from walle.container.samples import SampleResult
from walle.container.sandbox import Sandbox
from walle.container.simulator import CellReport, Simulator
from walle.protocol.kinds import PIPELINE
from walle.release.states import ReleaseState
from walle.whitebox.examination import MEMORY_BYTES, TIME_S, Engine, ExaminationFailed, replay

ATTEMPTS: Final = 3
MOST_SAMPLES: Final = 100
"""The most samples of a pipeline whose results are kept, of those that failed if any did."""


@job(SIMULATE, max_attempts=ATTEMPTS, allowance=allowance)
def simulate_cell(run: JobRun, *, cell: int) -> dict[str, Any] | None:
    """Simulate a task in one app version on one version of a system."""
    row = SimulationCell.objects.select_related("release__version__task__scenario").get(pk=cell)
    if row.state != SimulationCell.State.PENDING:
        return {"state": row.state}
    SimulationCell.objects.filter(pk=cell).update(started_at=run.clock())
    report = _report(row, run)
    with run.completing() as result:
        write_report(cell=row, report=report, now=run.clock())
        result["state"] = report.state
    return None


@periodic(seconds=30)
@job("tasks.sweep-simulations")
def sweep_simulations(run: JobRun) -> dict[str, int]:
    """End the cells that no worker will end."""
    return {"given_up": fail_lost(now=run.clock())}


@cache
def simulator() -> Simulator:
    """Return the simulator of this process."""
    return Simulator(Sandbox(calibration_folder=_folder_of_simulations()))


def _report(row: SimulationCell, run: JobRun) -> CellReport:
    """Return the result of a cell. An error that may not occur again is raised while another attempt is left."""
    if row.release.state not in (ReleaseState.SIMULATING, ReleaseState.PAUSED):
        return CellReport("error", f"the release ended before this cell was tried: it is {row.release.state}")
    is_last = run.job.attempts >= run.job.max_attempts
    try:
        report = _replayed(row, run) if row.release.version.kind == PIPELINE else _simulated(row, run)
    except LeaseLost:
        raise
    except Exception as error:
        if not is_last:
            raise
        return CellReport("error", f"the cell could not be carried out: {type(error).__name__}: {error}")
    if report.passing and not is_last:
        raise RuntimeError(report.sentence)
    return report


def _simulated(row: SimulationCell, run: JobRun) -> CellReport:
    version = row.release.version
    folder = _own_folder(row, run)
    half = folder.with_name(f"{folder.name}-cloud")
    try:
        lay_out(version, folder)
        manifest = manifest_of(version)
        cloud = CloudBundle(lay_out_cloud(version, half), half, manifest["upload"]) if version.cloud else None
        return simulator().simulate(
            Cell(row.app_version, row.os, row.os_version),
            Profile(**row.profile),
            folder,
            manifest,
            samples_of(version),
            cloud=cloud,
            checkpoint=run.check,
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(half, ignore_errors=True)


def _replayed(row: SimulationCell, run: JobRun) -> CellReport:
    """Replay the samples of a pipeline with one engine, in a process of its own."""
    folder = _own_folder(row, run)
    try:
        lay_out(row.release.version, folder)
        found = replay(folder, cast(Engine, row.os_version))
    except ExaminationFailed as error:
        return CellReport("failed", str(error))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    samples = tuple(_replayed_sample(each, found["peak_memory_kb"]) for each in found["samples"])
    failed = [each for each in samples if not each.passed]
    limits = {"memory_mb": MEMORY_BYTES >> 20, "time_ms": round(1000 * TIME_S)}
    if failed:
        reason = "; ".join(failed[0].mismatches) or failed[0].run.message
        sentence = f"{len(failed)} of {len(samples)} samples are not predicted as the archive says: {reason}"
        return CellReport("failed", sentence, tuple(failed[:MOST_SAMPLES]), limits)
    return CellReport(
        "passed", f"{len(samples)} samples are predicted as the archive says", samples[:MOST_SAMPLES], limits
    )


def _replayed_sample(found: Mapping[str, Any], peak_memory_kb: int) -> SampleResult:
    outcome: Outcome = "failure" if found["error_class"] else "success"
    times = {name: found[name] for name in ("error_class", "message", "duration_ms", "cpu_ms")}
    run = RunResult(outcome, peak_memory_kb=peak_memory_kb, **times)
    return SampleResult(found["name"], run, tuple(found["mismatches"]))


def _folder_of_simulations() -> Path:
    return Path(settings.WALLE_DATA_DIR) / "simulations"


def _own_folder(row: SimulationCell, run: JobRun) -> Path:
    """Create a folder for this attempt, after removing what killed attempts left."""
    folder = _folder_of_simulations()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for left in folder.glob(f"{row.pk}-*"):
        shutil.rmtree(left, ignore_errors=True)
    return folder / f"{row.pk}-{run.job.attempts}"
