"""/api/v1: contents of versions, what changed between two, and their order in a list."""

import io
import tarfile
from hashlib import sha256

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tasks_app.models import Task, TaskVersion
from tasks_app.repository import repository_path
from tests.api.conftest import PERSONAL
from tests.api.contract import PREFIX, problem
from tests.tasks_app.working_copy import GOOD, MAIN
from tests.tasks_app.working_copy import TASK as TASK_FILE
from walle.protocol.interpreters import THIS_INTERPRETER

pytestmark = pytest.mark.django_db

TASK = "tasks/camera/digits"


def download(api, address, /, **query):
    response = api.client.get(PREFIX + address, query)
    assert response.status_code == 200, response.content
    return response, b"".join(response.streaming_content)


def test_a_file_is_a_download_whatever_is_in_it(developer, digits):
    response, content = download(developer, f"{TASK}/versions/1.0.0/files", path="main.py")
    assert content.decode() == MAIN
    headers = {name: response[name] for name in ("Content-Type", "Content-Disposition", "X-Content-Type-Options")}
    assert headers == {
        "Content-Type": "application/octet-stream",
        "Content-Disposition": 'attachment; filename="main.py"',
        "X-Content-Type-Options": "nosniff",
    }
    assert response["Content-Length"] == str(len(MAIN))


def test_other_files_are_not(developer, digits):
    path = f"{TASK}/versions/1.0.0/files"
    assert "exclusive" in problem(developer.get(path, path="prefs.json"), 400, "invalid")["path"]
    problem(developer.get(path, path="../task.toml"), 404, "not-found")
    assert "path" in problem(developer.get(path), 400, "invalid")


def test_a_version_comes_back_as_an_archive(developer, digits):
    response, content = download(developer, f"{TASK}/versions/1.0.0/archive")
    assert response["Content-Disposition"] == 'attachment; filename="digits-1.0.0.tar.gz"'
    assert unpacked(content) == {
        name: text if isinstance(text, bytes) else text.encode() for name, text in PERSONAL.items()
    }


def test_samples_that_do_not_travel_come_beside_for_who_asks_as_long_as_git_has_them(
    developer, register, tmp_path, settings
):
    task = TASK_FILE.replace("input = { number = 1 }", 'input = "samples/one.json"')
    files = {
        **GOOD,
        "task.toml": task + '[files]\nexclude = ["samples/**", "notes.txt"]\n',
        "samples/one.json": '{"number": 1}',
        "notes.txt": "travels with nobody",
    }
    register("2.0.0", files=files)
    address = f"{TASK}/versions/2.0.0/archive"
    installed, asked = (unpacked(download(developer, address, **query)[1]) for query in ({}, {"samples": "true"}))
    assert asked == {**installed, "samples/one.json": b'{"number": 1}'}
    settings.WALLE_GIT_DIR = tmp_path / "nowhere"
    assert unpacked(download(developer, address, samples="true")[1]) == installed


HIDING = {
    ".gitattributes": "hidden.py export-ignore\nmain.py export-subst ident\n*.toml text eol=crlf\n",
    "hidden.py": "# in no archive of git's\n",
    "main.py": "# $Format:%H$ $Id$\nimport hidden\n" + MAIN,
}


def test_an_archive_is_what_ships_whatever_attributes_the_version_has(developer, register):
    (version,) = register("2.0.0", files=HIDING)
    _, content = download(developer, f"{TASK}/versions/2.0.0/archive")
    shipped = {file.path: file.digest for file in version.files.filter(kind="shared")}
    assert {path: sha256(data).hexdigest() for path, data in unpacked(content).items()} == shipped
    assert "hidden.py" in shipped
    assert download(developer, f"{TASK}/versions/2.0.0/archive")[1] == content


def test_of_bytecode_the_registered_source_is_read(developer, register):
    register("2.0.0", files={**GOOD, "task.toml": f"{TASK_FILE}[files]\nsource = false\n"})
    version = developer.get(f"{TASK}/versions/2.0.0").data
    assert version["interpreter"] == version["manifest"]["bytecode"]["interpreter"] == THIS_INTERPRETER
    kinds = {file["path"]: file["kind"] for file in version["files"]}
    assert (kinds["main.py"], kinds["main.pyc"]) == ("source", "shared")
    response, content = download(developer, f"{TASK}/versions/2.0.0/files", path="main.py")
    assert content.decode() == MAIN
    assert response["Content-Length"] == str(len(MAIN))
    address = f"{TASK}/versions/2.0.0/archive"
    installed, registered = (unpacked(download(developer, address, **asked)[1]) for asked in ({}, {"source": "true"}))
    assert installed.keys() ^ registered.keys() == {"main.py", "main.pyc"}
    assert registered["main.py"].decode() == MAIN


def unpacked(content):
    """The files of a tar.gz, all of which have the mode that files have on devices."""
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        infos = list(archive)
        assert {(info.type, info.mode, info.uid, info.gid) for info in infos} == {(tarfile.REGTYPE, 0o444, 0, 0)}
        return {info.name: archive.extractfile(info).read() for info in infos}


