"""What there is: scenarios, tasks, versions, apps, devices, the audit log, tokens, and any request."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from django.utils import timezone

from devices_app.models import Device
from jobs_app.runner import run_next
from tests.support.people import make_member


def test_scenarios_are_opened_and_shown(walle, staff, scenario, address):
    done = walle("scenario", "create", "kitchen", "--description", "what cooks")
    assert done.out == (
        f"✓ opened scenario kitchen\nPush a task to it: git remote add walle {address}/git/kitchen.git\n"
    )
    assert ["kitchen", "0", "what cooks"] in [row[:3] for row in walle("scenario", "list").rows]
    assert walle("scenario", "list", "--json").json["next"] is None
    shown = walle("scenario", "show", "kitchen")
    assert f"git\t{address}/git/kitchen.git" in shown.out
    taken = walle("scenario", "create", "kitchen")
    assert taken.status == 5


def test_what_may_not_be_done_is_told_with_what_would_do(walle, developer):
    done = walle("scenario", "create", "kitchen")
    assert done.status == 3
    assert "Next: see what you may do with: walle status" in done.err


def test_what_is_not_there_is_told(walle, developer, scenario):
    assert walle("scenario", "show", "nothing").status == 4
    assert walle("task", "show", f"{scenario}/nothing").status == 4
    assert walle("release", "show", 999).status == 4
    told = json.loads(walle("release", "show", 999, "--json").err)
    assert told["error"]["code"] == "not-found"
    assert told["error"]["exit"] == 4


def test_tasks_and_versions(walle, pushed, task, scenario):
    assert walle("task", "list", "--scenario", scenario).rows[0][:2] == [task, "2"]
    assert "versions\t1.1.0, 1.0.0" in walle("task", "show", task).out
    versions = walle("version", "list", task).rows
    assert [(row[0], row[2], row[3]) for row in versions] == [("1.1.0", "Ada", "Better"), ("1.0.0", "Ada", "The first")]
    shown = walle("version", "show", task, "1.1.0").out
    assert "message\tBetter" in shown
    assert "main.py\tshared\t" in shown
    assert walle("version", "list", task, "--limit", 1, "--json").json["next"]


def test_a_diff_of_two_versions(walle, pushed, task):
    done = walle("version", "diff", task, "1.0.0", "1.1.0")
    assert done.status == 0
    assert "changed main.py" in done.out
    assert "+# better" in done.out
    assert "added notes.txt" in done.out
    assert walle("version", "diff", task, "1.0.0", "1.0.0").out == "1.0.0 and 1.0.0 have the same files.\n"


def test_retiring_asks_whether_one_is_sure(walle, pushed, task):
    asked = walle("task", "retire", task)
    assert (asked.status, "--yes" in asked.err) == (2, True)
    assert walle("task", "retire", task, "--yes").status == 0
    assert walle("task", "show", task, "--json").json["retired_at"]
    assert walle("task", "unretire", task).status == 0
    assert walle("task", "show", task, "--json").json["retired_at"] is None


def test_apps_with_their_table(walle, releaser):
    assert walle("app", "list").rows[0][:2] == ["shop", "Shop"]
    assert "versions\t1.1.0, 1.0.0" in walle("app", "show", "shop").out


def test_devices_are_locked_out_and_let_in_again(walle, releaser, shop):
    now = timezone.now()
    facts = {"app_version": "1.0.0", "os": "android", "os_version": "14"}
    Device.objects.create(app=shop, device="d-1", facts=facts, first_seen=now, last_seen=now)
    assert walle("device", "list", "--app", "shop").rows[0][:3] == ["d-1", "shop 1.0.0", "android 14"]
    assert "says\tapp_version 1.0.0, os android, os_version 14" in walle("device", "show", "shop", "d-1").out
    assert walle("device", "list", "--app", "shop", "--fact", "os_version=13").out == ""
    rule = '{"fact": "os", "in": ["android"]}'
    assert len(walle("device", "list", "--app", "shop", "--rule", rule, "--fact", "os_version=14").rows) == 1
    assert walle("device", "count", "--app", "shop", "--rule", rule, "--exact").out == "1\n"
    assert walle("device", "timeline", "shop", "d-1").rows[-1][1] == "registered"
    assert walle("device", "explain", "shop", "d-1").out == "No release is about device d-1.\n"
    assert walle("device", "revoke", "shop", "d-1", "-y").status == 0
    assert walle("device", "show", "shop", "d-1", "--json").json["revoked_at"]
    assert walle("device", "reinstate", "shop", "d-1").status == 0
    assert walle("device", "show", "shop", "d-1", "--json").json["revoked_at"] is None


def test_all_devices_of_a_time_are_locked_out_and_let_in_again(walle, staff, shop):
    came = datetime(2026, 6, 1, 8, tzinfo=UTC)
    for number in range(3):
        facts = {"app_version": "1.0.0"}
        seen = {"first_seen": came + timedelta(hours=number), "last_seen": came + timedelta(days=2)}
        Device.objects.create(app=shop, device=f"d-{number}", facts=facts, **seen)
    span = ("--first-seen-since", "2026-06-01T08:30:00Z", "--first-seen-before", "2026-06-01T10:00:00Z")
    assert [row[0] for row in walle("device", "list", "--app", "shop", *span).rows] == ["d-1"]
    assert walle("device", "count", "--app", "shop", "--exact", *span).out == "1\n"
    assert walle("device", "revoke-new", "shop", *span).status == 2
    assert walle("device", "revoke-new", "shop", *span, "--yes", "--json").json["devices"] == 1
    run_next()
    assert [row[0] for row in walle("device", "list", "--app", "shop", "--revoked").rows] == ["d-1"]
    assert walle("device", "reinstate-new", "shop", *span).status == 0
    run_next()
    assert walle("device", "list", "--app", "shop", "--revoked").out == ""


def test_how_many_new_devices_an_app_takes(walle, staff, shop):
    assert "new devices\tas many as the server lets in" in walle("app", "show", "shop").out
    assert walle("app", "limit", "shop", "200000").status == 0
    assert "new devices\t200000 an hour" in walle("app", "show", "shop").out
    assert walle("app", "limit", "shop", "--default", "--json").json["enrolment_limit"] is None
    assert walle("app", "limit", "shop").status == 2
    assert walle("app", "limit", "shop", "--", "-1").status == 2


def test_the_audit_log_and_tokens(walle, staff, scenario):
    walle("scenario", "create", "kitchen")
    rows = walle("audit", "--action", "scenario.create", "--actor", "root").rows
    assert [row[1:4] for row in rows] == [["root", "scenario.create", "scenario:kitchen"]]
    assert walle("token", "list").rows[0][1] == "test"


def test_any_request(walle, releaser, scenario):
    assert walle("api", "GET", "/me").json["username"] == "rita"
    assert walle("api", "get", "api/v1/audit".removeprefix("api/v1"), "-f", "limit=1").json["results"]
    made = walle("api", "POST", "/apps/shop/versions", "-f", "version=2.0.0").json
    assert made["version"] == "2.0.0"
    put = walle("api", "PUT", "/apps/shop/lists/testers", "--input", "-", "--type", "text/plain", stdin="d-1\nd-2\n")
    assert put.status == 0, put
    wrong = walle("api", "GET", "/audit", "-f", "limt=1")
    assert wrong.status == 1
    assert "limt: Unknown field" in wrong.err
    assert walle("api", "FETCH", "/me").status == 2


def test_names_are_checked_before_anything_is_asked(walle):
    for arguments in (
        ["task", "show", "Camera"],
        ["version", "show", "camera/digits", "1.0"],
        ["app", "show", "../me"],
    ):
        done = walle(*arguments)
        assert (done.status, "expected" in done.err) == (2, True), done


def test_others_see_nothing(walle, releaser, signed_in, scenario):
    signed_in(make_member("viewer", "app:elsewhere", "nora"))
    assert walle("scenario", "show", scenario).status == 4
    assert walle("app", "list").out == ""
