"""Keys change while devices sleep: they recover by themselves (release lesson 18)."""

from datetime import timedelta

from tests.device.conftest import TASK
from walle.protocol.signing import TrustedRoots


async def test_a_device_sleeps_through_three_rotations_of_all_keys(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    device = await devices.start()
    await device.agent.once()
    for _ in range(3):
        repository.rotate()
        repository.rotate_credential_key()
    repository.publish(TASK, "2.0.0", {"main.py": b"two"})
    await device.agent.once()
    await device.agent.once()
    assert device.version() == "2.0.0"
    assert device.store.state.credential.device == "device-1", "it keeps its id"
    assert [TrustedRoots(root).version for root in device.store.roots()] == [1, 2, 3, 4]
    assert len(device.store.outbox) == 0


async def test_a_new_device_walks_from_the_root_it_shipped_with(repository, devices):
    shipped = repository.roots[1]
    for _ in range(3):
        repository.rotate()
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    device = await devices.start(initial_root=shipped)
    await device.agent.once()
    assert device.version() == "1.0.0"


async def test_without_a_shipped_root_the_first_one_met_is_trusted_once(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    device = await devices.start(initial_root=None)
    await device.agent.once()
    assert device.version() == "1.0.0"
    repository.roots.clear()
    repository.__post_init__()  # another cloud altogether, with keys of its own
    repository.keys = type(repository.keys)()
    repository.publish(TASK, "2.0.0", {"main.py": b"evil"})
    again = await devices.restart(device, initial_root=None)
    await again.agent.once()
    assert again.version() == "1.0.0"
    assert again.notices_named("refused")[0].data["code"] == "wrong-signature"


async def test_a_walk_that_is_interrupted_goes_on_where_it_was(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    for _ in range(3):
        repository.rotate()
    repository.hidden = {"/roots/3.json"}
    device = await devices.start()
    await device.agent.once()
    assert device.version() is None
    assert len(device.store.roots()) == 2
    repository.hidden = set()
    again = await devices.restart(device)
    await again.agent.once()
    assert again.version() == "1.0.0"
    assert len(repository.seen("/roots/2.json")) == 1


async def test_a_damaged_root_gives_way_to_its_predecessor(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    repository.rotate()
    device = await devices.start()
    await device.agent.once()
    (device.store.root / "roots" / "2.json").write_text("{")
    repository.publish(TASK, "2.0.0", {"main.py": b"two"})
    again = await devices.restart(device)
    await again.agent.once()
    assert again.version() == "2.0.0"


# -- clocks


async def test_a_clock_that_is_a_little_off_does_no_harm(repository, devices):
    for hours, version in ((-0.05, "1.0.0"), (1.05, "2.0.0")):
        repository.publish(TASK, version, {"main.py": version.encode()})
        device = await devices.start(version)
        repository.clock = lambda now=device.clock.now: now
        device.clock.now += timedelta(hours=hours).total_seconds()
        await device.agent.once()
        assert device.version() == version


async def test_a_clock_far_ahead_takes_everything_for_expired_and_recovers(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    device = await devices.start()
    real = device.clock.now
    repository.clock = lambda: real
    device.clock.now += timedelta(days=2).total_seconds()
    await device.agent.once()
    assert device.notices_named("refused")[0].data["code"] == "expired"
    assert repository.reports[0]["error_class"] == "expired"
    device.clock.now = real
    await device.agent.once()
    assert device.version() == "1.0.0"


async def test_a_clock_far_behind_still_refuses_older_tables(repository, devices):
    """Expiry does not protect such a device; the number does."""
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    stale = repository.offer("device-1", TASK)
    repository.publish(TASK, "2.0.0", {"main.py": b"two"})
    device = await devices.start()
    real = device.clock.now
    repository.clock = lambda: real
    device.clock.now -= timedelta(days=400).total_seconds()
    await device.agent.once()
    assert device.version() == "2.0.0"
    repository.offers = lambda who, profile: [stale]
    await device.agent.once()
    assert device.notices_named("refused")[-1].data["code"] == "rolled-back"
    assert device.version() == "2.0.0"


async def test_a_clock_that_jumps_during_a_download_leaves_no_negative_duration(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    device = await devices.start()

    def jump(manifest):
        device.clock.now -= 1000
        return []

    device.parts.check_ins._updater._requirements = jump
    await device.agent.once()
    install = next(report for report in repository.reports if report["kind"] == "install")
    assert install["duration_ms"] == 0
