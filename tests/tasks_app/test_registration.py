"""From a tag in the repository to a registered version, without a push in between."""

import json
import threading
from hashlib import sha256

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from accounts_app.actors import SYSTEM, Actor
from accounts_app.models import AuditEntry
from devices_app.models import Root
from tasks_app.exceptions import NoSuchVersion, VersionConflict, VersionRefused
from tasks_app.models import IngestedBlob, Task, TaskVersion, VersionFile
from tasks_app.repository import Repository
from tasks_app.services.content import artifact_store
from tasks_app.services.registration import follow_branches, register_version
from tasks_app.services.sweep import pack_repository, sweep_repository
from tests.support.people import make_user
from tests.support.waiting import ANSWER_S
from tests.tasks_app.working_copy import EXCLUSIVE, GOOD, MAIN, TASK
from walle.artifacts import LocalStore
from walle.protocol.documents import Manifest
from walle.protocol.signing import TrustedRoots

pytestmark = pytest.mark.django_db


@pytest.fixture
def register(camera, repository, keys):
    def call(task="digits", version="1.0.0", actor=SYSTEM):
        return register_version(actor=actor, scenario=camera, task=task, version=version, repository=repository)

    return call


@pytest.fixture
def tagged(copy):
    """digits/1.0.0 in the repository."""
    commit = copy.commit(GOOD)
    copy.tag("digits/1.0.0", "The first")
    copy.push("digits", "--tags")
    return commit


def test_a_version_is_registered_with_files_manifest_signature_and_audit(register, tagged):
    ada = Actor(make_user("ada"))
    done = register(actor=ada)
    row = TaskVersion.objects.get()
    assert (done.created, done.file_count, done.version) == (True, 3, row)
    assert (row.task.name, row.version, row.tag, row.commit) == ("camera/digits", "1.0.0", "digits/1.0.0", tagged)
    assert (row.author_name, row.author_email, row.message) == ("Ada", "ada@example.org", "The first")
    assert row.total_size == sum(len(content) for content in GOOD.values())
    assert {file.path: (file.kind, file.digest, file.size) for file in row.files.all()} == {
        path: ("shared", sha256(data).hexdigest(), len(data))
        for path, data in ((path, c.encode() if isinstance(c, str) else c) for path, c in GOOD.items())
    }
    entry = AuditEntry.objects.get(action="version.register")
    assert (entry.actor_name, entry.scope, entry.after["commit"]) == ("ada", "scenario:camera", tagged)


def test_the_envelope_is_an_artifact_that_devices_verify(register, tagged):
    row = register().version
    row.refresh_from_db()
    with artifact_store().open(row.envelope_digest) as file:
        envelope = file.read()
    roots = TrustedRoots(bytes(Root.objects.get().metadata))
    payload = roots.verify("manifest", envelope)
    assert payload == bytes(row.manifest)
    assert sha256(payload).hexdigest() == row.manifest_digest == Manifest.from_payload(payload).digest
    assert row.signed_by == json.loads(envelope)["signatures"][0]["keyid"]
    assert json.loads(payload)["entry_point"] == "main:run"


def test_contents_lie_in_the_store(register, tagged):
    for file in register().version.files.all():
        content = GOOD[file.path]
        with artifact_store().open(file.digest) as stored:
            assert stored.read() == (content.encode() if isinstance(content, str) else content)


def test_registering_again_changes_nothing(register, tagged):
    first, second = register(), register()
    assert (first.created, second.created) == (True, False)
    assert second.version == first.version
    assert TaskVersion.objects.count() == AuditEntry.objects.filter(action="version.register").count() == 1


def test_excluded_files_do_not_travel_and_exclusive_ones_have_no_content(register, copy):
    extra = {"README.md": "x", "train/data.csv": "1,2", "defaults/prefs.json": "{}"}
    copy.commit({**GOOD, "task.toml": EXCLUSIVE, **extra})
    copy.tag("digits/1.0.0")
    copy.push("digits", "--tags")
    files = {file.path: file for file in register().version.files.all()}
    assert set(files) == {"main.py", "model.bin", "task.toml", "defaults/prefs.json", "prefs.json"}
    prefs = files["prefs.json"]
    assert (prefs.kind, prefs.digest, prefs.size) == ("exclusive", None, None)
    assert (prefs.template, prefs.default) == ("{age_band}", "defaults/prefs.json")
    assert not artifact_store().has(sha256(b"1,2").hexdigest())


def test_a_blob_is_brought_to_the_store_once(register, copy, repository, monkeypatch):
    copy.commit(GOOD)
    copy.tag("digits/1.0.0")
    copy.commit({"main.py": MAIN + "# changed\n"})
    copy.tag("digits/1.1.0")
    copy.push("digits", "--tags")
    read = []
    original = Repository.contents
    monkeypatch.setattr(Repository, "contents", lambda self, oids: read.extend(oids) or original(self, oids))
    register()
    assert len(read) == 3
    register(version="1.1.0")
    assert len(read) == 4
    assert IngestedBlob.objects.count() == 4


def test_a_store_that_lost_its_artifacts_is_filled_again(register, tagged, settings, tmp_path):
    settings.WALLE_ARTIFACTS_DIR = tmp_path / "one"
    register()
    lost = LocalStore(tmp_path / "one")
    for kept in list(lost.iterate()):
        lost.delete(kept.digest)
    assert sweep_of_contents(register) == set()


