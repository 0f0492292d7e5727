"""/api/v1/apps: apps, their versions, keys, addresses and tables."""

import pytest

from accounts_app.models import AuditEntry
from devices_app.models import AppKey, PublishedTable
from devices_app.selectors.state import gateway_revision
from tests.api.contract import problem
from tests.support.cases import cases

pytestmark = pytest.mark.django_db

BASE = {"shared": "https://cdn.example.org/walle/v1", "exclusive": "https://cen.example.org/walle/v1"}


def test_staff_registers_an_app_and_it_starts_with_an_empty_table(staff, keys):
    made = staff.post("apps", {"slug": "shop", "name": "Shop"})
    assert made.status_code == 201
    assert made.json() | {"created_at": ""} == {
        "slug": "shop", "name": "Shop", "check_in_interval": 60, "enrolment_limit": None, "created_at": "",
    }  # fmt: skip
    table = staff.get("apps/shop/table").json()
    assert table["entries"] == table["removals"] == []
    assert table["number"] >= 1


def test_a_wrong_app_is_refused_with_every_field_at_once(staff, keys):
    fields = problem(staff.post("apps", {"slug": "Shop!", "check_in_interval": 0, "nmae": "Shop"}), 400, "invalid")
    assert "a lowercase letter" in fields["slug"]
    assert "1" in fields["check_in_interval"]
    assert "expected some of slug, name" in fields["nmae"]
    assert "required" in fields["name"]


def test_a_slug_is_given_once(staff, shop):
    assert "already exists" in problem(staff.post("apps", {"slug": "shop", "name": "Other"}), 400, "invalid")["slug"]


def test_only_staff_registers_apps(owner):
    assert problem(owner.post("apps", {"slug": "bank", "name": "Bank"}), 403, "not-allowed") == {}


def test_apps_are_seen_by_their_members_and_staff(staff, viewer, nobody, shop):
    assert [app["slug"] for app in viewer.results("apps")] == ["shop"]
    assert viewer.get("apps/shop").json()["name"] == "Shop"
    assert nobody.results("apps") == []
    problem(nobody.get("apps/shop"), 404, "not-found")
    assert [app["slug"] for app in staff.results("apps")] == ["shop"]


def test_the_owner_changes_name_and_interval_and_the_table_says_so(owner, shop):
    before = owner.get("apps/shop/table").json()["number"]
    assert owner.patch("apps/shop", {"check_in_interval": 5}).json()["check_in_interval"] == 5
    table = owner.get("apps/shop/table").json()
    assert table["interval"] == 5
    assert table["number"] > before
    assert owner.get("apps/shop").json()["name"] == "Shop"


def test_the_owner_limits_enrolment_and_gateways_hear_of_it(owner, shop):
    before = gateway_revision()
    assert owner.patch("apps/shop", {"enrolment_limit": 50_000}).json()["enrolment_limit"] == 50_000
    assert gateway_revision() > before
    assert owner.patch("apps/shop", {"name": "Shop 2"}).json()["enrolment_limit"] == 50_000
    assert owner.patch("apps/shop", {"enrolment_limit": None}).json()["enrolment_limit"] is None
    rows = AuditEntry.objects.filter(action="app.limit_enrolment").order_by("id").values_list("before", "after")
    assert list(rows) == [
        ({"enrolment_limit": None}, {"enrolment_limit": 50_000}),
        ({"enrolment_limit": 50_000}, {"enrolment_limit": None}),
    ]
    for wrong in (-1, 10**9, "many", 1.5):
        assert "enrolment_limit" in problem(owner.patch("apps/shop", {"enrolment_limit": wrong}), 400, "invalid")


def test_a_viewer_changes_nothing(viewer, shop):
    problem(viewer.patch("apps/shop", {"name": "Mine"}), 403, "not-allowed")
    problem(viewer.patch("apps/shop", {"enrolment_limit": 10**6}), 403, "not-allowed")
    problem(viewer.post("apps/shop/versions", {"version": "2.0.0"}), 403, "not-allowed")
    problem(viewer.post("apps/shop/keys", {"kind": "enrol", "label": "x"}), 403, "not-allowed")
    problem(viewer.post("apps/shop/bases", BASE), 403, "not-allowed")


def test_versions_are_declared_once_and_listed_newest_first(owner, shop):
    for _ in range(2):
        assert owner.post("apps/shop/versions", {"version": "2.0.0"}).status_code == 201
    assert [row["version"] for row in owner.results("apps/shop/versions")] == ["2.0.0", "1.1.0", "1.0.0"]


