"""Versions that ship bytecode, from a tag to a table: what devices get, what reviewers read, who is offered it."""

import io
import tarfile
from hashlib import sha256

import pytest

from accounts_app.actors import SYSTEM
from devices_app.selectors.explanation import explanations
from devices_app.selectors.tables import newest_table
from releases_app.services.supersession import covered
from tasks_app.exceptions import VersionRefused
from tasks_app.models import FileKind, IngestedBlob
from tasks_app.repository import RepositoryError
from tasks_app.selectors.catalogue import diff_versions
from tasks_app.selectors.content import archive_of, content_of, file_of
from tasks_app.selectors.diffs import diff_with_texts
from tasks_app.services.bundles import lay_out
from tasks_app.services.content import StoredTree, artifact_store, check_content
from tasks_app.services.registration import register_version
from tests.releases_app.trials import NOW
from tests.support.fleet import make_device
from tests.support.releases import draft_of, move_on
from tests.tasks_app.working_copy import EXCLUSIVE, GOOD, MAIN, TASK
from walle.artifacts import ArtifactMissing
from walle.protocol.documents import Manifest
from walle.protocol.interpreters import THIS_INTERPRETER
from walle.release.states import ReleaseState

pytestmark = pytest.mark.django_db

SHIPPED = {**GOOD, "task.toml": f"{TASK}[files]\nsource = false\n"}


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


def manifest_of(row):
    return Manifest.from_payload(bytes(row.manifest))


def test_devices_get_bytecode_in_the_place_of_sources(register, tmp_path):
    row = register("1.0.0", SHIPPED)
    manifest = manifest_of(row)
    assert row.interpreter == manifest.interpreter == THIS_INTERPRETER
    digest = sha256(MAIN.encode()).hexdigest()
    assert manifest.values["bytecode"]["source"] == sha256(f"{digest}  main.py\n".encode()).hexdigest()
    assert [file.path for file in manifest.files] == ["main.pyc", "model.bin", "task.toml"]
    assert row.total_size == sum(file.size or 0 for file in manifest.files)
    lay_out(row, tmp_path / "bundle")
    laid_out = {path.name: path.read_bytes() for path in (tmp_path / "bundle").iterdir()}
    assert sorted(laid_out) == ["main.pyc", "model.bin", "task.toml"]
    assert sha256(laid_out["main.pyc"]).hexdigest() == manifest.files[0].digest


def test_sources_that_are_not_shipped_cannot_be_had_by_their_digest(register):
    register("1.0.0", SHIPPED)
    digest = sha256(MAIN.encode()).hexdigest()
    assert not IngestedBlob.objects.filter(digest=digest).exists()
    with pytest.raises(ArtifactMissing):
        artifact_store().open(digest)


def test_the_same_source_gives_the_same_bytes_in_every_version(register, camera, repository):
    first, second = register("1.0.0", SHIPPED), register("1.1.0", SHIPPED)
    assert manifest_of(first).files[0] == manifest_of(second).files[0]
    again = register_version(actor=SYSTEM, scenario=camera, task="digits", version="1.0.0", repository=repository)
    assert (again.created, again.version, again.file_count) == (False, first, 3)


def test_a_version_that_ships_its_source_says_nothing_of_bytecode(register):
    row = register("1.0.0", GOOD)
    assert row.interpreter == ""
    assert "bytecode" not in manifest_of(row).values
    assert set(row.files.values_list("kind", flat=True)) == {"shared"}


def test_reviewers_read_the_registered_source(register):
    row = register("1.0.0", SHIPPED)
    source = file_of(row, "main.py")
    assert (source.kind, source.size) == (FileKind.SOURCE, len(MAIN))
    assert b"".join(content_of(source)).decode() == MAIN
    assert sorted(unpacked(archive_of(row))) == ["main.pyc", "model.bin", "task.toml"]
    assert unpacked(archive_of(row, source=True))["main.py"].decode() == MAIN


def test_a_source_that_git_does_not_have_as_it_was_registered_is_not_shown(register):
    row = register("1.0.0", SHIPPED)
    source = file_of(row, "main.py")
    source.path = "model.bin"
    with pytest.raises(RepositoryError, match=r"expected model.bin of camera/digits 1.0.0 as it was registered"):
        content_of(source)


