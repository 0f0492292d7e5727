"""What holds for every request: who sends it, in which form, and how a refusal looks."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone
from rest_framework.test import APIClient

from accounts_app.actors import SYSTEM
from accounts_app.services.tokens import issue_token
from tests.api.conftest import member_of
from tests.api.contract import Api, problem
from tests.support.people import token_of

pytestmark = pytest.mark.django_db


def raw(api, body, media_type="application/json", path="apps"):
    return api.call("POST", path, data=body, content_type=media_type)


def test_without_a_name_nothing_is_answered_but_how_to_give_one(shop):
    response = Api().get("apps")
    problem(response, 401, "not-authenticated")
    assert response["WWW-Authenticate"] == 'Bearer realm="Walle"'


@pytest.mark.parametrize("secret", ["x", "wl_00000000_" + "0" * 64, ""])
def test_a_wrong_token_is_refused_even_beside_a_session(viewer, secret):
    viewer.client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    problem(viewer.get("apps"), 401, "authentication-failed")


def test_an_expired_token_is_refused(viewer):
    past = timezone.now() - timedelta(seconds=1)
    _, secret = issue_token(actor=SYSTEM, user=viewer.actor.user, name="old", expires_at=past)
    problem(Api(secret=secret).get("apps"), 401, "authentication-failed")


def test_a_deactivated_user_is_refused(viewer):
    secret = token_of(viewer.actor)
    viewer.actor.user.is_active = False
    viewer.actor.user.save()
    problem(Api(secret=secret).get("me"), 401, "authentication-failed")
    problem(viewer.get("me"), 401, "not-authenticated")


def test_a_token_does_what_its_user_may_do_in_its_scopes(shop, camera):
    boss = member_of("owner", "app:shop", "scenario:camera", name="boss")
    limited = Api(secret=token_of(boss.actor, "app:shop"))
    assert limited.patch("apps/shop", {"name": "New"}).json()["name"] == "New"
    assert limited.results("scenarios") == []
    problem(limited.patch("scenarios/camera", {"description": "x"}), 404, "not-found")


def test_a_limited_token_of_staff_is_limited(staff, shop, camera):
    limited = Api(secret=token_of(staff.actor, "scenario:camera"))
    assert limited.results("apps") == limited.results("devices") == []
    assert [row["slug"] for row in limited.results("scenarios")] == ["camera"]
    problem(limited.post("scenarios", {"slug": "voice"}), 403, "not-allowed")


def test_a_session_needs_the_csrf_token_to_write_a_token_does_not(staff, keys):
    strict = APIClient(enforce_csrf_checks=True)
    strict.force_login(staff.actor.user)
    body = {"slug": "shop", "name": "Shop"}
    problem(strict.post("/api/v1/apps", body, format="json"), 403, "permission-denied")
    strict.credentials(HTTP_AUTHORIZATION=f"Bearer {token_of(staff.actor)}")
    assert strict.post("/api/v1/apps", body, format="json").status_code == 201


@pytest.mark.parametrize("body", ["", "{", "[", "nul", '{"slug": NaN}', "[" * 200_000, "9" * 5000, b"\xff\xfe"])
def test_what_is_not_json_is_refused(staff, body):
    problem(raw(staff, body), 400, "parse-error" if body else "invalid")


@pytest.mark.parametrize("body", ["[]", "3", '"text"', "null", "[{}]"])
def test_json_that_is_no_object_is_refused(staff, body):
    problem(raw(staff, body), 400, "invalid")


@pytest.mark.parametrize("name", ["a\\u0000b", "\\ud800"])
def test_text_that_no_database_holds_is_refused(staff, name):
    assert set(problem(raw(staff, f'{{"slug": "shop", "name": "{name}"}}'), 400, "invalid")) == {"name"}


def test_a_refusal_names_also_a_field_that_utf_8_cannot_say(staff):
    assert problem(raw(staff, '{"slug": "shop", "name": "Shop", "\\ud800": 1}'), 400, "invalid").keys() == {"?"}


def test_a_body_larger_than_any_needs_to_be_is_refused(staff):
    for size in (1 << 20, 3 << 20):
        problem(raw(staff, '{"slug": "' + "x" * size + '"}'), 413, "body-too-large")


def test_answers_are_not_kept_on_the_way(staff, shop):
    for response in (staff.get("apps/shop"), staff.get("apps/none"), Api().get("me")):
        assert response["Cache-Control"] == "private, no-cache"
    assert staff.post("tokens", {"name": "x"})["Cache-Control"] == "no-store"


@pytest.mark.django_db(transaction=True)
def test_of_several_who_make_the_same_at_once_none_meets_a_fault(staff, shop):
    clients = [Api(staff.actor) for _ in range(4)]
    together = threading.Barrier(len(clients))
    answers = []

    def declare(api):
        together.wait()
        answers.append(api.post("apps/shop/versions", {"version": "9.0.0"}))
        connection.close()

    threads = [threading.Thread(target=declare, args=[api]) for api in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    statuses = {answer.status_code for answer in answers}
    assert 201 in statuses
    assert statuses <= {201, 400, 409}
    for answer in answers:
        if answer.status_code == 409:
            problem(answer, 409, "conflict")
    assert [row["version"] for row in staff.results("apps/shop/versions")].count("9.0.0") == 1


def test_another_media_type_is_refused(staff):
    problem(raw(staff, "<app/>", "application/xml"), 415, "unsupported-media-type")


def test_another_method_is_refused(staff):
    problem(staff.client.put("/api/v1/apps", {}, format="json"), 405, "method-not-allowed")
    problem(staff.client.options("/api/v1/apps"), 405, "method-not-allowed")


def test_another_answer_than_json_is_not_given(staff):
    response = staff.client.get("/api/v1/apps", HTTP_ACCEPT="text/csv")
    problem(response, 406, "not-acceptable")


def test_an_unknown_address_is_not_found(staff):
    for path in ("nothing", "apps/", "apps/SHOP", "apps/shop/keys/x/revoke", "tokens/wl_x/revoke", "apps/a%00b"):
        problem(staff.client.get(f"/api/v1/{path}"), 404, "not-found")


def test_a_problem_tells_what_was_expected_of_each_field(staff):
    response = staff.post("apps", {"slug": 3})
    assert response.json() == {
        "type": "about:blank",
        "title": "Bad Request",
        "status": 400,
        "code": "invalid",
        "detail": "slug: Expected a lowercase letter, then up to 39 of a-z, 0-9 and -.; name: This field is required.",
        "errors": [
            {"field": "slug", "detail": "Expected a lowercase letter, then up to 39 of a-z, 0-9 and -."},
            {"field": "name", "detail": "This field is required."},
        ],
    }


def test_a_refusal_says_which_role_would_do(viewer, shop):
    detail = viewer.patch("apps/shop", {"name": "x"}).json()["detail"]
    assert detail == "vera may not manage keys in app:shop; that takes the role owner"