@cases("version", ["", "a b", "é", "x" * 65, "1\n0", "1\0", None, ["1.0"]])
def test_a_wrong_app_version_is_refused(owner, shop, version):
    assert "version" in problem(owner.post("apps/shop/versions", {"version": version}), 400, "invalid")


@cases(("kind", "prefix"), [("enrol", "wa_"), ("gateway", "wg_")])
def test_a_secret_keys_text_is_shown_once(owner, shop, kind, prefix):
    made = owner.post("apps/shop/keys", {"kind": kind, "label": "release build"}).json()
    assert made["text"].startswith(prefix)
    assert made["public_key"] is None
    (listed,) = owner.results("apps/shop/keys")
    assert listed == {name: made[name] for name in listed}
    assert "text" not in listed
    kept = AppKey.objects.get()
    assert made["text"] not in str(vars(kept))
    assert kept.material not in owner.get("apps/shop/keys").content.decode()
    assert made["text"] not in str(list(AuditEntry.objects.values()))


def test_a_backend_key_is_given_by_its_public_half(owner, shop):
    body = {"kind": "backend", "label": "accounts service", "public_key": "AB" * 32}
    made = owner.post("apps/shop/keys", body).json()
    assert (made["public_key"], made["text"]) == ("ab" * 32, None)
    assert owner.post("apps/shop/keys", body).json()["id"] == made["id"]


@cases(
    ("body", "field"),
    [
        ({"kind": "backend", "label": "x"}, "public_key"),
        ({"kind": "enrol", "label": "x", "public_key": "ab" * 32}, "public_key"),
        ({"kind": "backend", "label": "x", "public_key": "ab" * 31}, "public_key"),
        ({"kind": "secret", "label": "x"}, "kind"),
        ({"kind": "enrol"}, "label"),
    ],
)
def test_a_wrong_key_is_refused(owner, shop, body, field):
    assert field in problem(owner.post("apps/shop/keys", body), 400, "invalid")


def test_a_revoked_key_stays_listed(owner, shop):
    made = owner.post("apps/shop/keys", {"kind": "enrol", "label": "old"}).json()
    revoked = owner.post(f"apps/shop/keys/{made['id']}/revoke").json()
    assert revoked["revoked_at"]
    assert owner.post(f"apps/shop/keys/{made['id']}/revoke").json() == revoked
    assert owner.results("apps/shop/keys") == [revoked]


def test_a_revoked_backend_key_does_not_come_back(owner, shop):
    body = {"kind": "backend", "label": "x", "public_key": "ab" * 32}
    made = owner.post("apps/shop/keys", body).json()
    owner.post(f"apps/shop/keys/{made['id']}/revoke")
    problem(owner.post("apps/shop/keys", body), 400, "invalid")


def test_the_key_of_another_app_is_not_found(owner, staff, shop):
    staff.post("apps", {"slug": "bank", "name": "Bank"})
    other = staff.post("apps/bank/keys", {"kind": "enrol", "label": "x"}).json()
    problem(owner.post(f"apps/shop/keys/{other['id']}/revoke"), 404, "not-found")
    problem(owner.post(f"apps/shop/keys/{10**17}/revoke"), 404, "not-found")


def test_bases_are_set_by_region_and_travel_in_the_table(owner, shop):
    assert owner.post("apps/shop/bases", BASE).json() == {"region": "", **BASE}
    owner.post("apps/shop/bases", {"region": "eu", **BASE})
    owner.post("apps/shop/bases", {"region": "eu", **BASE, "shared": "https://eu.example.org/walle/v1/"})
    assert [(base["region"], base["shared"]) for base in owner.results("apps/shop/bases")] == [
        ("", "https://cdn.example.org/walle/v1"),
        ("eu", "https://eu.example.org/walle/v1/"),
    ]
    table = owner.get("apps/shop/table").json()
    assert table["bases"]["eu"] == {"shared": "https://eu.example.org/walle/v1", "exclusive": BASE["exclusive"]}


def test_a_wrong_base_is_refused(owner, shop):
    fields = problem(owner.post("apps/shop/bases", {"region": "e" * 41, "shared": "cdn"}), 400, "invalid")
    assert set(fields) == {"region", "shared", "exclusive"}


def test_a_missing_table_is_not_found(owner, shop):
    PublishedTable.objects.all().delete()
    problem(owner.get("apps/shop/table"), 404, "not-found")
