"""Whether what is not done in a request is done: broker, workers, sweeps, the mail server, the sandbox."""

import smtplib
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.core.mail import get_connection

from jobs_app.broker_health import broker_problem, is_apart
from jobs_app.presence import GONE_AFTER
from jobs_app.registry import JobQueue
from jobs_app.selectors import lags, living_workers
from jobs_app.services import overdue_periodic
from walle.container.result import SandboxError
from walle.container.sandbox import Sandbox
from walleweb.doctor.findings import Finding, missing, ok, warning
from webhooks_app.mail_sending import failure_of

LATE: Final = timedelta(seconds=60)
UNITS: Final = {
    JobQueue.URGENT: "walle-urgent-worker",
    JobQueue.ORDINARY: "walle-worker",
    JobQueue.SIMULATIONS: "walle-simulation-worker",
}


def check_broker() -> Finding:
    if problem := broker_problem():
        return missing("broker", f"{problem}: live updates come late", "start it, or correct REDIS_URL")
    return ok("broker", "Redis answers" if is_apart() else "PostgreSQL")


def check_workers(now: datetime) -> Iterator[Finding]:
    for queue, unit in UNITS.items():
        count = living_workers(since=now - GONE_AFTER, queue=queue)
        name = f"worker {queue}"
        if count:
            yield ok(name, f"{count} gave signs in the last half minute")
        else:
            yield missing(
                name, "none gave a sign in the last half minute", f"systemctl restart {unit}, and read its log"
            )


def check_jobs(now: datetime) -> Iterator[Finding]:
    overdue = [kind for kind, since in overdue_periodic(now=now).items() if since is None or now - since > LATE]
    if overdue:
        yield missing("beat", f"nobody says that {overdue[0]} is due", "systemctl restart walle-beat, and read its log")
    else:
        yield ok("beat", "what is due from time to time is started")
    late = [(kind, seconds) for kind, seconds in lags(now=now) if seconds > LATE.total_seconds()]
    for kind, seconds in late:
        yield warning("jobs", f"{kind} has been due for {seconds:.0f} s", "more workers (docs/guides/production.md)")


def check_mail() -> Finding:
    """Connect to the mail server, and log in there."""
    if not settings.WALLE_MAIL:
        return ok("e-mail", "none is sent (WALLE_MAIL_URL)")
    mailbox = get_connection()
    try:
        mailbox.open()
        mailbox.close()
    except (smtplib.SMTPException, OSError) as error:
        return missing(
            "e-mail", failure_of(error).reason, "correct WALLE_MAIL_URL, or let this machine reach the server"
        )
    return ok(
        "e-mail", "the server takes Walle's messages" if settings.EMAIL_HOST else "messages are not sent to a server"
    )


def check_sandbox() -> Finding:
    """Start a sandbox as simulations and cloud halves have it, as this account, on this machine."""
    try:
        with Sandbox(preload=()) as sandbox:
            lacking = dict(sandbox.missing())
    except SandboxError as error:
        return missing("sandbox", f"tasks cannot be run here: {error}", "see docs/guides/simulation.md")
    if lacking:
        said = "; ".join(f"no {name} ({reason})" for name, reason in lacking.items())
        return warning("sandbox", said, "let the kernel have them, or run the worker for simulations elsewhere")
    return ok("sandbox", "namespaces, seccomp and landlock")
