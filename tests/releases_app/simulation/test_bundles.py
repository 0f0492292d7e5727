"""A version's files as an installed bundle has them, and its samples."""

import pytest

from accounts_app.actors import SYSTEM
from tasks_app.services.bundles import lay_out, samples_of
from tasks_app.services.content import artifact_store
from tasks_app.services.variants import upload_variant
from tests.releases_app.simulation.running import NOW
from tests.tasks_app.working_copy import EXCLUSIVE, GOOD, MAIN, TASK

pytestmark = pytest.mark.django_db


def test_a_bundle_is_laid_out_as_devices_have_it(register, tmp_path):
    version = register({**GOOD, "task.toml": EXCLUSIVE, "defaults/prefs.json": "{}", "README.md": "x"})
    folder = tmp_path / "bundle"
    lay_out(version, folder)
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert set(found) == {"task.toml", "main.py", "model.bin", "extra.txt", "defaults/prefs.json"}
    assert found["main.py"] == MAIN.encode()
    digest = version.files.get(path="main.py").digest
    assert (folder / "main.py").stat().st_ino != artifact_store().path(digest).stat().st_ino


def test_a_file_without_a_default_has_its_first_variant(register, tmp_path):
    files = {**GOOD, "task.toml": EXCLUSIVE.replace('default = "defaults/prefs.json"\n', "")}
    version = register(files)
    lay_out(version, tmp_path / "none")
    assert not (tmp_path / "none" / "prefs.json").exists()
    for key in ("30-49", "18-29"):
        upload_variant(actor=SYSTEM, version=version, path="prefs.json", key=key, content=key.encode(), now=NOW)
    lay_out(version, tmp_path / "some")
    assert (tmp_path / "some" / "prefs.json").read_text() == "18-29"


def test_samples_that_do_not_travel_are_found(register):
    toml = TASK.replace("input = { number = 1 }", 'input = "samples/one.json"') + '[files]\nexclude = ["samples/**"]\n'
    version = register({**GOOD, "task.toml": toml, "samples/one.json": '{"number": 1}'})
    [sample] = samples_of(version)
    assert (sample.name, sample.inputs, sample.expect) == ("one", {"number": 1}, {"double": {"equals": 2}})
    assert not version.files.filter(path__startswith="samples").exists()
