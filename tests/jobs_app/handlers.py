"""Handlers for the tests of workers; a worker imports them with --include.

Every effect is a row of the table job_effect, which has no constraint that would hide a second one.
"""

import os

from django.db import connection

from jobs_app.registry import job
from jobs_app.runner import JobRun, PermanentFailure
from jobs_app.services import enqueue
from jobs_app.turns import WorkAllowance

GATE = 4711
CREATE_EFFECTS = "CREATE TABLE IF NOT EXISTS job_effect (label text NOT NULL, moment text NOT NULL, pid int NOT NULL)"


def note(label: str, moment: str) -> None:
    """Record that something happened in this process."""
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO job_effect VALUES (%s, %s, %s)", [label, moment, os.getpid()])


def pass_gate() -> None:
    """Block until the test lets go of the advisory lock GATE."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [GATE])
        cursor.execute("SELECT pg_advisory_unlock(%s)", [GATE])


@job("tests.gated")
def gated(run: JobRun, *, label: str) -> None:
    """Begin, wait at the gate, then write the effect together with the job's end."""
    note(label, "begun")
    pass_gate()
    with run.completing() as result:
        note(label, "done")
        result["label"] = label


@job("tests.short")
def short(run: JobRun, *, label: str) -> None:
    """Write one effect."""
    with run.completing():
        note(label, "done")


@job("tests.urgent", urgent=True)
def urgent(run: JobRun, *, label: str) -> None:
    """Write one effect, before anything that is not urgent."""
    with run.completing():
        note(label, "done urgently")


@job("tests.long", allowance=lambda: WorkAllowance(at_once=1, seconds=100, window=1000))
def long(run: JobRun, *, label: str) -> None:
    """Begin, and wait at the gate."""
    note(label, "begun")
    pass_gate()
    with run.completing():
        note(label, "done")


@job("tests.asks-urgently")
def asks_urgently(run: JobRun, *, label: str) -> None:
    """Have something urgent done, and then wait at the gate."""
    enqueue(kind="tests.urgent", arguments={"label": label})
    pass_gate()


@job("tests.broken", max_attempts=2)
def broken(run: JobRun, *, label: str) -> None:
    """Fail every time."""
    note(label, "tried")
    raise RuntimeError(f"{label} is broken")


@job("tests.backend")
def backend(run: JobRun) -> dict[str, int]:
    """Tell through which process of PostgreSQL this job is done."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return {"pid": cursor.fetchone()[0]}


@job("tests.hopeless")
def hopeless(run: JobRun) -> None:
    """Fail for good."""
    raise PermanentFailure("no attempt would help")
