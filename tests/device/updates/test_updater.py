"""Offers carried out: installing, updating, removing, over real HTTP with really signed documents."""

import hashlib

from tests.device.conftest import TASK


def bundle(device) -> dict[str, bytes]:
    folder = device.store.installs.bundle(device.store.task(TASK).current.folder)
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


async def test_a_version_is_installed_with_its_files(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"code", "lib/model.npz": b"model"})
    device = await devices.start()
    await device.agent.once()
    assert bundle(device) == {"main.py": b"code", "lib/model.npz": b"model"}
    assert device.version() == "1.0.0"


async def test_the_installation_is_reported_with_its_offer_token(repository, devices):
    manifest = repository.publish(TASK, "1.0.0", {"main.py": b"code"})
    device = await devices.start()
    await device.agent.once()
    install = next(report for report in repository.reports if report["kind"] == "install")
    assert (install["outcome"], install["version"], install["manifest"]) == ("success", "1.0.0", manifest.digest)
    stamp = repository.keyring.read_offer_token(install["offer_token"], "device-1")
    assert stamp.number == repository.number
    assert len(device.store.outbox) == 0


async def test_an_update_downloads_only_what_is_new(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"one", "model": b"same"})
    device = await devices.start()
    await device.agent.once()
    repository.publish(TASK, "2.0.0", {"main.py": b"two", "model": b"same"})
    await device.agent.once()
    assert bundle(device) == {"main.py": b"two", "model": b"same"}
    model = hashlib.sha256(b"same").hexdigest()
    assert len(repository.seen(f"/artifacts/{model}")) == 1


async def test_two_paths_with_the_same_content_are_one_download(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"same", "copy.py": b"same"})
    device = await devices.start()
    await device.agent.once()
    assert bundle(device) == {"main.py": b"same", "copy.py": b"same"}
    assert len(repository.seen(f"/artifacts/{hashlib.sha256(b'same').hexdigest()}")) == 1


async def test_the_profile_says_what_is_installed_and_nothing_more_is_offered(repository, devices):
    manifest = repository.publish(TASK, "1.0.0", {"main.py": b"code"})
    device = await devices.start()
    await device.agent.once()
    await device.agent.once()
    last = repository.seen("/checkin")[-1]
    assert f"n={repository.number}" in last["walle-device"]
    assert last["walle-profile"].startswith(TASK)
    assert device.notices_named("checked-in")[-1].data["offers"] == []
    assert manifest.digest == device.store.task(TASK).current.manifest


async def test_an_offer_of_what_is_installed_changes_nothing(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"code"})
    device = await devices.start()
    await device.agent.once()
    repository.offers = lambda who, profile: [repository.offer(who, TASK)]
    before = device.store.task(TASK)
    await device.agent.once()
    assert device.notices_named("already")
    assert device.store.task(TASK).current == before.current
    assert len([report for report in repository.reports if report["kind"] == "install"]) == 1


async def test_a_removal_is_carried_out_and_reported(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"code"})
    device = await devices.start()
    await device.agent.once()
    repository.remove(TASK)
    await device.agent.once()
    assert device.version() is None
    assert [(r["kind"], r["outcome"]) for r in repository.reports if r["kind"] == "remove"] == [("remove", "success")]
    assert list((device.store.root / "installs").iterdir()) == []
    repository.offers = lambda who, profile: [repository.offer(who, TASK)]
    await device.agent.once()
    assert device.notices_named("already")


async def test_a_rollback_is_a_forward_step_and_needs_no_download(repository, devices):
    first = repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    envelope = repository.tasks[TASK]
    device = await devices.start()
    await device.agent.once()
    repository.publish(TASK, "2.0.0", {"main.py": b"two"})
    await device.agent.once()
    repository.tasks[TASK] = envelope
    repository.number += 1
    await device.agent.once()
    assert device.store.task(TASK).current.manifest == first.digest
    assert len(repository.seen(f"/artifacts/{hashlib.sha256(b'one').hexdigest()}")) == 1
    task = device.store.task(TASK)
    assert task.last_good.folder == task.current.folder


EXCLUSIVE = {"exclusive": [{"path": "prefs.json", "template": "{age}", "default": "defaults/prefs.json"}]}
FILES = {"main.py": b"code", "defaults/prefs.json": b"default"}


async def test_an_exclusive_file_comes_with_its_signed_statement(repository, devices):
    repository.publish(TASK, "1.0.0", FILES, **EXCLUSIVE)
    repository.variants["device-1", "prefs.json"] = b"mine alone"
    device = await devices.start()
    await device.agent.once()
    assert bundle(device)["prefs.json"] == b"mine alone"


async def test_without_a_variant_the_default_is_taken(repository, devices):
    repository.publish(TASK, "1.0.0", FILES, **EXCLUSIVE)
    device = await devices.start()
    await device.agent.once()
    assert bundle(device)["prefs.json"] == b"default"


async def test_without_variant_and_default_the_version_is_refused(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"code"}, exclusive=[{"path": "prefs.json", "template": "{age}"}])
    device = await devices.start()
    await device.agent.once()
    assert [notice.data["code"] for notice in device.notices_named("refused")] == ["missing"]
    assert device.version() is None


async def test_the_credential_is_not_sent_along_for_files(repository, devices):
    repository.publish(TASK, "1.0.0", FILES, **EXCLUSIVE)
    device = await devices.start()
    await device.agent.once()
    pulls = [headers for path, headers, *_ in repository.requests if "/artifacts/" in path or "/exclusive/" in path]
    assert len(pulls) == 4
    assert not any("walle-device" in headers for headers in pulls)


async def test_a_failed_transfer_is_no_verdict_and_the_next_try_completes(repository, devices):
    repository.publish(TASK, "1.0.0", {"main.py": b"code"})
    device = await devices.start()
    await device.parts.check_ins._enrol()
    repository.hidden = {"never"}
    repository.mangle = lambda offer: offer.__class__(**{**offer.__dict__, "url": "http://127.0.0.1:9/x"})
    device.parts.check_ins._updater._downloader._attempts = 1
    await device.agent.once()
    assert device.notices_named("postponed")[0].data["code"] == "unreachable"
    assert repository.reports == []
    repository.mangle = lambda offer: offer
    await device.agent.once()
    assert device.version() == "1.0.0"


async def test_several_tasks_are_installed_in_one_go(repository, devices):
    for name in ("camera/digits", "camera/faces", "shop/recommend"):
        repository.publish(name, "1.0.0", {"main.py": name.encode()})
    device = await devices.start()
    await device.agent.once()
    assert [device.version(name) for name in repository.tasks] == ["1.0.0"] * 3
    repository.publish("camera/faces", "2.0.0", {"main.py": b"new"})
    await device.agent.once()
    assert [device.version(name) for name in repository.tasks] == ["1.0.0", "2.0.0", "1.0.0"]
