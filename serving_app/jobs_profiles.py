"""The job that measures the models of a workflow before it is placed, by running its code in a sandbox."""

import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ValidationError

from jobs_app.registry import job
from jobs_app.runner import JobRun
from serving_app.models import Placement
from serving_app.selectors.placements import allowance, profiled_version
from serving_app.services.placements import (
    PROFILE,
    begin_placement,
    end_placement,
    keep_measurements,
    report_progress,
)
from serving_app.services.profiling import measure
from tasks_app.models import TaskVersion
from walle.container.result import SandboxError
from walle.placement.processor.operators import CodeUnusable
from walle.schema import Malformed

ATTEMPTS: Final = 3
TIME_S: Final = 1800
"""A profile that takes longer is given up."""


class ProfilingStopped(Exception):
    """The placement has ended meanwhile, because somebody cancelled it."""


@job(PROFILE, max_attempts=ATTEMPTS, allowance=allowance)
def profile_placement(run: JobRun, *, placement: int) -> dict[str, Any] | None:
    """Measure what a placement needs; then another job computes it. A worker that is killed leaves it to the next."""
    row = begin_placement(placement=placement, now=run.clock())
    if row is None:
        return {"state": "ended"}
    try:
        measurements = _measured(row, run)
        with run.completing() as ended:
            is_kept = keep_measurements(placement=placement, measurements=measurements)
            ended["state"] = "profiled" if is_kept else "ended"
    except ProfilingStopped:
        return {"state": Placement.State.CANCELLED}
    except (CodeUnusable, Malformed, TaskVersion.DoesNotExist) as error:
        return _failed(row, run, str(error))
    except ValidationError as error:
        return _failed(row, run, "; ".join(error.messages))
    except SandboxError as error:
        if run.job.attempts < run.job.max_attempts:
            raise
        return _failed(row, run, str(error))
    return None


def _failed(row: Placement, run: JobRun, text: str) -> dict[str, Any]:
    error = f"profiling failed: {text}".replace("\0", "\ufffd")[:2000]
    end_placement(placement=row.pk, state=Placement.State.FAILED, now=run.clock(), error=error)
    return {"state": Placement.State.FAILED}


def _measured(row: Placement, run: JobRun) -> dict[str, Any]:
    asked: dict[str, Any] = row.profiled or {}
    until = run.clock() + timedelta(seconds=TIME_S)
    said = {"phase": "profile", "what": "the validation data"}

    def go_on() -> None:
        run.check()
        if run.clock() > until:
            raise CodeUnusable(f"it took longer than {TIME_S} s")
        if not report_progress(placement=row.pk, progress=said):
            raise ProfilingStopped

    folder = _own_folder(row, run)
    try:
        return measure(
            profiled_version(row),
            row.problem,
            folder,
            seconds=asked["seconds"],
            types=tuple(asked["types"]),
            progress=lambda what: said.update(what=what),
            before_each=go_on,
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _own_folder(row: Placement, run: JobRun) -> Path:
    """Create a folder for this attempt, after removing what killed attempts left."""
    above = Path(settings.WALLE_DATA_DIR) / "profiles"
    above.mkdir(mode=0o700, parents=True, exist_ok=True)
    for left in above.glob(f"{row.pk}-*"):
        shutil.rmtree(left, ignore_errors=True)
    folder = above / f"{row.pk}-{run.job.attempts}"
    folder.mkdir()
    return folder
