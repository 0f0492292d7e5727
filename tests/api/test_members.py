"""Members of scenarios and of apps: the same views, the same answers."""

import pytest

from accounts_app.models import Member
from tests.api.conftest import member_of
from tests.api.contract import problem
from tests.support.cases import cases

pytestmark = pytest.mark.django_db


@pytest.fixture(params=["scenario:camera", "app:shop"])
def scope(request, camera, shop):
    return request.param


@pytest.fixture
def path(scope):
    return f"{scope.replace(':', 's/')}/members"


@pytest.fixture
def boss(scope):
    return member_of("owner", scope, name="boss")


def test_the_owner_grants_and_withdraws_a_role(boss, path, scope, bob):
    granted = boss.post(path, {"user": "bob", "role": "developer"})
    assert granted.status_code == 201
    assert boss.results(path) == [boss.results(path)[0], granted.json()]
    assert boss.delete(f"{path}/bob/developer").status_code == 204
    assert not Member.objects.filter(user=bob).exists()


def test_the_owner_exchanges_a_role(boss, path, scope, bob):
    boss.post(path, {"user": "bob", "role": "developer"})
    changed = boss.patch(f"{path}/bob/developer", {"role": "releaser"})
    assert (changed.status_code, changed.json()["role"]) == (200, "releaser")
    assert list(Member.objects.filter(user=bob).values_list("role", flat=True)) == ["releaser"]
    problem(boss.patch(f"{path}/bob/developer", {"role": "viewer"}), 404, "not-found")
    assert problem(boss.patch(f"{path}/bob/releaser", {"role": "king"}), 400, "invalid").keys() == {"role"}


def test_the_last_owner_is_told_beforehand_and_stays(boss, path, bob):
    assert [each["last_owner"] for each in boss.results(path)] == [True]
    problem(boss.delete(f"{path}/boss/owner"), 409, "last-owner")
    problem(boss.patch(f"{path}/boss/owner", {"role": "viewer"}), 409, "last-owner")
    assert boss.post(path, {"user": "bob", "role": "owner"}).json()["last_owner"] is False
    assert boss.delete(f"{path}/boss/owner").status_code == 204


def test_granting_what_is_held_changes_nothing(boss, path, bob):
    first, second = (boss.post(path, {"user": "bob", "role": "viewer"}).json() for _ in range(2))
    assert first == second


def test_withdrawing_what_is_not_held_is_not_found(boss, path, bob):
    problem(boss.delete(f"{path}/bob/viewer"), 404, "not-found")
    problem(boss.delete(f"{path}/nobody-at-all/viewer"), 404, "not-found")


@cases("body", [{"user": "eve", "role": "viewer"}, {"user": "bob", "role": "king"}, {"role": "viewer"}])
def test_a_wrong_member_is_refused(boss, path, bob, body):
    fields = problem(boss.post(path, body), 400, "invalid")
    assert set(fields) <= {"user", "role"}


def test_a_deactivated_user_gets_no_role(boss, path, bob):
    bob.is_active = False
    bob.save()
    assert "active user" in problem(boss.post(path, {"user": "bob", "role": "viewer"}), 400, "invalid")["user"]


def test_others_do_not_even_learn_which_users_exist(path, scope, bob):
    releaser = member_of("releaser", scope, name="rita")
    for user in ("bob", "eve"):
        problem(releaser.post(path, {"user": user, "role": "viewer"}), 403, "not-allowed")
        problem(releaser.delete(f"{path}/{user}/viewer"), 403, "not-allowed")
        problem(releaser.patch(f"{path}/{user}/viewer", {"role": "owner"}), 403, "not-allowed")
