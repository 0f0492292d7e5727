"""The device's directory: what it keeps, what it throws away, what it does with damage."""

import hashlib
import json

import pytest

from walle.conformance.client.repository import ReferenceRepository
from walle.device.errors import StoreBusy
from walle.device.storage.disk import Disk
from walle.device.storage.state import Credential, Installation, TaskState
from walle.device.storage.store import PARTIAL_LIFETIME_S, DeviceStore

DISK = Disk(sync=False)


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def put(store: DeviceStore, data: bytes) -> str:
    digest = digest_of(data)
    if store.files.holds(digest):
        return digest
    partial = store.files.partial(digest)
    partial.restart('"etag"')
    partial.path.write_bytes(data)
    store.files.complete(digest)
    return digest


def install(store: DeviceStore, version: str, files: dict[str, bytes]) -> Installation:
    """Installs a version as the updater does; returns it."""
    manifest = ReferenceRepository().publish("camera/digits", version, files)
    digests = {path: put(store, data) for path, data in files.items()}
    folder = store.installs.build(manifest, digests, store.files)
    new = Installation("camera/digits", version, manifest.digest, folder, 1)
    report = {"id": version}
    store.commit(lambda s: s.with_task(new.task, s.task(new.task).installed(new), report), step="switch")
    return new


@pytest.fixture
def store(tmp_path):
    with DeviceStore(tmp_path / "device", disk=DISK) as store:
        yield store


def reopened(store: DeviceStore) -> DeviceStore:
    store.close()
    return DeviceStore(store.root, disk=DISK)


def test_only_one_process_works_in_a_directory(store):
    with pytest.raises(StoreBusy, match="another process"):
        DeviceStore(store.root)


def test_an_installed_version_is_found_again(store):
    new = install(store, "1.0.0", {"main.py": b"code", "data/model.bin": b"model"})
    again = reopened(store)
    assert again.task("camera/digits").current == new
    assert (again.installs.bundle(new.folder) / "data/model.bin").read_bytes() == b"model"
    assert again.installs.manifest(new.folder).version == "1.0.0"
    assert again.check_installs() == []


def test_the_report_of_a_change_is_queued_with_it(store):
    install(store, "1.0.0", {"main.py": b"code"})
    assert "1.0.0" in store.outbox
    assert store.state.pending == ()


def test_a_pending_report_is_queued_at_the_next_opening(store):
    """As if the process had died between the switch and the queueing."""
    state = store.state.with_task("camera/digits", TaskState(), {"id": "late"})
    (store.root / "state.json").write_text(json.dumps(state.to_dict()))
    again = reopened(store)
    assert "late" in again.outbox
    assert again.state.pending == ()


def test_numbers_and_credential_are_remembered(store):
    store.store_table_number("shop", 9)
    store.store_table_number("shop", 4)
    store.save_credential(Credential("d", "t"))
    again = reopened(store)
    assert (again.state.highest, again.state.credential) == ({"shop": 9}, Credential("d", "t"))


def test_an_unchanged_state_is_not_written_again(store, tmp_path):
    store.store_table_number("shop", 9)
    written = (store.root / "state.json").stat().st_mtime_ns
    store.store_table_number("shop", 9)
    assert (store.root / "state.json").stat().st_mtime_ns == written


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"format": 7}', b'{"format": 1}', b"\xff\x00"])
def test_an_unreadable_state_is_put_aside_and_the_device_starts_afresh(store, content):
    (store.root / "state.json").write_bytes(content)
    again = reopened(store)
    assert again.state.tasks == {}
    assert (store.root / "state.broken.json").read_bytes() == content


