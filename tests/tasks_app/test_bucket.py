"""The way of a version with artifacts in an S3 bucket: registered on one machine, laid out on another."""

from hashlib import sha256
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts_app.actors import SYSTEM
from devices_app.stores import artifact_store, exclusive_store
from tasks_app.services.bundles import lay_out
from tasks_app.services.registration import register_version
from tasks_app.services.variants import upload_variant
from tests.artifacts.s3_server import ACCESS, BUCKET, SECRET, s3_server
from tests.tasks_app.working_copy import EXCLUSIVE, GOOD
from walle.artifacts import LocalStore
from walle.artifacts.s3 import S3Store

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with s3_server(tmp_path_factory.mktemp("s3")) as found:
        yield found


@pytest.fixture
def bucket(server, settings, monkeypatch, tmp_path):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    settings.WALLE_S3_BUCKET, settings.WALLE_S3_ENDPOINT = BUCKET, server.endpoint
    settings.WALLE_S3_PREFIX, settings.WALLE_S3_REGION = f"{tmp_path.name}/", "us-east-1"
    settings.WALLE_CACHE_DIR = tmp_path / "cache"
    return server.objects / tmp_path.name


@pytest.fixture
def register(copy, camera, repository, keys):
    def call():
        copy.commit({**GOOD, "task.toml": EXCLUSIVE.replace('default = "defaults/prefs.json"\n', "")})
        copy.tag("digits/1.0.0")
        copy.push("digits", "--tags")
        asked = {"scenario": camera, "task": "digits", "version": "1.0.0", "repository": repository}
        return register_version(actor=SYSTEM, **asked).version

    return call


def test_a_version_lives_in_a_bucket(bucket, register, settings, tmp_path):
    version = register()
    given = {"path": "prefs.json", "key": "18-25", "content": b"young", "now": timezone.now()}
    variant = upload_variant(actor=SYSTEM, version=version, **given)
    shared = {file.digest for file in version.files.exclude(digest=None)} | {version.envelope_digest}
    assert {path.name for path in (bucket / "artifacts").iterdir()} == shared
    assert [path.name for path in (bucket / "exclusive").iterdir()] == [variant.digest]
    assert not settings.WALLE_ARTIFACTS_DIR.exists()

    settings.WALLE_CACHE_DIR = tmp_path / "another machine"
    lay_out(version, tmp_path / "bundle")
    for file in version.files.exclude(digest=None):
        assert sha256((tmp_path / "bundle" / file.path).read_bytes()).hexdigest() == file.digest
    assert (tmp_path / "bundle" / "prefs.json").read_bytes() == b"young"


def test_folders_are_copied_to_the_bucket(bucket, settings):
    names = [f"content {number}".encode() for number in range(5)]
    digests = sorted(LocalStore(settings.WALLE_ARTIFACTS_DIR).put(name).digest for name in names)
    secret = LocalStore(settings.WALLE_EXCLUSIVE_DIR).put(b"personal").digest
    assert "5 copied" in copied()
    assert "5 were there already" in copied()
    assert [kept.digest for kept in artifact_store().iterate()] == digests
    assert [kept.digest for kept in exclusive_store().iterate()] == [secret]
    assert not artifact_store().has(secret)


def copied():
    out = StringIO()
    call_command("copy_artifacts", "--quiet", stdout=out)
    return out.getvalue()


def test_copying_needs_a_bucket():
    with pytest.raises(CommandError, match="WALLE_S3_BUCKET is not set"):
        copied()


def test_copying_says_what_stopped_it(bucket, settings):
    LocalStore(settings.WALLE_ARTIFACTS_DIR).put(b"content")
    settings.WALLE_S3_BUCKET = "lost"
    with pytest.raises(CommandError, match=r"NoSuchBucket.*\n.*run the command again"):
        copied()


def test_without_a_bucket_nothing_is_remote(settings):
    assert isinstance(artifact_store(), LocalStore)
    settings.WALLE_S3_BUCKET = "walle"
    assert isinstance(artifact_store(), S3Store)
