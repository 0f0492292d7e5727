"""What every reading and writing promises: ETags, preconditions, idempotency keys, rate limits."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from accounts_app.models import ApiToken, AuditEntry
from devices_app.models import App, AppKey
from kit.api import exchange, idempotency
from kit.models import KeptAnswer
from tests.api.conftest import NOW
from tests.api.contract import Api, problem
from tests.support.fleet import make_device
from tests.support.people import make_staff, token_of
from tests.support.releases import draft_of

pytestmark = pytest.mark.django_db


def with_headers(api, method, path, body=None, **headers):
    options = {f"HTTP_{name.upper()}": value for name, value in headers.items()}
    return api.call(method, path, body, **options)


# ETags of readings.


def test_an_unchanged_thing_is_not_sent_again(staff, shop):
    first = staff.get("apps/shop")
    again = with_headers(staff, "GET", "apps/shop", if_none_match=first["ETag"])
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    staff.patch("apps/shop", {"name": "New"})
    changed = with_headers(staff, "GET", "apps/shop", if_none_match=first["ETag"])
    assert (changed.status_code, changed.json()["name"]) == (200, "New")
    assert changed["ETag"] != first["ETag"]


def test_an_etag_does_not_depend_on_the_layout(staff, shop):
    plain = staff.get("apps/shop")
    indented = with_headers(staff, "GET", "apps/shop", accept="application/json; indent=2")
    assert b'\n  "slug"' in indented.content
    assert b"\n" not in plain.content
    assert (indented.json(), indented["ETag"]) == (plain.json(), plain["ETag"])
    assert {plain["Content-Type"], indented["Content-Type"]} == {"application/json"}


def test_lists_have_etags_too(staff, shop):
    etag = staff.get("apps")["ETag"]
    assert with_headers(staff, "GET", "apps", if_none_match=f'"other", {etag}').status_code == 304
    staff.post("apps", {"slug": "bank", "name": "Bank"})
    assert with_headers(staff, "GET", "apps", if_none_match=etag).status_code == 200


def test_live_figures_are_always_sent(staff, shop, digits):
    path = f"releases/{draft_of(shop, digits, now=NOW).pk}"
    etag = staff.get(path)["ETag"]
    assert with_headers(staff, "GET", path, if_none_match=etag).status_code == 200


def test_answers_are_for_who_asked_only(staff, shop):
    answer = staff.get("apps/shop")
    assert answer["Cache-Control"] == "private, no-cache"
    assert {"Authorization", "Cookie"} <= set(answer["Vary"].split(", "))
    made = staff.post("apps/shop/keys", {"kind": "enrol", "label": "x"})
    assert made["Cache-Control"] == "no-store"


# Preconditions of writings.


def test_an_update_of_what_was_changed_meanwhile_is_refused(staff, shop):
    etag = staff.get("apps/shop")["ETag"]
    assert with_headers(staff, "PATCH", "apps/shop", {"name": "First"}, if_match=etag).status_code == 200
    lost = with_headers(staff, "PATCH", "apps/shop", {"name": "Second"}, if_match=etag)
    problem(lost, 412, "precondition-failed")
    assert App.objects.get().name == "First"


def test_a_release_moves_only_from_where_it_was_seen(releaser, shop, digits):
    path = f"releases/{draft_of(shop, digits, now=NOW).pk}"
    etag = releaser.get(path)["ETag"]
    assert with_headers(releaser, "POST", f"{path}/start", {}, if_match=etag).status_code == 200
    problem(with_headers(releaser, "POST", f"{path}/pause", {}, if_match=etag), 412, "precondition-failed")
    assert releaser.get(path).json()["state"] == "running"


def test_something_is_made_only_if_it_is_not_there(owner, shop):
    body = {"devices": ["phone"]}
    path = "apps/shop/lists/testers"
    assert with_headers(owner, "PUT", path, body, if_none_match="*").status_code == 200
    problem(with_headers(owner, "PUT", path, {"devices": []}, if_none_match="*"), 412, "precondition-failed")
    assert owner.get(path).json()["size"] == 1


def test_nothing_that_is_not_there_matches(owner, shop):
    problem(
        with_headers(owner, "PUT", "apps/shop/lists/new", {"devices": []}, if_match="*"), 412, "precondition-failed"
    )
    assert owner.results("apps/shop/lists") == []


def test_whoever_may_not_see_something_learns_nothing_of_its_etag(nobody, staff, shop):
    etag = staff.get("apps/shop")["ETag"]
    for guess in (etag, '"other"'):
        assert with_headers(nobody, "PATCH", "apps/shop", {"name": "x"}, if_match=guess).status_code in (404, 412)
    answers = {with_headers(nobody, "PATCH", "apps/shop", {"name": "x"}, if_match=g).content for g in (etag, '"a"')}
    assert len(answers) == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("question", ["preview", "validate"])
def test_a_question_waits_for_no_writing(viewer, shop, question):
    writing = connection.copy()
    try:
        with writing.cursor() as cursor, connection.cursor() as asking:
            cursor.execute("SELECT pg_advisory_lock(%s, hashtext(%s))", [exchange.LOCKS, "/api/v1/apps/shop"])
            asking.execute("SET lock_timeout = '500ms'")
            answer = viewer.post(f"apps/shop/targeting/{question}", {"rule": {"fact": "os", "in": ["ios"]}})
            assert answer.status_code == 200
    finally:
        writing.close()
        connection.close()


# Idempotency keys.


def new_key(api, key, label="build"):
    return with_headers(api, "POST", "apps/shop/keys", {"kind": "enrol", "label": label}, idempotency_key=key)


def test_a_repeated_request_is_done_once_and_answered_alike(owner, shop):
    first, again = new_key(owner, "k1"), new_key(owner, "k1")
    assert (first.status_code, first.json()) == (again.status_code, again.json())
    assert "Idempotent-Replayed" not in first
    assert again["Idempotent-Replayed"] == "true"
    assert AppKey.objects.count() == 1
    assert AuditEntry.objects.filter(action="app.add_key").count() == 1
    assert new_key(owner, "k2").json() != first.json()


def test_a_key_is_not_for_another_request(owner, shop):
    new_key(owner, "k1")
    problem(new_key(owner, "k1", label="other"), 422, "idempotency-key-reused")
    assert AppKey.objects.count() == 1


def test_keys_of_different_people_are_different_keys(owner, staff, shop):
    assert new_key(owner, "k1").json()["text"] != new_key(staff, "k1").json()["text"]


def test_a_key_is_not_for_a_token_that_may_less(shop):
    actor = make_staff()
    assert new_key(Api(secret=token_of(actor)), "k1").status_code == 201
    narrow = Api(secret=token_of(actor, permissions=["view"]))
    problem(new_key(narrow, "k1"), 422, "idempotency-key-reused")


def test_what_was_refused_is_tried_again(owner, shop):
    wrong = with_headers(owner, "POST", "apps/shop/keys", {"kind": "x", "label": "y"}, idempotency_key="k1")
    problem(wrong, 400, "invalid")
    assert KeptAnswer.objects.count() == 0
    assert new_key(owner, "k1").status_code == 201


def test_a_question_is_answered_anew_and_nothing_kept(owner, shop):
    def count():
        body = {"rule": {"fact": "os", "in": ["android"]}}
        path = "apps/shop/targeting/preview"
        return with_headers(owner, "POST", path, body, idempotency_key="k1").json()["count"]

    before = count()
    make_device(shop, "phone")
    assert (before, count(), KeptAnswer.objects.count()) == (0, 1, 0)


def test_a_kept_answer_cannot_be_read_without_its_key(owner, shop):
    text = new_key(owner, "k1").json()["text"]
    kept = KeptAnswer.objects.get()
    assert text.encode() not in bytes(kept.body)
    assert "k1" not in (kept.digest, kept.request)


def test_a_day_later_the_key_is_new(owner, shop):
    new_key(owner, "k1")
    KeptAnswer.objects.update(created_at=timezone.now() - idempotency.RETENTION - timedelta(seconds=1))
    assert "Idempotent-Replayed" not in new_key(owner, "k1")
    assert KeptAnswer.objects.count() == 1


@pytest.mark.parametrize("key", ["", "two words", "x" * 256, "schlüssel".encode().decode("latin-1")])
def test_a_malformed_key_is_refused(owner, shop, key):
    assert problem(new_key(owner, key), 400, "invalid")["Idempotency-Key"].startswith("Expected 1 to 255")


@pytest.mark.django_db(transaction=True)
def test_of_requests_that_come_at_once_one_is_done(shop):
    secret = token_of(make_staff())

    def send(_):
        try:
            answer = new_key(Api(secret=secret), "k1")
            return answer.status_code, answer.json()["text"]
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as threads:
        answers = set(threads.map(send, range(8)))
    assert len(answers) == 1
    assert AppKey.objects.count() == 1


# Rate limits.


def test_readings_and_writings_are_limited_apart(settings, staff, shop):
    settings.WALLE_API_READS_PER_MINUTE, settings.WALLE_API_WRITES_PER_MINUTE = 3, 1
    lefts = [staff.get("apps")["RateLimit"].partition(";t=")[0] for _ in range(3)]
    assert lefts == ['"reads";r=2', '"reads";r=1', '"reads";r=0']
    refused = staff.get("apps")
    problem(refused, 429, "throttled")
    assert refused["RateLimit-Policy"] == '"reads";q=3;w=60'
    assert 1 <= int(refused["Retry-After"]) <= 61
    assert staff.patch("apps/shop", {"name": "x"}).status_code == 200
    assert staff.patch("apps/shop", {"name": "y"}).status_code == 429


def test_each_token_has_a_limit_of_its_own(settings, db):
    settings.WALLE_API_READS_PER_MINUTE = 1
    secrets = [token_of(make_staff(name)) for name in ("sue", "tom")]
    assert [Api(secret=secret).get("apps").status_code for secret in secrets * 2] == [200, 200, 429, 429]


def test_a_limit_of_zero_is_none(settings, staff, shop):
    settings.WALLE_API_READS_PER_MINUTE = 0
    assert "RateLimit" not in staff.get("apps")


def test_without_the_store_of_counts_work_goes_on(settings, staff, shop, monkeypatch):
    from limits.errors import StorageError
    from limits.strategies import SlidingWindowCounterRateLimiter

    def fail(*_names, **_options):
        raise StorageError(ConnectionError("no Redis"))

    monkeypatch.setattr(SlidingWindowCounterRateLimiter, "hit", fail)
    assert staff.get("apps").status_code == 200


# Tokens for certain permissions.


def test_a_token_does_only_what_it_is_for(shop, camera):
    actor = make_staff()
    viewing = Api(secret=token_of(actor, permissions=["view"]))
    assert viewing.get("apps/shop").status_code == 200
    refused = viewing.patch("apps/shop", {"name": "x"})
    assert problem(refused, 403, "not-allowed") == {}
    assert refused.json()["detail"].endswith("the token may only view")
    keeper = Api(secret=token_of(actor, permissions=["manage keys"]))
    assert keeper.patch("apps/shop", {"name": "x"}).status_code == 200
    assert keeper.post("scenarios", {"slug": "voice"}).status_code == 403


def test_tokens_say_what_they_are_for(staff):
    made = staff.post("tokens", {"name": "ci", "permissions": ["push", "release"]}).json()
    assert made["permissions"] == ["push", "release"]
    assert ApiToken.objects.get().permissions == ["push", "release"]
    assert "permissions.0" in problem(staff.post("tokens", {"name": "x", "permissions": ["fly"]}), 400, "invalid")
