"""Check-ins in the real database: batches, news and old news, two gateways at once."""

import random
import threading
from collections.abc import Callable, Iterable
from datetime import UTC, datetime

import pytest
from django.db import connection

from accounts_app.actors import SYSTEM
from devices_app.models import Device, InstalledTask
from devices_app.services.apps import create_app
from devices_app.services.devices import reinstate, revoke
from devices_app.services.intake import store_check_ins
from tests.devices_app.conftest import NOW
from tests.devices_app.records import AT, check_in
from walle.protocol.deferrals import Deferral

A, B = b"a" * 12, b"b" * 12
pytestmark = pytest.mark.usefixtures("committed_shop")


def installed(device: str = "device-1") -> dict[str, tuple[str, float]]:
    rows = InstalledTask.objects.filter(device__device=device)
    return {row.task: (row.manifest, row.since.timestamp()) for row in rows}


def test_a_new_device_with_all_it_said() -> None:
    store_check_ins([check_in(profile={"a/b": A}, facts={"vip": True, "n": 0.5}, trusted={"x": "é\\u0001\t\\"})])
    device = Device.objects.get()
    assert (device.app.slug, device.device) == ("shop", "device-1")
    assert device.facts == {"app_version": "1.0.0", "vip": True, "n": 0.5}
    assert device.trusted == {"x": "é\\u0001\t\\"}
    assert device.profile == {"a/b": A.hex()}
    assert device.first_seen == device.last_seen == NOW
    assert installed() == {"a/b": (A.hex(), AT)}


def test_the_same_again_only_moves_when_it_was_seen() -> None:
    store_check_ins([check_in(profile={"a/b": A})])
    store_check_ins([check_in(profile={"a/b": A}, at=AT + 60)])
    device = Device.objects.get()
    assert (device.first_seen.timestamp(), device.last_seen.timestamp()) == (AT, AT + 60)
    assert installed() == {"a/b": (A.hex(), AT)}


def test_the_same_again_within_a_minute_is_not_worth_a_write() -> None:
    store_check_ins([check_in(profile={"a/b": A})])
    store_check_ins([check_in(profile={"a/b": A}, at=AT + 59)])
    assert Device.objects.get().last_seen.timestamp() == AT
    store_check_ins([check_in(profile={"a/b": B}, at=AT + 59)])
    assert Device.objects.get().last_seen.timestamp() == AT + 59


def test_of_one_device_s_check_ins_in_a_batch_the_last_counts() -> None:
    store_check_ins([check_in(profile={"a/b": A}), check_in(profile={"a/b": B}, at=AT + 1)])
    assert installed() == {"a/b": (B.hex(), AT + 1)}


def test_a_device_that_puts_new_versions_off_says_so_until_it_does_no_more() -> None:
    def known() -> tuple[str, float | None]:
        device = Device.objects.get()
        return device.deferral, device.deferral_until.timestamp() if device.deferral_until else None

    store_check_ins([check_in(deferral=Deferral("in-call", 600))])
    assert known() == ("in-call", AT + 600)
    store_check_ins([check_in(at=AT + 5, deferral=Deferral("of-a-later-version", 30))])
    assert known() == ("other", AT + 35)
    store_check_ins([check_in(at=AT + 300, deferral=Deferral("on-battery", 60))])
    assert known() == ("on-battery", AT + 360)
    store_check_ins([check_in(at=AT + 301)])
    assert known() == ("", None)


def test_a_device_is_vouched_for_from_the_first_check_in_on_that_says_so() -> None:
    store_check_ins([check_in()])
    assert Device.objects.get().vouched_at is None
    store_check_ins([check_in(at=AT + 1, vouched=True)])
    assert Device.objects.get().vouched_at.timestamp() == AT + 1
    store_check_ins([check_in(at=AT + 2)])
    store_check_ins([check_in(at=AT + 3, profile={"a/b": A}, vouched=True)])
    assert Device.objects.get().vouched_at.timestamp() == AT + 1


def test_a_device_may_be_vouched_for_when_it_comes() -> None:
    store_check_ins([check_in(vouched=True), check_in("device-2")])
    vouched = dict(Device.objects.values_list("device", "vouched_at"))
    assert vouched == {"device-1": NOW, "device-2": None}


