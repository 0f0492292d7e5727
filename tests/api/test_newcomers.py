"""/api/v1/apps/{app}/newcomers: locking out all devices that came in a span of time with an app key alone."""

from datetime import UTC, datetime, timedelta

import pytest

from accounts_app.actors import SYSTEM
from accounts_app.models import AuditEntry
from devices_app.models import Device, GatewayRevision
from devices_app.services import newcomers
from devices_app.services.apps import create_app
from jobs_app.models import Job, JobState
from jobs_app.runner import LeaseLost, run_next
from tests.api.conftest import NOW
from tests.api.contract import problem
from tests.support.cases import cases
from tests.support.fleet import make_device

pytestmark = pytest.mark.django_db

LEAKED = datetime(2026, 6, 1, 8, tzinfo=UTC)
ENDED = LEAKED + timedelta(hours=2)
SPAN = {"first_seen_since": LEAKED.isoformat(), "first_seen_before": ENDED.isoformat()}
REVOKED = {**SPAN, "reason": "the key is in a forum"}


@pytest.fixture
def crowd(shop, keys, monkeypatch):
    """Ten devices of the leak, one that the backend vouches for, and some that came before, after and elsewhere."""
    monkeypatch.setattr(newcomers, "PORTION", 4)
    bank = create_app(slug="bank", name="Bank", actor=SYSTEM, now=NOW)
    for number in range(10):
        came(shop, f"stranger-{number}", LEAKED + timedelta(minutes=10 * number))
    came(shop, "vouched", LEAKED, vouched_at=LEAKED)
    came(shop, "before", LEAKED - timedelta(seconds=1))
    came(shop, "after", ENDED)
    came(bank, "elsewhere", LEAKED)


def came(app, name, moment, **columns):
    columns |= {"first_seen": moment, "last_seen": moment}
    Device.objects.filter(pk=make_device(app, name).pk).update(**columns)


def revoked():
    return set(Device.objects.filter(revoked_at__isnull=False).values_list("device", flat=True))


STRANGERS = {f"stranger-{number}" for number in range(10)}


def test_all_that_came_then_are_revoked_and_gateways_hear_of_it(owner, crowd):
    before = GatewayRevision.objects.get().revision
    answer = owner.post("apps/shop/newcomers/revoke", REVOKED)
    assert (answer.status_code, answer.json()["devices"]) == (202, 10)
    assert revoked() == set()
    job = run_next()
    assert (job.kind, Job.objects.get(pk=job.pk).state) == ("devices.revoke-newcomers", JobState.SUCCEEDED)
    assert revoked() == STRANGERS
    assert GatewayRevision.objects.get().revision > before
    entry = AuditEntry.objects.get(action="app.revoke_newcomers")
    assert (entry.actor_name, entry.scope, entry.after["devices"]) == (owner.actor.name, "app:shop", 10)


def test_it_can_be_taken_back(owner, crowd):
    owner.post("apps/shop/newcomers/revoke", REVOKED)
    run_next()
    assert owner.post("apps/shop/newcomers/reinstate", SPAN).json()["devices"] == 10
    run_next()
    assert revoked() == set()


def test_until_now_if_no_end_is_given(owner, crowd):
    answer = owner.post("apps/shop/newcomers/revoke", {"first_seen_since": LEAKED.isoformat(), "reason": "leak"}).json()
    assert answer["devices"] == 11
    run_next()
    assert revoked() == {*STRANGERS, "after"}


def test_a_job_that_was_stopped_goes_on(owner, shop, crowd):
    owner.post("apps/shop/newcomers/revoke", REVOKED)
    left = iter([None])

    def check():
        if next(left, LeaseLost) is LeaseLost:
            raise LeaseLost

    span = newcomers.FirstSeenRange(LEAKED, ENDED)
    with pytest.raises(LeaseLost):
        newcomers.set_revoked(app=shop.pk, span=span, revoked_at=NOW, check=check)
    assert len(revoked()) == 4
    assert newcomers.set_revoked(app=shop.pk, span=span, revoked_at=NOW, check=lambda: None) == 6


def test_the_device_s_timeline_tells_of_it(owner, crowd):
    owner.post("apps/shop/newcomers/revoke", REVOKED)
    run_next()
    kinds = {
        name: [event["kind"] for event in owner.results(f"devices/shop/{name}/timeline")]
        for name in ("stranger-3", "vouched", "before")
    }
    assert "revoked" in kinds["stranger-3"]
    assert "revoked" not in kinds["vouched"] + kinds["before"]


@cases(
    "span",
    [
        {},
        {"first_seen_since": "yesterday"},
        {"first_seen_since": ENDED.isoformat(), "first_seen_before": LEAKED.isoformat()},
        {"first_seen_since": LEAKED.isoformat(), "first_seen_before": "2999-01-01T00:00:00Z"},
    ],
)
def test_a_wrong_span_is_refused(owner, crowd, span):
    assert "first_seen_since" in problem(
        owner.post("apps/shop/newcomers/revoke", {**span, "reason": "leak"}), 400, "invalid"
    )
    assert not Job.objects.filter(kind="devices.revoke-newcomers").exists()
