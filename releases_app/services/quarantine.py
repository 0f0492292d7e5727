"""Put rolled-back versions in quarantine: they cannot be released again until somebody lifts it."""

from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts_app.actors import Actor
from accounts_app.permissions import Permission, require
from accounts_app.services.audit import record
from devices_app.scopes import app_scope
from devices_app.services.revisions import lock_publication
from releases_app.models import Quarantine, Release
from releases_app.services.git_notes import LIFTED, have_note_written
from releases_app.services.moves import Cause, scope_of
from releases_app.services.tables import publish_for_task
from tasks_app.models import TaskVersion


def quarantine(release: Release, cause: Cause) -> None:
    """Put the version of a release that is being rolled back in quarantine."""
    version = release.version
    reason = cause.reason or "rolled back by hand"
    _, made = Quarantine.objects.get_or_create(
        version=version, defaults={"release": release, "reason": reason, "by": cause.actor.name, "at": cause.now}
    )
    if made:
        record(
            actor=cause.actor,
            action="version.quarantine",
            target=version,
            scope=scope_of(version),
            also=[app_scope(release.app.slug)],
            after={"release": release.pk, "reason": reason},
        )
    have_note_written(version)


@transaction.atomic
def lift_quarantine(*, version: TaskVersion, actor: Actor, now: datetime, reason: str) -> None:
    """Lift the quarantine of a version; raises ValidationError if it is not in quarantine or the reason is empty."""
    scope = scope_of(version)
    require(actor, Permission.RELEASE, scope)
    lock_publication()
    if not reason.strip():
        raise ValidationError({"reason": "expected why this version may be released again"})
    deleted, _ = Quarantine.objects.filter(version=version).delete()
    if not deleted:
        raise ValidationError({"version": f"{version} is not in quarantine"})
    record(actor=actor, action=LIFTED, target=version, scope=scope, after={"reason": reason})
    have_note_written(version)
    publish_for_task(version.task, now=now)


def check_not_quarantined(version: TaskVersion) -> None:
    """Raise ValidationError for a version in quarantine, saying why it is there and what would help."""
    found = Quarantine.objects.filter(version=version).first()
    if found:
        raise ValidationError(
            {"version": f"{version} is in quarantine ({found.reason}): release another version, or lift the quarantine"}
        )


def is_quarantined(version: TaskVersion) -> bool:
    """Return whether a version is in quarantine, which prevents its release."""
    return Quarantine.objects.filter(version=version).exists()
