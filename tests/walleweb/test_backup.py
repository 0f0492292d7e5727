"""Taking backups: whole or not at all, nothing twice, and whatever is wrong with one is noticed."""

import gzip
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.db import connection, transaction

from accounts_app.actors import SYSTEM
from devices_app.models import ServerKey
from devices_app.stores import artifact_store, exclusive_store
from tasks_app.repository import repository_path
from tests.support.backups import present_installation, silent
from tests.support.waiting import wait_for
from tests.tasks_app.conftest import camera, copy, folders, keys, repository  # noqa: F401
from tests.tasks_app.working_copy import GOOD
from walle.artifacts import LocalStore
from walle.artifacts.store import StoreUnavailable
from walleweb.backup import BackupError
from walleweb.backup.contents import read_contents
from walleweb.backup.making import make_backup, remove_old, verify_backup
from walleweb.backup.place import BackupPlace
from walleweb.backup.progress import BackupProgress
from walleweb.backup.restoring import restore_backup

pytestmark = pytest.mark.django_db(transaction=True)

NOW = datetime(2027, 1, 15, 8, tzinfo=UTC)
QUIET = BackupProgress(silent())


@pytest.fixture
def place(tmp_path) -> BackupPlace:
    return BackupPlace(tmp_path / "backups")


@pytest.fixture
def kept(copy, keys) -> dict[str, str]:  # noqa: F811
    """Something of everything: keys, a repository, a shared and an exclusive file."""
    copy.commit(GOOD)
    copy.tag("digits/1.0.0")
    copy.push("digits", "--tags")
    return {"artifacts": artifact_store().put(b"weights").digest, "exclusive": exclusive_store().put(b"mine").digest}


def test_a_backup_holds_everything_and_says_so(place, kept) -> None:
    folder = make_backup(place, now=NOW, progress=QUIET)
    contents = verify_backup(folder, place, progress=QUIET)
    assert folder.name == "20270115T080000Z"
    assert contents.rows["devices_app_serverkey"] == ServerKey.objects.count() == 4
    assert contents.rows["tasks_app_scenario"] == 1
    assert contents.artifacts == {"count": 2, "bytes": len(b"weights") + len(b"mine")}
    assert {*contents.pieces} == {"database.sql.gz", "artifacts.txt", "exclusive.txt", "git/camera.bundle"}
    for name, digest in kept.items():
        assert place.store(name).has(digest)


def test_it_can_be_read_without_walle_and_holds_no_secret(place, kept, settings) -> None:
    folder = make_backup(place, now=NOW, progress=QUIET)
    script = gzip.decompress((folder / "database.sql.gz").read_bytes()).decode()
    assert "CREATE TABLE public.devices_app_report (" in script
    assert "COPY public.django_session" not in script
    assert "COPY public.kombu_message" not in script
    for text in (script, (folder / "contents.json").read_text()):
        assert settings.WALLE_MASTER_KEY not in text
        assert settings.SECRET_KEY not in text


def test_the_next_one_copies_only_what_is_new(place, kept) -> None:
    first = make_backup(place, now=NOW, progress=QUIET)
    inodes = {path: path.stat().st_ino for path in place.root.glob("artifacts/*/*/*")}
    artifact_store().put(b"more weights")
    second = make_backup(place, now=NOW + timedelta(days=1), progress=QUIET)
    assert len(list(place.root.glob("artifacts/*/*/*"))) == 2
    assert all(path.stat().st_ino == inode for path, inode in inodes.items())
    assert (second / "git/camera.bundle").samefile(first / "git/camera.bundle")


def test_a_changed_repository_and_a_damaged_bundle_are_bundled_anew(place, kept, copy) -> None:  # noqa: F811
    first = make_backup(place, now=NOW, progress=QUIET)
    copy.commit({"main.py": "# changed"})
    copy.push("digits")
    second = make_backup(place, now=NOW + timedelta(days=1), progress=QUIET)
    assert not (second / "git/camera.bundle").samefile(first / "git/camera.bundle")
    (second / "git/camera.bundle").write_bytes(b"rotten")
    third = make_backup(place, now=NOW + timedelta(days=2), progress=QUIET)
    verify_backup(third, place, progress=QUIET)


