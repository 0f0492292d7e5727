"""/api/v1/tasks/{scenario}/{task}: versions with files and manifest, and retiring the task."""

import pytest

from tasks_app.selectors.catalogue import manifest_of
from tests.api.contract import problem

pytestmark = pytest.mark.django_db

TASK = "tasks/camera/digits"


def test_versions_are_listed_by_precedence(developer, register):
    register("1.2.0", "1.10.0", "1.10.0-rc.1", "1.9.0")
    found = developer.pages(f"{TASK}/versions", limit=3)
    assert [[row["version"] for row in page] for page in found] == [["1.10.0", "1.10.0-rc.1", "1.9.0"], ["1.2.0"]]


def test_a_cursor_that_no_list_gave_is_refused(developer, digits):
    problem(developer.get(f"{TASK}/versions", cursor="1.0.0"), 400, "invalid")


def test_a_version_shows_its_files_and_manifest(developer, digits):
    shown = developer.get(f"{TASK}/versions/1.0.0").json()
    assert (shown["task"], shown["tag"], shown["commit"]) == ("camera/digits", "digits/1.0.0", digits.commit)
    assert shown["manifest"] == manifest_of(digits)
    assert shown["manifest_digest"] == digits.manifest_digest
    files = {file["path"]: file for file in shown["files"]}
    assert set(files) == {"task.toml", "main.py", "model.bin", "defaults/prefs.json", "prefs.json"}
    assert (files["model.bin"]["kind"], files["model.bin"]["size"]) == ("shared", 1200)
    prefs = files["prefs.json"]
    assert (prefs["kind"], prefs["template"], prefs["default"], prefs["digest"], prefs["variant_count"]) == (
        "exclusive", "{age_band}", "defaults/prefs.json", None, 0,
    )  # fmt: skip


def test_a_version_with_a_build_has_an_address(developer, register):
    register("1.0.0+build.7")
    assert developer.get(f"{TASK}/versions/1.0.0+build.7").json()["version"] == "1.0.0+build.7"


def test_what_does_not_exist_or_is_not_yours_is_not_found(developer, nobody, digits):
    problem(developer.get(f"{TASK}/versions/9.9.9"), 404, "not-found")
    problem(developer.get("tasks/camera/letters"), 404, "not-found")
    problem(nobody.get(f"{TASK}/versions/1.0.0"), 404, "not-found")
    problem(nobody.get(f"{TASK}/versions"), 404, "not-found")


def test_the_releaser_retires_a_task_and_takes_it_back(releaser, digits):
    retired = releaser.post(f"{TASK}/retire").json()
    assert retired["retired_at"]
    assert releaser.post(f"{TASK}/retire").json() == retired
    assert releaser.post(f"{TASK}/unretire").json()["retired_at"] is None


def test_a_developer_does_not_retire(developer, digits):
    problem(developer.post(f"{TASK}/retire"), 403, "not-allowed")
    problem(developer.post(f"{TASK}/unretire"), 403, "not-allowed")
