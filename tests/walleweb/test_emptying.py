"""After a transactional test only the tables that were written are emptied, however they are protected."""

import psycopg
import pytest
from django.conf import settings
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.db import connection

from accounts_app.actors import SYSTEM
from accounts_app.models import AuditEntry
from accounts_app.services.audit import record
from devices_app.models import App, ServerKey
from tests.devices_app.conftest import make_shop
from tests.support import emptying
from tests.support.emptying import Tables
from walleweb.databases import plain_url
from walleweb.embedded.postgres import SUPERUSER, database_url

SESSIONS = """
INSERT INTO django_session (session_key, session_data, expire_date)
SELECT number::text, repeat('x', 500), now() FROM generate_series(1, %s) AS number
"""

pytestmark = pytest.mark.django_db


@pytest.fixture
def tables(db):
    if not emptying.may_pass_triggers():
        pytest.skip("the role of this database may not delete past triggers")
    return Tables()


def test_rows_go_past_triggers_and_foreign_keys(tables):
    record(actor=SYSTEM, action="app.configure", target=make_shop(), scope="app:shop")
    assert tables.empty()
    assert not App.objects.exists()
    assert not ServerKey.objects.exists()
    assert not AuditEntry.objects.exists()


def test_what_migrating_left_stays(tables):
    found = Permission.objects.count()
    make_shop()
    assert tables.empty()
    assert Permission.objects.count() == found > 0


def test_a_change_of_what_migrating_left_is_left_to_djangos_flush(tables):
    make_shop()
    ContentType.objects.create(app_label="other", model="thing")
    assert not tables.empty()
    assert App.objects.exists()


def test_a_large_table_is_left_to_djangos_flush(tables):
    with connection.cursor() as cursor:
        cursor.execute(SESSIONS, [3000])
    assert not tables.empty()
    assert Session.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_what_somebody_else_is_still_writing_is_waited_for(tables, monkeypatch):
    other_writers, seen = emptying.other_writers, []

    with psycopg.connect(plain_url(connection.settings_dict)) as other:
        other.execute("INSERT INTO auth_group (name) VALUES ('written meanwhile')")

        def commit_when_seen():
            if found := other_writers():
                seen.extend(found)
                other.commit()
            return found

        monkeypatch.setattr(emptying, "other_writers", commit_when_seen)
        assert tables.empty()
    assert seen
    assert not Group.objects.exists()


def test_nobody_waits_for_what_the_server_itself_does():
    """Autovacuum's transactions belong to no role of tests; one of the superuser stands for them."""
    directory = settings.CONFIG.embedded_postgres
    if directory is None:
        pytest.skip("the database is not an embedded one, of which the superuser is known")
    with psycopg.connect(database_url(directory, connection.settings_dict["NAME"], SUPERUSER)) as superuser:
        superuser.execute("SELECT pg_current_xact_id()")
        assert emptying.other_writers() == []
