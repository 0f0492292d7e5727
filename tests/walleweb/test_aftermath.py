"""What is put right in a database that was restored."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, connection, transaction

from accounts_app.actors import SYSTEM
from accounts_app.models import AuditEntry
from devices_app.models import App, PublishedTable
from devices_app.selectors.state import gateway_revision
from devices_app.services.apps import create_app
from devices_app.services.keys import ensure_keys
from jobs_app.models import Job, JobState
from jobs_app.services import claim_next, enqueue
from tests.support.people import make_user, token_of
from walleweb.backup.aftermath import SKIPPED_IDS, put_right

pytestmark = pytest.mark.django_db

NOW = datetime(2027, 1, 15, 8, tzinfo=UTC)
MADE = NOW - timedelta(hours=20)
KIND = "jobs.delete-finished"


@pytest.fixture
def shop() -> App:
    ensure_keys(now=MADE)
    return create_app(slug="shop", name="Shop", actor=SYSTEM, now=MADE)


def restored():
    return put_right(backup="20270114T120000Z", made_at=MADE, now=NOW)


def test_every_app_has_a_new_table_with_a_number_that_nobody_has_seen(shop: App) -> None:
    bank = create_app(slug="bank", name="Bank", actor=SYSTEM, now=MADE)
    PublishedTable.objects.filter(app=bank).delete()
    revision = gateway_revision()
    restored()
    # A machine whose clock was ahead published a moment ago.
    seen = 1000 * int((NOW + timedelta(hours=23)).timestamp()) + 50
    numbers = dict(PublishedTable.objects.values_list("app__slug", "number"))
    assert numbers.keys() == {"shop", "bank"}
    assert min(numbers.values()) > seen
    assert gateway_revision() > revision


def test_jobs_that_ran_are_due_again_even_where_the_same_one_waits(shop: App) -> None:
    running = enqueue(kind=KIND, dedupe_key="one", now=MADE)
    claim_next(owner="dead", now=MADE, kinds=[KIND])
    waiting = enqueue(kind=KIND, dedupe_key="one", now=MADE)
    restored()
    jobs = {job.pk: job for job in Job.objects.filter(kind=KIND)}
    assert {job.state for job in jobs.values()} == {JobState.PENDING}
    assert (jobs[running.pk].attempts, jobs[running.pk].lease_until) == (0, None)
    assert (jobs[running.pk].dedupe_key, jobs[waiting.pk].dedupe_key) == ("", "one")


def test_ids_of_lost_rows_are_left_out(shop: App) -> None:
    restored()
    for table in ("releases_app_release", "releases_app_stage"):
        with connection.cursor() as cursor:
            cursor.execute("SELECT nextval(pg_get_serial_sequence(%s, 'id'))", [table])
            assert cursor.fetchone()[0] > SKIPPED_IDS


def test_it_is_written_down_and_told(shop: App) -> None:
    token_of(type(SYSTEM)(user=make_user()))
    aftermath = restored()
    assert (aftermath.paused, aftermath.complete, aftermath.tokens) == ([], [], 1)
    entry = AuditEntry.objects.get(action="backup.restore")
    assert (entry.actor_name, entry.scope) == ("system", "site")
    assert entry.after["backup"] == "20270114T120000Z"


def test_old_entries_come_before_whatever_this_server_writes(shop: App) -> None:
    """Their transactions were another server's, whose numbers may be ahead of this one's."""
    old = set(AuditEntry.objects.values_list("id", flat=True))
    restored()
    assert set(AuditEntry.objects.filter(id__in=old).values_list("xid", flat=True)) == {0}
    assert min(AuditEntry.objects.exclude(id__in=old).values_list("xid", flat=True)) > 0
    entry = AuditEntry.objects.first()
    with pytest.raises(IntegrityError, match="immutable"), transaction.atomic():
        entry.save()
