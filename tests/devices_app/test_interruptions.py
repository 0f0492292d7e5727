"""Gateways' presence, and the times without it."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from devices_app.models import GatewayPresence, Interruption
from devices_app.selectors.interruptions import interruptions
from devices_app.services.presence import delete_interruptions, record_presence

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
pytestmark = pytest.mark.django_db


def last_seen(seconds: float) -> datetime:
    at = timezone.now() - timedelta(seconds=seconds)
    GatewayPresence.objects.update_or_create(pk=1, defaults={"seen_at": at})
    return at


def test_nothing_is_known_before_the_first_presence() -> None:
    assert interruptions(NOW, timezone.now()) == []
    record_presence()
    assert timezone.now() - GatewayPresence.objects.get().seen_at < timedelta(minutes=1)
    assert not Interruption.objects.exists()


@pytest.mark.parametrize(("seconds", "interrupted"), [(5, False), (15, True)])
def test_a_presence_after_a_while_ends_an_interruption(seconds: float, interrupted: bool) -> None:
    began = last_seen(seconds)
    record_presence()
    record_presence()
    found = list(Interruption.objects.values_list("began_at", flat=True))
    assert found == ([began] if interrupted else [])


def test_one_that_goes_on_is_told_with_those_that_overlap_the_time() -> None:
    for start, end in ((0, 10), (20, 30), (40, 50)):
        span = {"began_at": NOW + timedelta(seconds=start), "ended_at": NOW + timedelta(seconds=end)}
        Interruption.objects.create(**span)
    GatewayPresence.objects.create(pk=1, seen_at=NOW + timedelta(seconds=60))
    found = interruptions(NOW + timedelta(seconds=15), NOW + timedelta(seconds=100))
    assert [((start - NOW).seconds, (end - NOW).seconds) for start, end in found] == [(20, 30), (40, 50), (60, 100)]
    assert len(interruptions(NOW + timedelta(seconds=15), NOW + timedelta(seconds=65))) == 2
    assert delete_interruptions(before=NOW + timedelta(seconds=30)) == 1
