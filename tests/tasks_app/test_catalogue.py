"""Reading versions: their order, their files, and what changed between two of them."""

import pytest

from accounts_app.actors import SYSTEM
from tasks_app.models import Task, TaskVersion
from tasks_app.selectors.catalogue import (
    FieldChange,
    diff_versions,
    files_of,
    latest_version,
    manifest_of,
    version_by_manifest,
    version_of,
    versions_of,
)
from tasks_app.services.registration import register_version
from tests.tasks_app.working_copy import EXCLUSIVE, GOOD, MAIN, TASK

pytestmark = pytest.mark.django_db


@pytest.fixture
def release(copy, camera, repository, keys):
    """Commits files, tags and registers them as a version of digits."""

    def call(version, files):
        copy.commit(files)
        copy.tag(f"digits/{version}")
        copy.push("digits", "--tags")
        asked = {"scenario": camera, "task": "digits", "version": version, "repository": repository}
        return register_version(actor=SYSTEM, **asked).version

    return call


def test_versions_come_highest_first_by_meaning_not_by_text(release, django_assert_num_queries):
    for version in ("1.9.0", "1.10.0", "2.0.0-rc.1", "1.2.0"):
        release(version, GOOD)
    task = Task.objects.get()
    with django_assert_num_queries(1):
        rows = versions_of(task)
        assert [row.version for row in rows] == ["2.0.0-rc.1", "1.10.0", "1.9.0", "1.2.0"]
        assert {str(row) for row in rows} > {"camera/digits 1.2.0"}
    assert latest_version(task).version == "1.10.0"


def test_the_latest_may_be_a_pre_release_or_missing(release, camera):
    assert latest_version(Task.objects.create(scenario=camera, slug="faces")) is None
    release("0.1.0-alpha", GOOD)
    assert latest_version(Task.objects.get(slug="digits")).version == "0.1.0-alpha"


def test_one_version_is_found_by_name_and_by_manifest(release):
    row = release("1.0.0", GOOD)
    assert version_of(row.task, "1.0.0") == version_by_manifest(row.manifest_digest) == row
    assert manifest_of(row)["scenario"] == "camera"
    assert [(file.path, file.variant_count) for file in files_of(row)] == [
        ("main.py", 0),
        ("model.bin", 0),
        ("task.toml", 0),
    ]
    with pytest.raises(TaskVersion.DoesNotExist):
        version_of(row.task, "9.0.0")


def test_a_diff_lists_files_and_fields(release):
    old = release("1.0.0", GOOD)
    changed = TASK.replace("every_s = 5", "every_s = 9") + "[limits]\ntime_ms = 100\n"
    new = release("1.1.0", {"main.py": MAIN + "# new\n", "task.toml": changed, "added.txt": "y"})
    diff = diff_versions(old, new)
    assert [(change.path, change.kind) for change in diff.files] == [
        ("added.txt", "added"),
        ("main.py", "changed"),
        ("task.toml", "changed"),
    ]
    assert diff.fields == (FieldChange("limits.time_ms", 2000, 100), FieldChange("trigger.every_s", 5, 9))
    back = diff_versions(new, old)
    assert (back.files[0].path, back.files[0].kind) == ("added.txt", "removed")


def test_a_diff_of_the_same_content_is_empty(release):
    assert diff_versions(release("1.0.0", GOOD), release("1.0.1", {})) == diff_versions(
        version_of(Task.objects.get(), "1.0.0"), version_of(Task.objects.get(), "1.0.0")
    )


def test_becoming_exclusive_is_a_change(release):
    old = release("1.0.0", {**GOOD, "prefs.json": "{}", "defaults/prefs.json": "{}"})
    new = release("1.1.0", {"task.toml": EXCLUSIVE.replace('"README.md"', '"README.md", "prefs.json"')})
    changes = {change.path: change for change in diff_versions(old, new).files}
    assert (changes["prefs.json"].old.kind, changes["prefs.json"].new.kind) == ("shared", "exclusive")
