"""Collecting artifacts: what is unused long enough goes, whatever a push or a device may still need stays."""

import os
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from accounts_app.actors import SYSTEM
from jobs_app.registry import kind_named
from tasks_app.models import IngestedBlob, UnusedArtifact
from tasks_app.services.content import StoredTree, artifact_store, check_content, exclusive_store
from tasks_app.services.garbage import collect_artifacts
from tasks_app.services.registration import register_version
from tasks_app.services.variants import upload_variant
from tests.tasks_app.working_copy import EXCLUSIVE, GOOD
from walle.artifacts import LocalStore

GRACE = timedelta(days=7)
START = datetime(2040, 1, 1, tzinfo=UTC)  # after everything that these tests put


def collect(*, days: float = 0, dry_run: bool = False):
    now = START + timedelta(days=days)
    return collect_artifacts(now=now, grace=GRACE, check=lambda: None, dry_run=dry_run)


@pytest.fixture
def version(copy, camera, repository, keys):
    """digits 1.0.0, whose prefs.json depends on the age band."""
    copy.commit({**GOOD, "task.toml": EXCLUSIVE, "defaults/prefs.json": "{}"})
    copy.tag("digits/1.0.0")
    copy.push("digits", "--tags")
    asked = {"scenario": camera, "task": "digits", "version": "1.0.0", "repository": repository}
    return register_version(actor=SYSTEM, **asked).version


def test_an_artifact_goes_when_it_was_unused_for_the_whole_grace(db):
    digest = artifact_store().put(b"of a refused push").digest
    assert collect()["shared"].waiting == 1
    assert collect(days=6.9)["shared"].deleted == 0
    assert artifact_store().has(digest)
    found = collect(days=7)["shared"]
    assert (found.deleted, found.deleted_bytes, found.waiting) == (1, 17, 0)
    assert not artifact_store().has(digest)
    assert not UnusedArtifact.objects.exists()


def test_however_old_it_is_it_is_kept_until_it_was_seen_unused(db):
    """A device may pull what was replaced a moment ago, and put long before."""
    artifact_store().put(b"an envelope, replaced today")
    assert collect(days=5000)["shared"].deleted == 0
    assert collect(days=5000 + 7)["shared"].deleted == 1


def test_what_is_put_again_meanwhile_begins_anew(db):
    store = artifact_store()
    digest = store.put(b"content").digest
    collect()
    put_again_at(store, digest, START + timedelta(days=6))
    assert collect(days=8)["shared"].deleted == 0
    assert collect(days=13.1)["shared"].deleted == 1


def test_what_is_renewed_while_it_is_looked_at_stays(db, monkeypatch):
    store = artifact_store()
    digest = store.put(b"content").digest
    collect()

    def delete(self, digest, *, unless_since=None):
        put_again_at(store, digest, START + timedelta(days=8))  # a push, between the look and the deletion
        return original(self, digest, unless_since=unless_since)

    original = LocalStore.delete
    monkeypatch.setattr(LocalStore, "delete", delete)
    assert collect(days=8)["shared"].deleted == 0
    assert store.open(digest).read() == b"content"


def put_again_at(store, digest, time):
    os.utime(store.path(digest), (time.timestamp(),) * 2)


def test_a_dry_run_changes_nothing(db):
    artifact_store().put(b"content")
    assert collect(dry_run=True)["shared"].waiting == 1
    assert not UnusedArtifact.objects.exists()
    collect()
    assert collect(days=7, dry_run=True)["shared"].deleted == 1
    assert collect(days=7)["shared"].deleted == 1


def test_what_rows_refer_to_stays(version):
    given = {"path": "prefs.json", "key": "18-25", "content": b"young"}
    variant = upload_variant(actor=SYSTEM, version=version, now=START, **given)
    shared = {file.digest for file in version.files.exclude(digest=None)} | {version.envelope_digest}
    waste = artifact_store().put(b"waste").digest
    replaced = exclusive_store().put(b"replaced").digest
    collect()
    found = collect(days=10)
    assert (found["shared"].used, found["shared"].deleted) == (len(shared), 1)
    assert (found["exclusive"].used, found["exclusive"].deleted) == (1, 1)
    assert all(artifact_store().has(digest) for digest in shared)
    assert exclusive_store().has(variant.digest)
    assert not artifact_store().has(waste)
    assert not exclusive_store().has(replaced)


def test_content_that_was_collected_is_pushed_again(camera, copy, repository):
    """A refused push leaves files; long after they went, the same content comes in a version."""
    commit = copy.commit(GOOD)
    copy.push("digits")
    tree = StoredTree(repository, commit)
    assert check_content(tree).ok
    collect()
    assert collect(days=7)["shared"].deleted > 0
    assert not IngestedBlob.objects.exists()
    assert check_content(StoredTree(repository, commit)).ok
    assert collect(days=8)["shared"].waiting > 0


@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
@given(days=st.lists(st.floats(0, 30), min_size=1, max_size=8).map(sorted))
def test_no_sequence_of_looks_takes_anything_early(db, days):
    UnusedArtifact.objects.all().delete()
    digest = artifact_store().put(b"content").digest
    for day in days:
        gone = collect(days=day)["shared"].deleted
        assert gone == (day - days[0] >= 7)
        if gone:
            break
    else:
        assert artifact_store().has(digest)


def test_what_dead_writers_left_is_swept(db):
    store = artifact_store()
    store.put(b"content")
    (store.root / "incoming" / "half").write_bytes(b"x")
    collect()
    assert not list((store.root / "incoming").iterdir())


def test_the_command_says_what_it_found(db):
    artifact_store().put(b"x" * 1_000_000)
    out = StringIO()
    call_command("collect_artifacts", "--dry-run", stdout=out)
    assert "would be deleted" in out.getvalue()
    assert "1.0" in out.getvalue()


def test_a_job_collects_by_itself():
    assert kind_named("tasks.collect-artifacts").every == timedelta(hours=12)
