"""The live channel over real sockets: who is let in, what they are told, and when that ends."""

import json
import random
import threading
import time
from contextlib import ExitStack
from datetime import timedelta

import psycopg
import pytest
from django.contrib.sessions.models import Session
from django.db import connection, transaction
from django.test import Client as Browser
from django.utils import timezone
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from accounts_app.actors import SYSTEM, Actor
from accounts_app.services.members import grant_role, revoke_role
from devices_app.models import ActivityCount
from live_app.feed import MOST_MISSED
from live_app.hub import FLUSH_APART_S, MOST_SOCKETS
from live_app.protocol import LOG_IN, MAX_MESSAGE, TOO_MANY
from tests.live_app.clients import LiveClient, connected, session_cookie
from tests.live_app.conftest import note
from tests.support.people import make_member, make_staff, make_user
from tests.support.waiting import wait_for
from walleweb.databases import plain_url

pytestmark = pytest.mark.django_db(transaction=True)


def test_strangers_and_other_sites_stay_out(server, release):
    with connected(server.port, None) as nobody:
        nobody.wait_for(lambda: nobody.closed)
        assert nobody.closed == LOG_IN
        assert nobody.messages == []
    cookie = {"Cookie": session_cookie(make_staff())}
    for origin in ("https://evil.example", f"http://localhost:{server.port}", "http://127.0.0.1:1", "null", None):
        with pytest.raises(InvalidStatus) as refused:
            connect(f"ws://127.0.0.1:{server.port}/live", additional_headers=cookie, origin=origin)
        assert refused.value.response.status_code == 403


def test_a_subscriber_gets_the_gauge_and_then_every_event(server, release):
    with connected(server.port, make_member("viewer", "scenario:camera")) as client:
        client.subscribed("releases")
        client.subscribed(f"release/{release.pk}")
        detail = f"release/{release.pk}"
        client.wait_for(lambda: client.gauges["releases"] and client.gauges[detail])
        assert client.gauges["releases"] == [{"results": [], "more": False}]
        entries = [note(release, number).pk for number in range(3)]
        client.wait_for(lambda: len(client.events["releases"]) == len(client.events[detail]) == 3)
        assert client.ids("releases") == client.ids(detail) == entries
        told = client.events["releases"][0]
        about = ("action", "release", "app", "task", "version", "actor")
        assert [told[name] for name in about] == [
            "release.note", release.pk, "shop", "camera/digits", "1.0.0", "system",
        ]  # fmt: skip


def test_the_gauge_of_a_release_is_what_rest_answers(server, release):
    viewer = make_member("viewer", "app:shop")
    browser = Browser()
    browser.force_login(viewer.user)
    topic = f"release/{release.pk}"
    with connected(server.port, viewer) as client:
        client.subscribed(topic)
        client.wait_for(lambda: client.gauges[topic])
        assert client.gauges[topic][-1] == browser.get(f"/api/v1/releases/{release.pk}").json()
        release.state, release.position = "running", 0
        release.save()
        note(release)
        client.wait_for(lambda: client.gauges[topic][-1]["state"] == "running")
        assert client.gauges[topic][-1] == browser.get(f"/api/v1/releases/{release.pk}").json()
        client.subscribed("releases")
        client.wait_for(lambda: client.gauges["releases"])
        (row,) = client.gauges["releases"][-1]["results"]
        shown = browser.get("/api/v1/releases").json()["results"][0]
        assert row == {name: shown[name] for name in shown if name != "progress"}


def test_the_fleet_is_what_somebody_sees_of_it(server, release, shop):
    pulse = (timezone.now() - timedelta(seconds=8)).replace(microsecond=0)
    at = pulse - timedelta(seconds=pulse.second % 5)
    ActivityCount.objects.create(app=shop, at=at, check_ins=50, offers=0, installs=20, failures=10)
    release.state, release.position = "running", 0
    release.save()
    here, elsewhere = make_member("viewer", "app:shop"), make_member("viewer", "scenario:camera", "else")
    for actor, check_ins in ((here, 5.0), (elsewhere, 0.0)):
        with connected(server.port, actor) as client:
            client.subscribed("fleet")
            client.wait_for(lambda client=client: client.gauges["fleet"])
            assert client.gauges["fleet"][0]["rates"]["check_ins"] == check_ins
    with connected(server.port, here) as client:
        client.subscribed("fleet/shop")
        client.wait_for(lambda: client.gauges["fleet/shop"])
        told = client.gauges["fleet/shop"][0]
    browser = Browser()
    browser.force_login(here.user)
    answered = browser.get("/api/v1/fleet?app=shop").json()
    assert {name: told[name] for name in ("apps", "devices", "releases")} == {
        name: answered[name] for name in ("apps", "devices", "releases")
    }
    assert told["releases"][0]["id"] == release.pk
    assert told["rates"]["installs"] == 2.0


