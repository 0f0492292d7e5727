"""Looking at devices, locking them out, and letting them in again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.utils import timezone

from devices_app.models import Device
from jobs_app.runner import run_next


def test_devices_are_locked_out_and_let_in_again(walle, releaser, shop):
    now = timezone.now()
    facts = {"app_version": "1.0.0", "os": "android", "os_version": "14"}
    Device.objects.create(app=shop, device="d-1", facts=facts, first_seen=now, last_seen=now)
    assert walle("device", "list", "--app", "shop").rows[0][:3] == ["d-1", "shop 1.0.0", "android 14"]
    assert "attributes\tapp_version 1.0.0, os android, os_version 14" in walle("device", "show", "shop", "d-1").out
    assert walle("device", "list", "--app", "shop", "--fact", "os_version=13").out == ""
    rule = '{"fact": "os", "in": ["android"]}'
    assert len(walle("device", "list", "--app", "shop", "--rule", rule, "--fact", "os_version=14").rows) == 1
    assert walle("device", "count", "--app", "shop", "--rule", rule, "--exact").out == "1\n"
    assert walle("device", "timeline", "shop", "d-1").rows[-1][1] == "registered"
    assert walle("device", "explain", "shop", "d-1").out == "No release applies to device d-1.\n"
    refused = walle("device", "revoke", "shop", "d-1", "-y")
    assert (refused.status, "a reason is needed to revoke d-1" in refused.err) == (2, True)
    assert walle("device", "revoke", "shop", "d-1", "-y", "-r", "stolen").status == 0
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
    assert walle("device", "revoke-new", "shop", *span, "--yes", "-r", "leak", "--json").json["devices"] == 1
    run_next()
    assert [row[0] for row in walle("device", "list", "--app", "shop", "--revoked").rows] == ["d-1"]
    assert walle("device", "reinstate-new", "shop", *span).status == 0
    run_next()
    assert walle("device", "list", "--app", "shop", "--revoked").out == ""
