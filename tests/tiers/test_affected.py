"""Which tests a change can affect, by the imports of this very project and by a history of git."""

import subprocess

import pytest

from tests.tiers.affected import affected_files, changed_files


def test_tests_that_import_a_changed_module_at_any_distance_are_affected():
    found = affected_files({"walle/container/worker/tensors.py"})
    assert {"tests/container/test_vm.py", "tests/device/test_command_line.py"} <= found
    assert "tests/webhooks/test_signatures.py" not in found


def test_fixtures_affect_the_tests_in_their_folder():
    assert "tests/container/test_uids.py" in affected_files({"tests/container/conftest.py"})


@pytest.mark.processes
def test_tests_that_read_a_changed_file_are_affected():
    assert "tests/bundle/test_task_format_doc.py" in affected_files({"docs/task-format.md"})
    assert affected_files({"docs/read-by-this-alone.md"}) == {"tests/tiers/test_affected.py"}


def test_a_changed_test_is_affected_itself():
    assert affected_files({"tests/tiers/test_affected.py"}) == {"tests/tiers/test_affected.py"}
    assert affected_files({"walle/gone.py"}) == set()


@pytest.mark.processes
def test_what_is_committed_beyond_upstream_and_what_is_not_committed_has_changed(tmp_path):
    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(("git", *identity, *arguments), cwd=tmp_path / "clone", check=True, capture_output=True)

    def commit(name: str) -> None:
        (tmp_path / "clone" / name).write_text("")
        git("add", name)
        git("commit", "-m", name)

    (tmp_path / "clone").mkdir()
    git("init", "-b", "main")
    commit("first.py")
    assert changed_files(tmp_path / "clone") == set()
    commit("second.py")
    (tmp_path / "clone" / "new.py").write_text("")
    assert changed_files(tmp_path / "clone") == {"second.py", "new.py"}
    git("update-ref", "refs/remotes/origin/HEAD", "HEAD~1")
    commit("third.py")
    assert changed_files(tmp_path / "clone") == {"second.py", "third.py", "new.py"}
