"""What the live channel survives: its server's death, the database going away, the layer of hints going away."""

import shutil
from contextlib import contextmanager

import psycopg
import pytest
import redis
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import connection
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from live_app.hub import OLD_S
from live_app.protocol import COME_AGAIN, LOG_IN
from tests.live_app.clients import connected, session_cookie
from tests.live_app.conftest import note
from tests.support.people import make_member, make_staff
from tests.support.processes import child_environment, free_port
from tests.support.waiting import wait_for
from tests.tasks_app.git_server import running_server
from walleweb.databases import plain_url

pytestmark = pytest.mark.django_db(transaction=True)

REDIS = shutil.which("redis-server")
WRITER = """
import sys, time
import django; django.setup()
from accounts_app.actors import SYSTEM
from accounts_app.services.audit import record
from releases_app.models import Release
release = Release.objects.get(pk=int(sys.argv[1]))
for number in range(int(sys.argv[2])):
    record(actor=SYSTEM, action="release.note", target=release, scope="scenario:camera", after={"at": time.time()})
    print(number, flush=True)
    time.sleep(float(sys.argv[3]))
"""


@contextmanager
def serving(folder, **settings):
    secrets = {"SECRET_KEY": django_settings.SECRET_KEY, **settings}
    with running_server(folder, django_settings.WALLE_MASTER_KEY, **secrets) as running:
        yield running


def write_elsewhere(children, release, count, apart_s, **settings):
    """Entries written by another process; each says when."""
    argv = ("-c", WRITER, str(release.pk), str(count), str(apart_s))
    return children.python(*argv, env=child_environment(**settings), name="writer")


def receive_at_once(client, count=5):
    """Wait for so many events in a row that come in frames of their own: without hints, a second's come together."""
    begun = len(client.events["releases"])

    def received():
        frames = [client.frame_of[event["id"]] for event in client.events["releases"][begun:]]
        # The first and the last frame may still be partly outside.
        return len(set(frames[-count:])) == len(frames[-count:]) == count and len(frames) > count

    client.wait_for(received)


def test_a_server_that_is_killed_leaves_no_gap(children, release, tmp_path):
    """A writer goes on all the time; each server is killed -9, and the reader goes to the next."""
    staff, received, cursor = make_staff(), [], None
    writer = None
    for number in range(3):
        with serving(tmp_path / str(number)) as server, connected(server.port, staff) as client:
            client.subscribed("releases", cursor)
            writer = writer or write_elsewhere(children, release, 100_000, 0.01)
            client.wait_for(lambda client=client: len(client.events["releases"]) > 20)
            server.child.kill()
            client.wait_for(lambda client=client: client.closed)
            received += client.ids("releases")
            cursor = client.cursors["releases"]
    writer.kill()
    with connection.cursor() as asked:
        asked.execute(
            "SELECT id FROM accounts_app_auditentry WHERE action = 'release.note' AND id <= %s ORDER BY id",
            [received[-1]],
        )
        assert received == [row[0] for row in asked.fetchall()]


def test_hints_of_other_processes_save_waiting(children, release, tmp_path):
    with serving(tmp_path) as server, connected(server.port, make_staff()) as client:
        client.subscribed("releases")
        write_elsewhere(children, release, 1000, 0.3)
        receive_at_once(client)


def test_what_nobody_is_told_of_is_noticed_when_people_are_looked_at_again(release, tmp_path):
    """Somebody becomes staff, and a session ends, past everything that would say so."""
    watching = make_member("viewer", "scenario:camera", "vera")
    with (
        serving(tmp_path, WALLE_LIVE_RECHECK_SECONDS="1") as server,
        connected(server.port, watching) as client,
        connected(server.port, make_staff()) as other,
    ):
        client.subscribed("releases")
        other.subscribed("releases")
        User.objects.filter(pk=watching.user.pk).update(is_staff=True)
        client.wait_for(lambda: "rights" in [message["type"] for message in client.messages])
        Session.objects.all().delete()
        for each in (client, other):
            each.wait_for(lambda each=each: each.closed)
            assert each.closed == LOG_IN
        assert "rights" not in [message["type"] for message in other.messages]


