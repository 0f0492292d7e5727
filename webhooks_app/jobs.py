"""Background jobs of webhooks and e-mail.

The rows say what is to be done: these jobs may be lost, repeated, or interrupted.
"""

from datetime import datetime, timedelta
from typing import Any, Final

from asgiref.sync import async_to_sync
from django.conf import settings

from jobs_app.registry import job, periodic
from jobs_app.runner import JobRun
from jobs_app.services import enqueue
from kit.locks import exclusive
from webhooks_app.mail_sending import send_due_mails
from webhooks_app.pump import send_due
from webhooks_app.selectors.mail import next_mail_due
from webhooks_app.selectors.webhooks import next_due
from webhooks_app.sending import WebhookSender
from webhooks_app.services import deliveries
from webhooks_app.services.mail_outbox import SEND_MAIL
from webhooks_app.services.mails import forget_mails
from webhooks_app.services.outbox import DELIVER
from webhooks_app.services.webhooks import reach

# "WALLEHOO" in ASCII: one worker process sends, and leaves the others to other jobs.
SENDING: Final = 0x57414C4C45484F4F
# "WALLEMAI" in ASCII, likewise for messages.
MAILING: Final = 0x57414C4C454D4149
_SOON: Final = timedelta(seconds=1)
DELETED_FOR: Final = timedelta(days=1)


@periodic(seconds=30)
@job(DELIVER, lease=timedelta(seconds=15))
def deliver(run: JobRun) -> dict[str, Any]:
    """Send all due deliveries, and enqueue the job again for the next attempt."""
    with exclusive(SENDING) as alone:
        if not alone:
            return {"sent": 0}
        deliveries.fail_inactive(now=run.clock())
        sent = async_to_sync(send_due)(WebhookSender(reach()), run.clock)
    _come_again(DELIVER, next_due(), run.clock())
    return {"sent": sent}


@periodic(seconds=30)
@job(SEND_MAIL)
def send_mail(run: JobRun) -> dict[str, Any]:
    """Send all messages that are due, and enqueue the job again for the next ones."""
    if not settings.WALLE_MAIL:
        return {"sent": 0}
    with exclusive(MAILING) as alone:
        if not alone:
            return {"sent": 0}
        sent = send_due_mails(run.clock)
    now = run.clock()
    _come_again(SEND_MAIL, next_mail_due(now=now), now)
    return {"sent": sent}


def _come_again(kind: str, due: datetime | None, now: datetime) -> None:
    """Enqueue a job for what is due next, after its lock: jobs that found it taken meanwhile rely on this."""
    if due is not None:
        enqueue(kind=kind, dedupe_key=kind, run_at=max(due, now + _SOON), now=now)


@periodic(seconds=24 * 3600)
@job("webhooks.forget")
def forget(run: JobRun) -> dict[str, int]:
    """Delete deliveries and messages whose retention time is over, and deleted webhooks."""
    now = run.clock()
    old = now - timedelta(days=settings.WALLE_KEEP_DELIVERIES_DAYS)
    gone = deliveries.forget(finished_before=old, deleted_before=now - DELETED_FOR, check=run.check)
    return {**gone, "mails": forget_mails(before=old)}