def test_files_and_folders_that_nothing_refers_to_are_removed(store):
    one = install(store, "1.0.0", {"main.py": b"one", "model": b"same"})
    two = install(store, "2.0.0", {"main.py": b"two", "model": b"same"})
    stray = put(store, b"stray")
    store.collect_garbage(now=0)
    assert not store.files.path(stray).exists()
    assert store.files.holds(digest_of(b"one")), "the fallback is kept"
    store.commit(lambda s: s.without_task("camera/digits"), step="removal")
    store.collect_garbage(now=0, in_use=frozenset({two.folder}))
    assert not store.installs.check(one)
    assert store.installs.check(two), "a task runs in it"
    store.collect_garbage(now=0)
    assert list((store.root / "files").iterdir()) == list((store.root / "installs").iterdir()) == []


def test_partial_downloads_are_kept_for_a_week(store):
    store.files.partial("a" * 64).restart('"e"')
    begun = store.files.partial("a" * 64).path.stat().st_mtime
    store.collect_garbage(now=begun + PARTIAL_LIFETIME_S - 1)
    assert store.files.partial("a" * 64).etag == '"e"'
    store.collect_garbage(now=begun + PARTIAL_LIFETIME_S + 1)
    assert not store.files.partial("a" * 64).path.exists()


def damage(store: DeviceStore, version: Installation, path: str = "main.py") -> None:
    target = store.installs.bundle(version.folder) / path
    target.unlink()
    target.write_bytes(b"something else")


def test_a_damaged_version_gives_way_to_its_fallback(store):
    one = install(store, "1.0.0", {"main.py": b"one"})
    two = install(store, "2.0.0", {"main.py": b"two"})
    damage(store, two)
    assert store.check_installs() == [two]
    assert store.task("camera/digits").current == one


def test_a_damaged_version_without_a_fallback_leaves_the_profile(store):
    one = install(store, "1.0.0", {"main.py": b"one"})
    damage(store, one)
    assert store.check_installs() == [one]
    assert store.task("camera/digits").current is None


def test_when_both_are_damaged_the_task_leaves(store):
    one, two = (install(store, f"{n}.0.0", {"main.py": b"%d" % n}) for n in (1, 2))
    for version in (one, two):
        damage(store, version)
    store.check_installs()
    assert store.task("camera/digits").current is None


def test_a_damaged_folder_is_built_anew(store):
    one = install(store, "1.0.0", {"main.py": b"one"})
    damage(store, one)
    install(store, "1.0.0", {"main.py": b"one"})
    assert store.installs.check(one)


def test_a_damaged_file_is_not_held(store):
    digest = put(store, b"content")
    store.files.path(digest).chmod(0o644)
    store.files.path(digest).write_bytes(b"contenT")
    assert not store.files.holds(digest)
    assert not store.files.path(digest).exists()


def test_files_are_shared_between_versions_not_copied(store):
    one = install(store, "1.0.0", {"model": b"m" * 1000})
    two = install(store, "2.0.0", {"model": b"m" * 1000, "more": b"x"})
    inodes = {(store.installs.bundle(v.folder) / "model").stat().st_ino for v in (one, two)}
    assert len(inodes) == 1


def test_what_an_interrupted_change_left_is_cleared(store):
    for name in ("installs/.tmp-x/bundle", "installs/.tmp-removed-y"):
        (store.root / name).mkdir(parents=True)
    for name in (".tmp-state.json", "outbox/.tmp-1.json", "roots/.tmp-1.json", "running/.tmp-r.json", "files/.tmp-f"):
        (store.root / name).write_text("half")
    again = reopened(store)
    assert not list(again.root.rglob(".tmp-*"))


def test_a_root_that_was_saved_is_found_in_order(store):
    for number in (1, 2, 10):
        store.save_root(number, b"%d" % number)
    assert reopened(store).roots() == [b"1", b"2", b"10"]


def test_markers_name_the_runs_in_progress(store):
    store.mark_running("a", {"task": "t"})
    store.mark_running("b", {"task": "u"})
    store.unmark("a")
    again = reopened(store)
    assert again.markers() == {"b": {"task": "u"}}
    (store.root / "running" / "c.json").write_text("{")
    assert set(again.markers()) == {"b"}
