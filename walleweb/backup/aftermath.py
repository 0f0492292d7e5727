"""Correct a database that was just restored, since devices and people went on after the backup was made."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from accounts_app.actors import SYSTEM
from accounts_app.models import ApiToken
from accounts_app.permissions import SITE
from accounts_app.services.audit import forget_transactions, record
from devices_app.models import App, GatewayRevision
from devices_app.services.feature_restoration import forget_feature_transactions
from devices_app.services.revisions import announce_change, lock_publication
from devices_app.services.tables import skip_table_numbers
from jobs_app.models import Job, JobState
from releases_app.models import Release
from releases_app.services.reconciliation import publish_missing_tables
from releases_app.services.releases import act
from releases_app.services.tables import publish_app
from walle.release.states import IN_PROGRESS, ReleaseAction, ReleaseState
from walleweb.backup.database import skip_ids

# More than the releases and stages created between two backups: devices hold tokens that name lost ones by id.
SKIPPED_IDS: Final = 100_000


@dataclass(frozen=True)
class Aftermath:
    """The objects that people have to check: paused and complete releases, by their names, and valid tokens."""

    paused: list[str]
    complete: list[str]
    tokens: int


def put_right(*, backup: str, made_at: datetime, now: datetime) -> Aftermath:
    """Correct the database inside the transaction that restores.

    The order matters: tables are published last, under the final numbers.
    """
    forget_transactions()
    forget_feature_transactions()
    skip_ids(SKIPPED_IDS)
    _take_jobs_back(now)
    lock_publication()
    paused = _pause_releases(made_at, now)
    publish_missing_tables(now=now)
    skip_table_numbers(now=now)
    for app in App.objects.all():
        publish_app(app, now=now)
    announce_change()
    facts = {"backup": backup, "made_at": made_at, "paused": [release.pk for release in paused]}
    record(actor=SYSTEM, action="backup.restore", target=GatewayRevision.objects.get(), scope=SITE, after=facts)
    complete = Release.objects.filter(state=ReleaseState.COMPLETE).select_related("version__task__scenario")
    tokens = ApiToken.objects.filter(revoked_at=None).count()
    return Aftermath([str(release) for release in paused], [str(release) for release in complete], tokens)


def _take_jobs_back(now: datetime) -> None:
    """Release jobs whose workers are gone, without counting the attempts, which are no fault of the jobs."""
    pending = set(Job.objects.filter(state=JobState.PENDING).values_list("dedupe_key", flat=True))
    for job in Job.objects.filter(state=JobState.RUNNING):
        job.dedupe_key = "" if job.dedupe_key in pending else job.dedupe_key
        pending.add(job.dedupe_key)
        job.state, job.lease_owner, job.lease_until = JobState.PENDING, "", None
        job.attempts, job.run_at = job.attempts - 1, now
        job.save()


def _pause_releases(made_at: datetime, now: datetime) -> list[Release]:
    """Pause releases, because what happened to them since is lost: a verdict may have stopped them, or a person."""
    reason = f"restored from the backup of {made_at:%Y-%m-%d %H:%M} UTC: what happened since is not known here"
    found = Release.objects.filter(state__in=[state.value for state in IN_PROGRESS])
    paused = list(found.select_related("app", "version__task__scenario").order_by("pk"))
    for release in paused:
        act(release=release, action=ReleaseAction.PAUSE, actor=SYSTEM, now=now, reason=reason)
    return paused