def test_installed_tasks_follow_the_profile() -> None:
    steps: list[dict[str, bytes]] = [
        {"a/b": A, "c/d": A},
        {"a/b": B, "c/d": A},
        {"c/d": A, "e/f": B},
        {},
        {"a/b": A},
    ]
    for second, profile in enumerate(steps):
        store_check_ins([check_in(profile=profile, at=AT + second)])
        assert {task: manifest for task, (manifest, _) in installed().items()} == {
            task: digest.hex() for task, digest in profile.items()
        }
    assert installed() == {"a/b": (A.hex(), AT + 4)}


def test_since_is_when_it_changed() -> None:
    for second, digest in enumerate([A, A, B, B]):
        store_check_ins([check_in(profile={"a/b": digest, "c/d": A}, facts={"n": second}, at=AT + second)])
    assert installed() == {"a/b": (B.hex(), AT + 2), "c/d": (A.hex(), AT)}


def test_older_news_than_known_is_ignored() -> None:
    store_check_ins([check_in(profile={"a/b": B}, at=AT + 10)])
    store_check_ins([check_in(profile={"a/b": A}, at=AT)])
    store_check_ins([check_in(profile={"a/b": A}, at=AT + 10)])
    device = Device.objects.get()
    assert device.profile == {"a/b": B.hex()}
    assert device.last_seen.timestamp() == AT + 10
    assert installed() == {"a/b": (B.hex(), AT + 10)}


def test_of_one_batch_the_last_of_a_device_counts() -> None:
    store_check_ins([check_in(profile={"a/b": A}), check_in(profile={"a/b": B}, at=AT + 1), check_in("device-2")])
    assert installed() == {"a/b": (B.hex(), AT + 1)}
    assert Device.objects.count() == 2


def test_new_trusted_facts_are_news() -> None:
    store_check_ins([check_in(trusted={"age": "1"})])
    store_check_ins([check_in(trusted={"age": "2"}, at=AT + 1)])
    assert Device.objects.get().trusted == {"age": "2"}


def test_the_same_id_in_two_apps_is_two_devices() -> None:
    create_app(slug="bank", name="Bank", actor=SYSTEM, now=NOW)
    store_check_ins([check_in(profile={"a/b": A}), check_in(app="bank"), check_in(app="gone")])
    assert sorted(Device.objects.values_list("app__slug", "device")) == [("bank", "device-1"), ("shop", "device-1")]


def test_nothing_at_all() -> None:
    store_check_ins([])
    assert not Device.objects.exists()


def test_a_revocation_survives_check_ins() -> None:
    store_check_ins([check_in()])
    revoke(device=Device.objects.get(), actor=SYSTEM, now=NOW, reason="stolen")
    store_check_ins([check_in(at=AT + 1), check_in(facts={"n": 1}, at=AT + 2)])
    device = Device.objects.get()
    assert device.revoked_at == NOW
    assert reinstate(device=device, actor=SYSTEM).revoked_at is None
    assert reinstate(device=device, actor=SYSTEM).revoked_at is None


def test_a_large_batch() -> None:
    records = [check_in(f"device-{number}", profile={"a/b": A if number % 2 else B}) for number in range(3000)]
    store_check_ins(records)
    store_check_ins([record._replace(at=AT + 60) for record in records])
    assert Device.objects.filter(last_seen=datetime.fromtimestamp(AT + 60, UTC)).count() == 3000
    assert InstalledTask.objects.filter(manifest=A.hex()).count() == 1500


def in_threads(works: Iterable[Callable[[], None]]) -> list[Exception]:
    """Runs each work in a thread with a connection of its own; what went wrong."""
    errors: list[Exception] = []

    def run(work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return errors


def test_two_gateways_that_see_the_same_devices_neither_deadlock_nor_disagree() -> None:
    """Some devices say the same as before, others something new, in an order of each gateway's own."""
    devices = [f"device-{number}" for number in range(60)]
    store_check_ins([check_in(device, profile={"a/b": A}) for device in devices])

    def gateway(seed: int) -> Callable[[], None]:
        draw = random.Random(seed)

        def run() -> None:
            for turn in range(1, 25):
                batch = [
                    check_in(device, AT + turn + draw.random() / 2, {"a/b": draw.choice([A, A, A, B])})
                    for device in draw.sample(devices, 40)
                ]
                store_check_ins(batch)

        return run

    assert in_threads([gateway(seed) for seed in (1, 2, 3)]) == []
    for device in Device.objects.all():
        assert {task: manifest for task, (manifest, _) in installed(device.device).items()} == device.profile