@pytest.fixture
def changed(register):
    """Two versions of camera/digits: text and binary files added and changed, and a limit."""
    (old,) = register("1.0.0")
    files = {
        "model.bin": b"\0other",
        "defaults/prefs.json": '{"a": 1}',
        "big.txt": "x\n" * 200_000,
        "main.py": MAIN.replace("2 *", "3 *"),
        "new.txt": "one\ntwo\n",
        "task.toml": PERSONAL["task.toml"] + "\n[limits]\ntime_ms = 500\n",
    }
    (new,) = register("1.1.0", files=files)
    return old, new


def test_a_diff_shows_texts_and_says_what_it_leaves_out(developer, changed):
    diff = developer.get(f"{TASK}/versions/1.1.0/diff").json()
    assert (diff["task"], diff["base"], diff["version"]) == ("camera/digits", "1.0.0", "1.1.0")
    files = {file["path"]: file for file in diff["files"]}
    main = files["main.py"]
    assert main["change"] == "changed"
    assert (
        "-    return {'double': 2 * inputs['number']}\n+    return {'double': 3 * inputs['number']}\n" in main["diff"]
    )
    assert files["new.txt"]["diff"] == "--- new.txt\n+++ new.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n"
    assert (files["new.txt"]["change"], files["new.txt"]["old"]) == ("added", None)
    assert "\\ No newline at end of file" in files["defaults/prefs.json"]["diff"]
    assert {path: file["omitted"] for path, file in files.items() if file["omitted"]} == {
        "model.bin": "binary",
        "big.txt": "too-large",
    }
    assert files["model.bin"]["new"]["digest"] != files["model.bin"]["old"]["digest"]
    assert {"field": "limits.time_ms", "old": 1000, "new": 500} in [
        {**field, "old": 1000} if field["field"] == "limits.time_ms" else field for field in diff["fields"]
    ]


def test_a_diff_says_which_commits_came_and_went(developer, changed):
    _, new = changed
    there = developer.get(f"{TASK}/versions/1.1.0/diff").json()
    back = developer.get(f"{TASK}/versions/1.0.0/diff", base="1.1.0").json()
    assert [each["commit"] for each in there["commits"]] == [new.commit]
    assert there["commits"][0]["subject"]
    assert (there["dropped_commits"], back["commits"]) == ([], [])
    assert back["dropped_commits"] == there["commits"]
    (repository_path("camera") / "HEAD").unlink()
    lost = developer.get(f"{TASK}/versions/1.1.0/diff").json()
    assert (lost["commits"], lost["dropped_commits"]) == (None, None)
    assert lost["files"] == there["files"]


def test_a_diff_goes_both_ways_and_asks_as_often_for_any_number_of_files(developer, changed):
    back = developer.get(f"{TASK}/versions/1.0.0/diff", base="1.1.0").json()
    assert {file["path"]: file["change"] for file in back["files"]}["new.txt"] == "removed"
    counts = []
    for version, base in (("1.1.0", "1.0.0"), ("1.1.0", "1.1.0")):
        with CaptureQueriesContext(connection) as captured:
            developer.get(f"{TASK}/versions/{version}/diff", base=base)
        counts.append(len(captured))
    assert counts[0] == counts[1]
    assert "none below" in problem(developer.get(f"{TASK}/versions/1.0.0/diff"), 400, "invalid")["base"]
    assert "base" in problem(developer.get(f"{TASK}/versions/1.0.0/diff", base="9.9.9"), 400, "invalid")


def test_versions_are_paged_in_their_order_by_the_database(developer, register):
    versions = ["1.0.0", "1.0.0-rc.2", "1.0.0-rc.10", "1.10.0", "1.9.0", "2.0.0-alpha", "1.0.0+b"]
    register(*versions)
    expected = ["2.0.0-alpha", "1.10.0", "1.9.0", "1.0.0+b", "1.0.0", "1.0.0-rc.10", "1.0.0-rc.2"]
    pages = developer.pages(f"{TASK}/versions", limit=2)
    assert [row["version"] for page in pages for row in page] == expected
    with CaptureQueriesContext(connection) as captured:
        developer.get(f"{TASK}/versions", limit=2)
    assert any("ORDER BY" in query["sql"] and "LIMIT 3" in query["sql"] for query in captured.captured_queries)
    assert TaskVersion.objects.count() == 7


def test_scenarios_and_tasks_are_found_by_what_they_are_called(developer, staff, digits):
    Task.objects.create(scenario=digits.task.scenario, slug="faces")
    assert [row["slug"] for row in developer.results("scenarios", q="SEES")] == ["camera"]
    assert developer.results("scenarios", q="voice") == []
    assert {row["name"] for row in developer.results("tasks")} == {"camera/digits", "camera/faces"}
    assert [row["name"] for row in developer.results("tasks", q="era/dig")] == ["camera/digits"]
    assert developer.results("tasks", scenario="other") == []
    staff.post(f"{TASK}/retire")
    assert [row["name"] for row in developer.results("tasks", retired="true")] == ["camera/digits"]
    assert [row["name"] for row in developer.results("scenarios/camera/tasks", retired="false")] == ["camera/faces"]
    assert "retire" in problem(developer.get("tasks", retire="true"), 400, "invalid")
