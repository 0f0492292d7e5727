"""git says what became of a version that was rolled back; a push of the same files is told."""

import shutil
import subprocess

import pytest

from accounts_app.actors import SYSTEM
from devices_app.services.keys import git_signers
from devices_app.services.rotation import rotate
from jobs_app.models import Job
from releases_app.services.git_notes import WRITE_NOTE, write_version_note
from releases_app.services.quarantine import lift_quarantine
from tasks_app.repository import RepositoryBusy
from tasks_app.services.pushes import Push, RefUpdate, check_contents
from tests.releases_app.trials import NOW, Trial
from tests.support.people import make_staff
from tests.tasks_app.working_copy import GOOD

pytestmark = pytest.mark.django_db


@pytest.fixture
def bad(fleet, versions):
    """A release of 1.0.0 that was rolled back by its verdict."""
    trial = Trial(fleet, versions[0]).start()
    trial.round(fails=lambda number: True)
    return trial.row()


def git(repository, *arguments):
    return subprocess.run(["git", *arguments], cwd=repository.path, capture_output=True, text=True, check=True).stdout


def log_of(repository, commit):
    return git(repository, "log", "-1", "--notes=releases", "--format=%N", commit)


def test_a_rolled_back_version_says_so_in_the_log(bad, repository, versions):
    assert write_version_note(version=versions[0], now=NOW) is True
    note = log_of(repository, versions[0].commit)
    assert note.startswith("camera/digits 1.0.0 was rolled back, and may not be released again.\n")
    assert f"\nRelease: {bad.pk} to shop\nBy: system\nReason: {bad.transitions.last().reason}\n" in note
    assert '"failed":' in note
    assert write_version_note(version=versions[0], now=NOW) is False


def test_a_note_is_about_all_versions_of_a_commit(bad, fleet, repository, versions):
    assert versions[0].commit == versions[1].commit
    Trial(fleet, versions[1]).start().act("roll-back")
    for version in versions:
        write_version_note(version=version, now=NOW)
    note = log_of(repository, versions[0].commit)
    assert [line for line in note.splitlines() if line.startswith("camera/")] == [
        f"camera/digits {number} was rolled back, and may not be released again." for number in ("1.0.0", "1.1.0")
    ]
    assert "Reason: no reason was given" in note


def test_every_rollback_and_every_lift_has_a_worker_write_it(bad, repository, versions):
    assert Job.objects.filter(kind=WRITE_NOTE, arguments={"version": versions[0].pk}).delete()[0] == 1
    write_version_note(version=versions[0], now=NOW)
    lift_quarantine(version=versions[0], actor=SYSTEM, now=NOW, reason="it was\nthe network")
    assert Job.objects.filter(kind=WRITE_NOTE, arguments={"version": versions[0].pk}).exists()
    write_version_note(version=versions[0], now=NOW)
    first, _, rest = log_of(repository, versions[0].commit).partition("\n")
    assert first == "camera/digits 1.0.0 was rolled back, and may be released again."
    assert rest.index("Reason: it was the network") < rest.index("Rolled-back:")


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="git checks signatures with ssh-keygen")
def test_the_signature_is_that_of_the_server_after_a_rotation_too(bad, repository, versions, tmp_path):
    write_version_note(version=versions[0], now=NOW)
    rotate(purpose="manifest", actor=make_staff(), now=NOW)
    signers = tmp_path / "signers"
    for lines, verified in ((git_signers(), True), (git_signers()[1:], False)):
        signers.write_text("\n".join(lines) + "\n")
        options = ("-c", "gpg.format=ssh", "-c", f"gpg.ssh.allowedSignersFile={signers}")
        command = ["git", *options, "verify-commit", "refs/notes/releases"]
        assert (
            subprocess.run(command, cwd=repository.path, capture_output=True, check=False).returncode == 0
        ) is verified


def test_nothing_is_written_while_a_push_is_decided(bad, repository, versions):
    with repository.exclusive_if_free(), pytest.raises(RepositoryBusy):
        write_version_note(version=versions[0], now=NOW)
    assert write_version_note(version=versions[0], now=NOW) is True


def test_what_a_killed_worker_left_is_overwritten(bad, repository, versions):
    git(repository, "update-ref", "refs/notes/walle-unsigned", versions[0].commit)
    (repository.path / "refs/notes/releases.lock").touch()
    assert write_version_note(version=versions[0], now=NOW) is True
    assert "walle-unsigned" not in git(repository, "for-each-ref")


@pytest.mark.parametrize("changed", [False, True])
def test_a_push_of_the_same_files_is_told(bad, copy, repository, changed):
    copy.commit(GOOD | ({"more.txt": "more"} if changed else {}))
    copy.tag("digits/2.0.0", "Again")
    copy.push("--tags")
    update = RefUpdate("0" * 40, repository.tag("digits", "2.0.0"), "refs/tags/digits/2.0.0")
    [found] = check_contents(repository=repository, push=Push.of([update])).values()
    told = [warning for warning in found.warnings if "rolled back" in warning]
    assert told == ([] if changed else [told[0]])
    if told:
        assert told[0].startswith(
            "it has the files of 1.0.0, which was rolled back: `walle version show camera/digits 1.0.0`"
        )
