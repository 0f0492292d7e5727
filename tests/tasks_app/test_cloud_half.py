"""Versions with a cloud half, from a tag to a folder where it can be called: devices get nothing of it."""

import io
import tarfile

import pytest

from accounts_app.actors import SYSTEM
from tasks_app.models import FileKind
from tasks_app.selectors.catalogue import diff_versions
from tasks_app.selectors.content import archive_of, artifact_store, content_of, file_of
from tasks_app.services.bundles import lay_out, lay_out_cloud
from tasks_app.services.registration import register_version
from tests.tasks_app.working_copy import GOOD, TASK
from walle.artifacts import ArtifactMissing
from walle.container.cloud_half import CloudHalf
from walle.protocol.documents import Manifest

pytestmark = pytest.mark.django_db

ANSWER = "def answer(features):\n    return [{'next': each['double'] + 1} for each in features]\n"
TOML = f"""{TASK}
[upload]
answer_s = 2

[cloud]
main = "cloud/next.py"
time_ms = 400
"""
ANSWERED = {**GOOD, "task.toml": TOML, "cloud/next.py": ANSWER, "cloud/data/steps.json": "[1]"}


@pytest.fixture
def register(camera, repository, copy, keys):
    """Commits files, pushes them under a tag past the hooks and registers the version; its row."""

    def call(version, files):
        copy.commit({**files, "task.toml": f"{files['task.toml']}# {version}\n"})
        copy.tag(f"digits/{version}")
        copy.push("digits", "--tags")
        names = {"scenario": camera, "task": "digits", "version": version}
        return register_version(actor=SYSTEM, repository=repository, **names).version

    return call


def unpacked(archive):
    with tarfile.open(fileobj=io.BytesIO(b"".join(archive))) as tar:
        return sorted(tar.getnames())


def test_devices_get_nothing_of_the_cloud_half(register, tmp_path):
    row = register("1.0.0", ANSWERED)
    manifest = Manifest.from_payload(bytes(row.manifest))
    assert [file.path for file in manifest.files] == ["main.py", "model.bin", "task.toml"]
    assert row.total_size == sum(file.size for file in manifest.files)
    lay_out(row, tmp_path / "bundle")
    assert not (tmp_path / "bundle" / "cloud").exists()
    with pytest.raises(ArtifactMissing):
        artifact_store().open(file_of(row, "cloud/next.py").digest)


def test_reviewers_read_it_and_get_it_with_the_samples(register):
    row = register("1.0.0", ANSWERED)
    file = file_of(row, "cloud/next.py")
    assert (file.kind, file.size, b"".join(content_of(file)).decode()) == (FileKind.CLOUD, len(ANSWER), ANSWER)
    assert unpacked(archive_of(row)) == ["main.py", "model.bin", "task.toml"]
    assert unpacked(archive_of(row, cloud=True))[:2] == ["cloud/data/steps.json", "cloud/next.py"]


def test_a_change_of_the_cloud_half_alone_is_shown(register):
    old = register("1.0.0", ANSWERED)
    new = register("1.1.0", {**ANSWERED, "cloud/next.py": ANSWER.replace("+ 1", "+ 2")})
    changed = [change.path for change in diff_versions(old, new).files]
    assert changed == ["cloud/next.py", "task.toml"]


def test_it_is_laid_out_to_be_called(register, tmp_path):
    row = register("1.0.0", ANSWERED)
    half = lay_out_cloud(row, tmp_path)
    assert half == CloudHalf("cloud/next.py", time_ms=400)
    assert (tmp_path / "cloud" / "next.py").read_text() == ANSWER
    assert (tmp_path / "cloud" / "data" / "steps.json").read_text() == "[1]"


def test_other_versions_have_none(register):
    assert register("1.0.0", GOOD).cloud is None