@contextmanager
def database_away():
    """Nobody gets into the test's database, and whoever was in it is thrown out."""
    name = connection.settings_dict["NAME"]
    elsewhere = plain_url(connection.settings_dict | {"NAME": "postgres"})
    connection.close()
    with psycopg.connect(elsewhere, autocommit=True) as opened:
        opened.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
        try:
            opened.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
            yield
        finally:
            opened.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')


def ages(client):
    """For how long the server said, each time, that it could not read."""
    return [message["age"] for message in client.messages if message["type"] == "alive"]


def test_a_database_that_goes_away_and_comes_back_is_survived(children, release, tmp_path):
    staff = make_staff()
    cookie = {"Cookie": session_cookie(staff)}
    with serving(tmp_path) as server, connected(server.port, staff) as client:
        client.subscribed("releases")
        before = [note(release, number).pk for number in range(3)]
        client.wait_for(lambda: len(client.events["releases"]) == 3)
        with database_away():
            client.wait_for(lambda: max(ages(client), default=0) > 2)
            with pytest.raises(InvalidStatus) as refused:
                connect(
                    f"ws://127.0.0.1:{server.port}/live",
                    origin=f"http://127.0.0.1:{server.port}",
                    additional_headers=cookie,
                )
            assert refused.value.response.status_code == 503
        after = [note(release, number).pk for number in range(3)]
        client.wait_for(lambda: len(client.events["releases"]) == 6 and ages(client)[-1] == 0)
        assert client.ids("releases") == before + after
        assert client.closed is None
        # The listener for hints notices within seconds, too.
        write_elsewhere(children, release, 1000, 0.3)
        receive_at_once(client)
        assert "Exception in ASGI application" not in server.log()


def test_clients_of_a_database_that_was_restored_come_again_and_begin_anew(release, tmp_path):
    staff = make_staff()
    with serving(tmp_path) as server, connected(server.port, staff) as client:
        client.subscribed("releases")
        note(release)
        client.wait_for(lambda: client.events["releases"])
        note(release, action="backup.restore")
        with psycopg.connect(plain_url(connection.settings_dict), autocommit=True) as opened:
            opened.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        connection.close()
        client.wait_for(lambda: client.closed)
        assert client.closed == COME_AGAIN
        with connected(server.port, staff) as again:
            again.subscribe("releases", client.cursors["releases"])
            again.wait_for(lambda: again.refusals)
            assert again.refusals[0]["code"] == "cursor-expired"
            again.subscribed("releases")


def test_a_gauge_that_cannot_be_read_is_said_to_be_old(server, release):
    """Although events, and other gauges, come as always."""
    with connected(server.port, make_staff()) as client:
        client.subscribed("fleet")
        client.subscribed("releases")
        client.wait_for(lambda: client.gauges["fleet"] and client.gauges["releases"])
        with psycopg.connect(plain_url(connection.settings_dict)) as holding:
            holding.execute("LOCK TABLE devices_app_pulse IN ACCESS EXCLUSIVE MODE")

            def told_so():
                note(release)
                return max(ages(client), default=0) > OLD_S

            client.wait_for(told_so)
            release.state, release.position = "running", 0
            release.save()
            client.wait_for(lambda: client.gauges["releases"][-1]["results"])
            holding.rollback()
        client.wait_for(lambda: note(release) and ages(client)[-1] == 0)
        assert client.closed is None


@pytest.mark.skipif(REDIS is None, reason="Redis is not installed: apt-get install -y redis-server")
def test_hints_through_redis_and_without_it(children, release, tmp_path):
    port = free_port()
    settings = {"REDIS_URL": f"redis://127.0.0.1:{port}/0"}

    def start():
        options = ("--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path))
        child = children.start(REDIS, *options, name="redis")
        wait_for(lambda: _answers(port), describe=child.output)
        return child

    child = start()
    with serving(tmp_path / "data", **settings) as server, connected(server.port, make_staff()) as client:
        client.subscribed("releases")
        writer = write_elsewhere(children, release, 1000, 0.3, **settings)
        receive_at_once(client)
        child.kill()
        received = len(client.events["releases"])
        client.wait_for(lambda: len(client.events["releases"]) >= received + 10)
        start()
        receive_at_once(client)
        writer.kill()
        assert client.closed is None
        ids = client.ids("releases")
        assert ids == sorted(set(ids))


def _answers(port):
    with redis.Redis(port=port) as client:
        try:
            return bool(client.ping())
        except redis.ConnectionError:
            return False
