"""Why nothing can run a version: hosts cannot build its plan, or no plan says what of it runs where."""

from typing import Final

from serving_app.models import ExplainedVersion, HostedPlan
from tasks_app.models import TaskVersion
from tasks_app.selectors.catalogue import manifest_of
from walle.protocol.kinds import PIPELINE, WORKFLOW
from walle.whitebox.serving.ports import ARCHIVE_MALFORMED, SAMPLE_REFUSED

_OF_THE_ARCHIVE: Final = (ARCHIVE_MALFORMED, SAMPLE_REFUSED)
"""What a host says of a version that no other host could install either."""
UNPLACED: Final = "no placement plan was applied to it, so that nothing says what of it runs where"


def refusal_of(version: TaskVersion) -> str:
    """Return why nothing can run a version; "" for one that can be run, or that nobody has tried yet."""
    if version.kind == WORKFLOW:
        return "" if manifest_of(version).get("placement") else UNPLACED
    return _refused_by_hosts(version)


def _refused_by_hosts(version: TaskVersion) -> str:
    if version.kind != PIPELINE:
        return ""
    explained = ExplainedVersion.objects.filter(manifest=version.manifest_digest, refused=True).first()
    if explained is not None:
        return explained.problem
    hosted = HostedPlan.objects.filter(
        manifest=version.manifest_digest, state=HostedPlan.State.FAILED, error_class__in=_OF_THE_ARCHIVE
    ).first()
    return hosted.problem if hosted is not None else ""
