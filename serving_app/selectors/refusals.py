"""Why serving hosts cannot serve a version: its plan cannot be built."""

from typing import Final

from serving_app.models import ExplainedVersion, HostedPlan
from tasks_app.models import TaskVersion
from walle.protocol.kinds import PIPELINE
from walle.whitebox.serving.ports import ARCHIVE_MALFORMED, SAMPLE_REFUSED

_OF_THE_ARCHIVE: Final = (ARCHIVE_MALFORMED, SAMPLE_REFUSED)
"""What a host says of a version that no other host could install either."""


def refusal_of(version: TaskVersion) -> str:
    """Return why no host can serve a version of a pipeline; "" for one that can be, or that nobody has tried yet."""
    if version.kind != PIPELINE:
        return ""
    explained = ExplainedVersion.objects.filter(manifest=version.manifest_digest, refused=True).first()
    if explained is not None:
        return explained.problem
    hosted = HostedPlan.objects.filter(
        manifest=version.manifest_digest, state=HostedPlan.State.FAILED, error_class__in=_OF_THE_ARCHIVE
    ).first()
    return hosted.problem if hosted is not None else ""