def test_nobody_is_told_of_what_is_not_theirs(server, release, make_release):
    other = make_release("kitchen", "2.0.0")
    cook = make_member("viewer", "scenario:kitchen", "cook")
    with connected(server.port, cook) as client:
        client.subscribed("releases")
        client.subscribe(f"release/{release.pk}")
        client.subscribe("release/999999999")
        client.wait_for(lambda: len(client.refusals) == 2)
        assert {refusal["code"] for refusal in client.refusals} == {"not-found"}
        note(release)
        seen = note(other)
        client.wait_for(lambda: client.events["releases"])
        assert client.ids("releases") == [seen.pk]


def test_a_role_that_is_taken_away_ends_what_it_allowed_and_one_that_is_given_widens(server, release, make_release):
    other = make_release("kitchen", "2.0.0")
    cook = make_member("viewer", "scenario:camera", "cook")
    topic = f"release/{release.pk}"
    with connected(server.port, cook) as client:
        client.subscribed("releases")
        client.subscribed(topic)
        grant_role(actor=SYSTEM, user=cook.user, scope="scenario:kitchen", role="viewer")
        revoke_role(actor=SYSTEM, user=cook.user, scope="scenario:camera", role="viewer")
        client.wait_for(lambda: client.refusals)
        assert [(refusal["topic"], refusal["code"]) for refusal in client.refusals] == [(topic, "not-found")]
        note(release)
        seen = note(other)
        client.wait_for(lambda: client.events["releases"])
        assert client.ids("releases") == [seen.pk]
        assert client.events[topic] == []


@pytest.mark.parametrize("topic", [None, "releases"])
def test_whoever_may_do_more_or_less_is_told_and_others_are_not(server, release, topic):
    vera = make_member("viewer", "scenario:camera", "vera")
    with connected(server.port, vera) as client, connected(server.port, Actor(user=make_user("other"))) as other:
        if topic:
            client.subscribed(topic)

        def told(times):
            return lambda: [message["type"] for message in client.messages].count("rights") == times

        for each in (client, other):
            each.send(type="ping")
            each.wait_for(lambda each=each: each.messages)
        grant_role(actor=SYSTEM, user=vera.user, scope="scenario:camera", role="releaser")
        client.wait_for(told(1))
        revoke_role(actor=SYSTEM, user=vera.user, scope="scenario:camera", role="releaser")
        client.wait_for(told(2))
        other.receive()
        assert {message["type"] for message in other.messages} <= {"pong", "alive"}


@pytest.mark.parametrize("end", ["log out", "session deleted", "deactivated", "password changed"])
def test_an_ended_session_closes_the_socket(server, release, end):
    user = make_user("vera")
    browser = Browser()
    browser.force_login(user)
    cookie = {"Cookie": f"sessionid={browser.cookies['sessionid'].value}"}
    origin = f"http://127.0.0.1:{server.port}"
    with connected(server.port, Actor(user=make_user("other"))) as other:
        with connect(f"ws://127.0.0.1:{server.port}/live", origin=origin, additional_headers=cookie) as socket:
            client = LiveClient(socket)
            client.subscribed("releases")
            match end:
                case "log out":
                    browser.logout()
                case "session deleted":
                    Session.objects.filter(session_key=browser.cookies["sessionid"].value).delete()
                case "deactivated":
                    user.is_active = False
                    user.save()
                case _:
                    user.set_password("another")
                    user.save()
            # Whoever watches the log of roles has it looked at now instead of within an hour.
            grant_role(actor=SYSTEM, user=make_user("someone"), scope="app:shop", role="viewer")
            client.wait_for(lambda: client.closed)
            assert client.closed == LOG_IN
        other.subscribed("releases")


BAD = [
    ("", "malformed"),
    ("[]", "malformed"),
    ("{", "malformed"),
    (b"{}", "malformed"),
    ("[" * 4000, "malformed"),
    ('{"type":"nonsense"}', "malformed"),
    ('{"type":"subscribe"}', "malformed"),
    ('{"type":"subscribe","topic":7}', "malformed"),
    ('{"type":"subscribe","topic":"releases","after":"x"}', "malformed"),
    ('{"type":"subscribe","topic":"nonsense"}', "unknown-topic"),
    ('{"type":"subscribe","topic":"\\ud800"}', "unknown-topic"),
    ('{"type":"subscribe","topic":"release/0"}', "unknown-topic"),
    ('{"type":"subscribe","topic":"release/1\\n"}', "unknown-topic"),
    ('{"type":"subscribe","topic":"release/' + "9" * 18 + '"}', "not-found"),
    ('{"type":"subscribe","topic":"releases","after":"5.1.1"}', "cursor-expired"),
    ('{"type":"subscribe","topic":"releases","after":"0.ffffffffffffffff.1"}', "cursor-expired"),
    ("x" * (MAX_MESSAGE + 1), "too-large"),
]