def test_damage_is_found(place, kept, settings) -> None:
    folder = make_backup(place, now=NOW, progress=QUIET)
    files = ["database.sql.gz", "artifacts.txt", "git/camera.bundle"]
    artifact = place.store("exclusive").path(kept["exclusive"])
    artifact.chmod(0o600)
    for path, found in [*((folder / name, name) for name in files), (artifact, kept["exclusive"])]:
        content = path.read_bytes()
        damaged = bytearray(content)
        damaged[len(content) // 2] ^= 1
        path.write_bytes(damaged)
        with pytest.raises(BackupError, match=found):
            verify_backup(folder, place, progress=QUIET)
        path.write_bytes(content)
    verify_backup(folder, place, progress=QUIET)
    said = json.loads((folder / "contents.json").read_text())
    said["rows"]["devices_app_device"] = 7
    (folder / "contents.json").write_text(json.dumps(said))
    with pytest.raises(BackupError, match="was changed"):
        read_contents(folder, settings.WALLE_MASTER_KEY)


def test_another_master_key_is_refused_before_anything_else(place, kept, settings) -> None:
    folder = make_backup(place, now=NOW, progress=QUIET)
    with pytest.raises(BackupError, match="Set WALLE_MASTER_KEY to the one that was in force"):
        read_contents(folder, "another master key, long enough to be one")
    settings.WALLE_MASTER_KEY = "another master key, long enough to be one"
    with pytest.raises(BackupError, match="WALLE_MASTER_KEY does not open"):
        make_backup(place, now=NOW + timedelta(days=1), progress=QUIET)
    assert place.names() == [folder.name]


def test_nothing_is_restored_over_what_is_there(place, kept) -> None:
    folder = make_backup(place, now=NOW, progress=QUIET)
    with pytest.raises(BackupError, match="only into an empty place"):
        restore_backup(folder, place, now=NOW, progress=QUIET)
    assert repository_path("camera").is_dir()


def test_what_the_store_lost_is_told_and_the_rest_kept(place, kept) -> None:
    path = artifact_store().path(kept["artifacts"])
    path.chmod(0o600)
    path.write_bytes(b"WEIGHTS")
    folder = make_backup(place, now=NOW, progress=QUIET)
    contents = verify_backup(folder, place, progress=QUIET)
    assert len(contents.lacking) == 1
    assert kept["artifacts"] in contents.lacking[0]
    assert contents.artifacts["count"] == 1


def test_a_store_that_cannot_be_reached_ends_the_backup(place, kept, monkeypatch) -> None:
    """Its files are not lacking: another try may find them all."""

    def refuse(*_: object) -> None:
        raise StoreUnavailable("the bucket does not answer")

    monkeypatch.setattr(LocalStore, "open", refuse)
    with pytest.raises(StoreUnavailable):
        make_backup(place, now=NOW, progress=QUIET)
    assert place.names() == []


def test_old_ones_go_with_the_artifacts_that_only_they_need(place, kept) -> None:
    make_backup(place, now=NOW, progress=QUIET)
    artifact_store().delete(kept["artifacts"])
    for day in (1, 2):
        make_backup(place, now=NOW + timedelta(days=day), progress=QUIET)
    remove_old(place, keep=2, progress=QUIET)
    assert place.names() == ["20270116T080000Z", "20270117T080000Z"]
    assert not place.store("artifacts").has(kept["artifacts"])
    assert place.store("exclusive").has(kept["exclusive"])
    verify_backup(place.folder(), place, progress=QUIET)


def test_one_that_was_killed_is_not_taken_for_a_backup(place, kept, children, tmp_path) -> None:
    """kill -9 while pg_dump waits for a table that somebody has locked."""
    installation = present_installation(tmp_path)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("LOCK TABLE devices_app_report IN ACCESS EXCLUSIVE MODE")
        child = children.python("manage.py", "backup", str(place.root), env=installation.environment)
        wait_for(lambda: list(place.root.glob("*.unfinished/database.sql.gz")), describe=child.output)
        child.kill()
    assert place.names() == []
    with pytest.raises(BackupError, match="no whole backup"):
        place.folder()
    folder = make_backup(place, now=NOW, progress=QUIET)
    verify_backup(folder, place, progress=QUIET)
    assert not list(place.root.glob("*.unfinished"))


def test_two_at_a_time_are_one_too_many(place, kept) -> None:
    with place.locked(), pytest.raises(BackupError, match="in use by another backup"):
        make_backup(place, now=NOW, progress=QUIET)


def test_rows_that_come_meanwhile_are_in_the_next_one(place, kept, monkeypatch) -> None:
    """All of a backup is of one moment, whatever is committed while it is made."""
    from tasks_app.services.scenarios import create_scenario
    from walleweb.backup import making

    write_script = making.write_script

    def write_late(*arguments):
        create_scenario(actor=SYSTEM, slug="late")
        return write_script(*arguments)

    monkeypatch.setattr(making, "write_script", write_late)
    contents = read_contents(make_backup(place, now=NOW, progress=QUIET), making.settings.WALLE_MASTER_KEY)
    assert list(contents.repositories) == ["camera"]
    assert contents.rows["tasks_app_scenario"] == 1


def test_a_folder_without_backups_is_no_error_of_python(tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="no whole backup"):
        BackupPlace(tmp_path / "nothing").folder()