def test_changes_are_shown_as_changes_of_the_source(register):
    changed = MAIN.replace("2 *", "3 *")
    old, new = register("1.0.0", GOOD), register("1.1.0", {**SHIPPED, "main.py": changed})
    newest = register("1.2.0", SHIPPED)
    files = {change.path: change for change in diff_with_texts(old, new).files}
    assert sorted(files) == ["main.py", "task.toml"]
    assert "+    return {'double': 3 * inputs['number']}" in (files["main.py"].diff or "")
    assert "+    return {'double': 2 * inputs['number']}" in (diff_with_texts(new, newest).files[0].diff or "")
    assert {change.path for change in diff_versions(new, newest).files} == {"main.py", "task.toml"}


def test_an_interpreter_that_is_not_here_is_refused(register):
    toml = f'{TASK}[files]\nsource = false\ninterpreter = "cpython-399"\n'
    with pytest.raises(VersionRefused, match=f"expected an interpreter that is present here, .*{THIS_INTERPRETER}"):
        register("1.0.0", {**GOOD, "task.toml": toml})


def test_an_interpreter_is_found_where_the_operator_says(register, settings, tmp_path):
    named = tmp_path / "python"
    named.write_text(f"#!/bin/sh\ntouch {tmp_path}/asked\nexec /usr/bin/env false\n")
    named.chmod(0o755)
    settings.WALLE_INTERPRETERS = {"cpython-399": str(named)}
    toml = f'{TASK}[files]\nsource = false\ninterpreter = "cpython-399"\n'
    with pytest.raises(VersionRefused):
        register("1.0.0", {**GOOD, "task.toml": toml})
    assert (tmp_path / "asked").exists()


def test_exclusive_files_stay_what_they_are(register):
    toml = EXCLUSIVE.replace("[files]", "[files]\nsource = false")
    row = register("1.0.0", {**GOOD, "task.toml": toml, "defaults/prefs.json": "{}"})
    kinds = dict(row.files.values_list("path", "kind"))
    assert (kinds["prefs.json"], kinds["main.py"], kinds["main.pyc"]) == ("exclusive", "source", "shared")


def test_only_devices_with_the_interpreter_are_offered_it_and_others_keep_what_was_before(register, shop, camera):
    before = draft_of(shop, register("1.0.0", GOOD), now=NOW)
    move_on(before, "start", now=NOW)
    release = draft_of(shop, register("1.1.0", SHIPPED), now=NOW)
    move_on(release, "start", now=NOW)
    table, _ = newest_table(shop)
    assert [entry.interpreter for entry in table.entries] == [THIS_INTERPRETER, None]
    (having,) = explanations(make_device(shop, "d-1", interpreter=THIS_INTERPRETER), now=NOW).results
    (other,) = explanations(make_device(shop, "d-2", interpreter="cpython-399"), now=NOW).results
    (silent,) = explanations(make_device(shop, "d-3"), now=NOW).results
    assert (having.change, having.release) == ("install", release.pk)
    why = f"its bytecode is for {THIS_INTERPRETER}, and the device"
    assert other.considered[0].reason == f"{why} has cpython-399"
    assert silent.considered[0].reason == f"{why} does not say its interpreter"


def test_bytecode_does_not_supersede_what_it_leaves_devices_with(register, shop):
    versions = [register("1.0.0", GOOD), register("1.1.0", SHIPPED), register("1.2.0", GOOD)]
    source, bytecode, newest = (draft_of(shop, version, now=NOW) for version in versions)
    assert covered(bytecode, [ReleaseState.DRAFT]) == []
    assert covered(newest, [ReleaseState.DRAFT]) == [bytecode, source]


def unpacked(archive):
    with tarfile.open(fileobj=io.BytesIO(b"".join(archive)), mode="r:gz") as files:
        return {member.name: files.extractfile(member).read() for member in files}


def test_sources_of_a_push_are_compiled_in_another_process(copy, repository, monkeypatch):
    monkeypatch.setattr("walle.bundle.sources.compile", lambda *_, **__: pytest.fail("in this one"), raising=False)
    commit = copy.commit(GOOD | {"helper.py": "x = 1\nreturn x\n"})
    copy.push("digits")
    [problem] = check_content(StoredTree(repository, commit)).problems
    assert problem.text == "helper.py:2: expected Python that compiles, found 'return' outside function"