def test_bad_messages_are_refused_and_nothing_breaks(server, release):
    with connected(server.port, make_staff()) as client:
        for number, (bad, code) in enumerate(BAD, start=1):
            client.connection.send(bad)
            client.wait_for(lambda expected=number: len(client.refusals) == expected)
            assert client.refusals[-1]["code"] == code, bad
        client.send(type="unsubscribe", topic="never")
        client.send(type="ping")
        client.wait_for(lambda: client.messages[-1] == {"type": "pong"})
        client.subscribed("releases")
        for number in range(60):
            client.subscribe(f"release/{release.pk}" if number % 2 else "releases")
        client.send(type="ping")
        client.wait_for(lambda: client.messages.count({"type": "pong"}) == 2)
        assert {m["topic"] for m in client.messages if m["type"] == "subscribed"} == {
            "releases",
            f"release/{release.pk}",
        }
    assert "Traceback" not in server.log()


def test_too_many_subscriptions_are_refused(server, make_release):
    releases = [make_release(version=f"1.0.{number}") for number in range(51)]
    with connected(server.port, make_staff()) as client:
        for release in releases:
            client.subscribe(f"release/{release.pk}")
        client.wait_for(lambda: client.refusals)
        assert client.refusals[0]["code"] == "too-many"
        client.send(type="unsubscribe", topic=f"release/{releases[0].pk}")
        client.subscribed(f"release/{releases[50].pk}")


def raw_connection():
    return psycopg.connect(plain_url(connection.settings_dict))


NOTE = """
INSERT INTO accounts_app_auditentry
    (at, actor_name, token_prefix, action, scope, object_type, object_id, object_name, request_id)
VALUES (now(), 'test', '', 'release.note', 'scenario:camera', 'tasks_app.release', %s, 'x', '') RETURNING id
"""


MANY = """
INSERT INTO accounts_app_auditentry
    (at, actor_name, token_prefix, action, scope, object_type, object_id, object_name, request_id)
SELECT now(), 'test', '', 'release.note', 'scenario:camera', 'tasks_app.release', %s, 'x', ''
FROM generate_series(1, %s)
"""


def test_a_person_has_so_many_sockets_and_no_more_while_others_come_in(server, release):
    vera, other = make_member("viewer", "scenario:camera", "vera"), make_member("viewer", "scenario:camera", "other")
    with ExitStack() as opened:
        clients = [opened.enter_context(connected(server.port, vera)) for _ in range(MOST_SOCKETS)]
        with connected(server.port, vera) as one_more:
            one_more.wait_for(lambda: one_more.closed)
            assert one_more.closed == TOO_MANY
            assert one_more.messages == []
        for client in (clients[0], clients[-1], opened.enter_context(connected(server.port, other))):
            client.subscribed("releases")
        clients[0].connection.close()

        def comes_in():
            with connected(server.port, vera) as again:
                again.send(type="ping")
                again.wait_for(lambda: again.messages or again.closed)
                return again.closed is None

        wait_for(comes_in)


@pytest.mark.parametrize("watched", [True, False])
def test_who_comes_back_after_too_much_begins_anew_and_is_told_none_of_it(server, release, make_release, watched):
    """However little of it is about what is watched."""
    staff, topic = make_staff(), f"release/{release.pk}"
    with connected(server.port, staff) as client:
        client.subscribed(topic)
        cursor = client.cursors[topic]
    written = release if watched else make_release("kitchen", "2.0.0")
    with raw_connection() as opened:
        opened.execute(MANY, [str(written.pk), MOST_MISSED + 1])
    with connected(server.port, staff) as client:
        client.subscribe(topic, cursor)
        client.wait_for(lambda: client.refusals)
        assert client.refusals[0]["code"] == "cursor-expired"
        assert client.events[topic] == []
        client.subscribed(topic)
        last = note(release)
        client.wait_for(lambda: client.events[topic])
        assert client.ids(topic) == [last.pk]


