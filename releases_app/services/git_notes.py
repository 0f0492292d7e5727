"""Write to git what became of versions that were rolled back (tasks_app.repository.notes)."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from accounts_app.audit_types import audit_type
from accounts_app.models import AuditEntry
from devices_app.services.keys import sign_for_git
from jobs_app.services import enqueue
from releases_app.models import Transition
from tasks_app.models import TaskVersion
from tasks_app.repository import Repository, write_note
from walle.release.states import ReleaseAction
from walle.release.version_notes import QuarantineLift, VersionRollback, note_text

WRITE_NOTE: Final = "releases.write-git-note"
LIFTED: Final = "version.lift-quarantine"


def have_note_written(version: TaskVersion) -> None:
    """Have a worker write the note on a version, once what this transaction changes is committed."""
    enqueue(kind=WRITE_NOTE, arguments={"version": version.pk}, dedupe_key=f"{WRITE_NOTE}:{version.pk}")


def write_version_note(*, version: TaskVersion, now: datetime) -> bool:
    """Let the note on a version's commit say what became of it; return whether that changed the note.

    Several versions may be tags of one commit: its note is about all of them. Raises RepositoryBusy while a push is
    under way.
    """
    scenario = version.task.scenario
    versions = TaskVersion.objects.filter(task__scenario=scenario, commit=version.commit).order_by("pk")
    text = "\n".join(note_text(str(each), events) for each in versions if (events := _events(each)))
    if not text:
        return False
    with Repository(scenario.slug) as repository:
        return write_note(repository, version.commit, text, now=now, sign=sign_for_git)


def _events(version: TaskVersion) -> list[VersionRollback | QuarantineLift]:
    return [*_rollbacks(version), *_lifts(version)]


def _rollbacks(version: TaskVersion) -> Iterator[VersionRollback]:
    moves = Transition.objects.filter(release__version=version, action=ReleaseAction.ROLL_BACK)
    for move in moves.select_related("release__app"):
        app = move.release.app.slug
        yield VersionRollback(move.release_id, app, move.actor_name, move.at, move.reason, move.evidence)


def _lifts(version: TaskVersion) -> Iterator[QuarantineLift]:
    for entry in AuditEntry.objects.filter(
        action=LIFTED, object_type=audit_type(TaskVersion), object_id=str(version.pk)
    ):
        yield QuarantineLift(entry.actor_name, entry.at, (entry.after or {}).get("reason", ""))