def sweep_of_contents(register):
    """Digests that a fresh look at the tag leaves missing."""
    from tasks_app.services.content import StoredTree, check_content

    row = TaskVersion.objects.get()
    with Repository("camera") as repository:
        check_content(StoredTree(repository, row.commit))
    return {file.digest for file in row.files.all() if not artifact_store().has(file.digest)}


def test_a_tag_that_was_moved_behind_our_back_is_a_conflict(register, copy, tagged):
    register()
    copy.commit({"main.py": MAIN + "\n"})
    copy.git("tag", "-f", "digits/1.0.0")
    copy.push("digits", "+refs/tags/digits/1.0.0")
    with pytest.raises(VersionConflict, match=r"camera/digits 1\.0\.0 is registered with commit"):
        register()


def test_what_is_not_there_or_not_proper_is_refused(register, copy, camera):
    copy.commit({**GOOD, "main.py": "def run(:\n", "task.toml": TASK + "[limits]\ntime_ms = 0\n"})
    copy.tag("digits/1.0.0")
    copy.push("digits", "--tags")
    with pytest.raises(NoSuchVersion):
        register(version="9.9.9")
    with pytest.raises(VersionRefused) as refused:
        register()
    assert any(problem.startswith("main.py:1: expected Python that compiles") for problem in refused.value.problems)
    assert any("limits.time_ms" in problem for problem in refused.value.problems)
    assert not TaskVersion.objects.exists()


def test_a_commit_outside_the_branch_is_refused(register, copy, tagged):
    copy.orphan("digits2")
    copy.commit(GOOD, "Elsewhere")
    copy.tag("digits/2.0.0")
    copy.push("refs/tags/digits/2.0.0")
    with pytest.raises(VersionRefused, match="not in the history of branch digits"):
        register(version="2.0.0")


def test_branches_become_tasks_and_vanish_only_without_versions(register, copy, camera, repository, tagged):
    copy.push("HEAD:refs/heads/faces")
    follow_branches(actor=SYSTEM, scenario=camera, repository=repository)
    assert sorted(Task.objects.values_list("slug", flat=True)) == ["digits", "faces"]
    register()
    copy.push(":refs/heads/faces", ":refs/heads/digits")
    follow_branches(actor=SYSTEM, scenario=camera, repository=repository)
    assert list(Task.objects.values_list("slug", flat=True)) == ["digits"]
    actions = list(AuditEntry.objects.filter(object_type="tasks_app.task").values_list("action", flat=True))
    assert sorted(actions) == ["task.create", "task.create", "task.forget"]


def test_the_sweep_registers_what_has_no_row_and_tells_what_it_cannot(copy, camera, keys, tagged):
    copy.tag("digits/1.1.0")
    copy.commit({"main.py": "def walk(): ...\n"})
    copy.tag("digits/2.0.0")
    copy.push("digits", "--tags")
    swept = sweep_repository(scenario=camera)
    assert swept.registered == ["camera/digits 1.0.0", "camera/digits 1.1.0"]
    assert "run(inputs, context)" in swept.failed["camera/digits 2.0.0"]
    again = sweep_repository(scenario=camera)
    assert (again.registered, len(again.failed)) == ([], 1)
    assert AuditEntry.objects.filter(action="version.register", actor_name="system").count() == 2


def test_the_sweep_leaves_a_busy_repository_alone(copy, camera, keys, tagged):
    with Repository("camera").exclusive_if_free():
        assert sweep_repository(scenario=camera).busy
        assert not pack_repository(scenario=camera, now=timezone.now())
    assert not TaskVersion.objects.exists()
    assert pack_repository(scenario=camera, now=timezone.now())


def test_rows_of_versions_and_files_cannot_be_changed_or_deleted(register, tagged):
    row = register().version
    for change in (
        lambda: TaskVersion.objects.update(commit="f" * 40),
        lambda: TaskVersion.objects.update(manifest=b"{}"),
        lambda: TaskVersion.objects.update(message="other"),
        lambda: VersionFile.objects.update(digest="f" * 64),
        lambda: VersionFile.objects.all().delete(),
        lambda: TaskVersion.objects.filter(pk=row.pk)._raw_delete("default"),
    ):
        with pytest.raises(IntegrityError, match="immutable"), transaction.atomic():
            change()
    assert TaskVersion.objects.update(envelope_digest="f" * 64, signed_by="new") == 1


@pytest.mark.django_db(transaction=True)
def test_two_registrations_at_once_make_one_row(camera, copy, keys):
    copy.commit(GOOD)
    copy.tag("digits/1.0.0")
    copy.push("digits", "--tags")
    results, barrier = [], threading.Barrier(4)

    def race():
        try:
            with Repository("camera") as own:
                barrier.wait(ANSWER_S)
                results.append(
                    register_version(actor=SYSTEM, scenario=camera, task="digits", version="1.0.0", repository=own)
                )
        finally:
            connection.close()

    threads = [threading.Thread(target=race) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(done.created for done in results) == [False, False, False, True]
    assert TaskVersion.objects.count() == AuditEntry.objects.filter(action="version.register").count() == 1