def test_who_comes_back_after_much_is_told_all_of_it(server, release):
    staff, topic = make_staff(), f"release/{release.pk}"
    with connected(server.port, staff) as client:
        client.subscribed(topic)
        cursor = client.cursors[topic]
    with raw_connection() as opened:
        opened.execute(MANY, [str(release.pk), MOST_MISSED - 100])
    with connected(server.port, staff) as client:
        client.subscribe(topic, cursor)
        client.wait_for(lambda: len(client.events[topic]) == MOST_MISSED - 100)
        assert client.ids(topic) == sorted(set(client.ids(topic)))
        assert client.refusals == []


def test_a_quiet_server_gives_signs_of_life(server, release):
    with connected(server.port, make_staff()) as client:
        client.wait_for(lambda: {"type": "alive", "age": 0} in client.messages)


def test_frames_come_no_more_than_ten_times_a_second_and_nothing_is_left_out(server, release):
    with connected(server.port, make_staff()) as client:
        client.subscribed("releases")
        before, begun = client.frames, time.monotonic()
        with raw_connection() as opened:
            opened.autocommit = True
            ids = [opened.execute(NOTE, [str(release.pk)]).fetchone()[0] for _ in range(300)]
        client.wait_for(lambda: len(client.events["releases"]) == 300)
        assert client.ids("releases") == ids
        # However long that took; and two more for those that were on their way.
        assert client.frames - before <= (time.monotonic() - begun) / FLUSH_APART_S + 2


def test_transactions_that_commit_in_reverse_order_leave_no_gap(server, release):
    """Each cursor that was given is good for coming back, whatever commits before or after."""
    staff = make_staff()
    with connected(server.port, staff) as client:
        client.subscribed("releases")
        begun = client.cursors["releases"]
        opened = [raw_connection() for _ in range(8)]
        ids = [each.execute(NOTE, [str(release.pk)]).fetchone()[0] for each in opened]
        for number in (7, 3, 6, 1):
            opened[number].commit()
            client.receive(0.2)
    with connected(server.port, staff) as again:
        again.subscribed("releases", client.cursors["releases"])
        for number in (5, 2, 4):
            opened[number].commit()
            again.receive(0.2)
        assert client.ids("releases") + again.ids("releases") == [], "0 was begun first, and still runs"
        opened[0].commit()
        again.wait_for(lambda: len(again.events["releases"]) == 8)
        assert again.ids("releases") == ids
    with connected(server.port, staff) as late:
        late.subscribed("releases", begun)
        late.wait_for(lambda: len(late.events["releases"]) == 8)
        assert late.ids("releases") == ids
    for each in opened:
        each.close()


def test_who_comes_back_again_and_again_misses_nothing_and_hears_nothing_twice(server, release):
    """Writers commit in random orders, some roll back, while the reader comes and goes."""
    staff, written, stop = make_staff(), [], threading.Event()

    def write(seed):
        chance = random.Random(seed)
        with raw_connection() as opened:
            while not stop.is_set():
                ids = [opened.execute(NOTE, [str(release.pk)]).fetchone()[0] for _ in range(chance.randint(1, 3))]
                stop.wait(chance.random() * 0.03)
                if chance.random() < 0.2:
                    opened.rollback()
                else:
                    opened.commit()
                    written.extend(ids)

    writers = [threading.Thread(target=write, args=[seed]) for seed in range(5)]
    for writer in writers:
        writer.start()
    heard, cursor = [], None
    try:
        for _ in range(12):
            with connected(server.port, staff) as client:
                client.subscribed("releases", cursor)
                if cursor is None:
                    first, before = client.cursors["releases"], len(written)
                for _ in range(4):
                    client.receive(0.1)
                heard += client.ids("releases")
                cursor = client.cursors["releases"]
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    with connected(server.port, staff) as client:
        client.subscribed("releases", cursor)
        total = len(written)
        # What was written before the first subscription is not told.
        client.wait_for(lambda: max(written) in heard + client.ids("releases"))
        heard += client.ids("releases")
    with connected(server.port, staff) as client:
        client.subscribed("releases", first)
        client.wait_for(lambda: len(client.events["releases"]) >= len(heard))
        assert client.ids("releases") == heard
    assert len(heard) == len(set(heard))
    assert set(heard) <= set(written)
    # Each writer may have committed what it had not written down yet.
    assert total - len(heard) <= before + 3 * len(writers)


def test_a_savepoint_that_is_taken_back_tells_nothing(server, release):
    with connected(server.port, make_staff()) as client:
        client.subscribed("releases")
        with transaction.atomic():
            first = note(release, 1)
            with transaction.atomic():
                note(release, 2)
                transaction.set_rollback(True)
            last = note(release, 3)
        client.wait_for(lambda: len(client.events["releases"]) == 2)
        assert client.ids("releases") == [first.pk, last.pk]
        assert json.loads(json.dumps(client.events["releases"][0]))["after"] == {"number": 1}
