"""Jobs of serving: explanations of new versions, and the deletion of old figures."""

import shutil
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

from django.conf import settings

from jobs_app.registry import job, periodic
from jobs_app.runner import JobRun
from serving_app.selectors.explanations import unexplained
from serving_app.services.explaining import keep_explanation
from serving_app.services.hosts import forget
from tasks_app.models import TaskVersion
from tasks_app.services.bundles import lay_out
from walle.artifacts import ArtifactError
from walle.whitebox.examination import ArchiveRefused, ExaminationFailed, explain

AT_ONCE: Final = 20


@periodic(seconds=5)
@job("serving.explain")
def explain_versions(run: JobRun) -> dict[str, int]:
    """Explain the versions of pipelines that have no explanation yet, each in a process of its own.

    One that cannot be examined for a reason that may pass is tried again later, and keeps no other one waiting.
    """
    versions = unexplained(AT_ONCE, run.clock())
    for version in versions:
        run.check()
        _explain(version, run)
    return {"explained": len(versions)}


@periodic(seconds=3600)
@job("serving.forget")
def forget_figures(run: JobRun) -> dict[str, int]:
    """Delete figures and hosts that are older than they are kept."""
    return forget(now=run.clock())


def _explain(version: TaskVersion, run: JobRun) -> None:
    folder = _folder()
    try:
        lay_out(version, folder / "files")
        keep_explanation(version, explanation=explain(folder / "files"), now=run.clock())
    except ArchiveRefused as error:
        keep_explanation(version, problem=str(error), refused=True, now=run.clock())
    except (ExaminationFailed, ArtifactError, OSError) as error:
        keep_explanation(version, problem=str(error) or type(error).__name__, now=run.clock())
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _folder() -> Path:
    above = Path(settings.WALLE_DATA_DIR) / "explanations"
    above.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Path(mkdtemp(dir=above))
