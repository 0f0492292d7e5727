"""Versions that declare models, from a tag to what devices get and what is known of them."""

import pytest

from accounts_app.actors import SYSTEM
from tasks_app.api.serializers import TaskVersionDetailSerializer
from tasks_app.exceptions import VersionRefused
from tasks_app.models import FileKind
from tasks_app.services.bundles import lay_out
from tasks_app.services.content import artifact_store
from tasks_app.services.registration import register_version
from tests.bundle.test_models import net
from tests.tasks_app.working_copy import GOOD, TASK
from walle.artifacts import ArtifactMissing
from walle.bundle.bytecode import SourceFile
from walle.protocol.documents import Manifest
from walle_task.tensor import load

pytestmark = pytest.mark.django_db
DECLARED = """
[requires]
runtime = ">=1.3.0"
modules = ["numpy"]
[models.net]
file = "net.onnx"
shapes = { x = [2, 8] }
"""


@pytest.fixture
def register(camera, repository, copy, keys):
    """Register camera/digits 1.0.0 with a model, pushed past the hooks; return the row."""

    def call(model):
        copy.commit({**GOOD, "task.toml": TASK + DECLARED, "net.onnx": model})
        copy.tag("digits/1.0.0")
        copy.push("digits", "--tags")
        names = {"scenario": camera, "task": "digits", "version": "1.0.0"}
        return register_version(actor=SYSTEM, repository=repository, **names).version

    return call


def test_devices_get_the_imported_model_and_its_source_stays_in_git(register, tmp_path):
    row = register(net())
    manifest = Manifest.from_payload(bytes(row.manifest))
    assert [file.path for file in manifest.files] == ["main.py", "model.bin", "net.walle", "task.toml"]
    assert manifest.values["models"]["net"]["file"] == "net.walle"
    lay_out(row, tmp_path / "bundle")
    assert load(tmp_path / "bundle" / "net.walle").operators == {"matmul": 1, "relu": 1}
    (source,) = row.files.filter(kind=FileKind.SOURCE)
    assert (source.path, source.digest) == ("net.onnx", SourceFile.of("net.onnx", net()).digest)
    with pytest.raises(ArtifactMissing):
        artifact_store().open(source.digest)


def test_how_a_model_will_run_is_known_of_its_version(register):
    (found,) = TaskVersionDetailSerializer(register(net())).data["models"]
    assert (found["name"], found["file"], found["mode"]) == ("net", "net.walle", "session")
    assert found["memory"]["planned"] <= found["memory"]["naive"]
    assert [each["performance"] for each in found["classes"]] == ["low", "mid", "high"]
    assert {"walle", "onnxruntime", "mnn"} <= {each["backend"] for each in found["classes"][0]["backends"]}
    assert sum(each["share"] for each in found["profile"]) == pytest.approx(1, abs=0.01)


def test_a_model_that_cannot_be_imported_is_no_version(register):
    with pytest.raises(VersionRefused, match=r"net.onnx.*found Unique in end"):
        register(net(last="Unique"))
