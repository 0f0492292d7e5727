"""Housekeeping of the channel layer over PostgreSQL."""

from channels_postgres.models import GroupChannel, Message

from jobs_app.registry import job, periodic
from jobs_app.runner import JobRun


@periodic(seconds=600)
@job("live.delete-hints")
def delete_hints(run: JobRun) -> dict[str, int]:
    """Delete unfetched hints and expired members of groups, which the layer does not delete."""
    hints, _ = Message.objects.filter(expire__lt=run.clock()).delete()
    members, _ = GroupChannel.objects.filter(expire__lt=run.clock()).delete()
    return {"hints": hints, "members": members}
