"""Housekeeping of Django's own tables."""

from django.contrib.sessions.models import Session

from accounts_app.services.sessions import forget_ended_sessions
from jobs_app.registry import job, periodic
from jobs_app.runner import JobRun


@periodic(seconds=24 * 3600)
@job("walleweb.delete-expired-sessions")
def delete_expired_sessions(run: JobRun) -> dict[str, int]:
    """Delete expired sessions."""
    deleted, _ = Session.objects.filter(expire_date__lt=run.clock()).delete()
    forget_ended_sessions()
    return {"deleted": deleted}
