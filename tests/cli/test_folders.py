"""A folder is checked and uploaded as git would push it."""

from __future__ import annotations

import subprocess

import pytest

from tests.tasks_app.working_copy import WorkingCopy
from walle.bundle.archive import ArchiveTree
from walle.bundle.validation import validate_tree
from walle.cli.errors import WrongUsage
from walle.cli.folders import folder_tree
from walle.cli.packing import packed, unpack

pytestmark = pytest.mark.processes


def paths(folder):
    return sorted(entry.path for entry in folder_tree(folder).entries())


def test_without_git_it_is_all_files(folder):
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "main.pyc").write_text("")
    assert paths(folder) == ["main.py", "model.bin", "task.toml"]


def test_what_git_ignores_is_left_out_and_what_is_new_is_not(folder, tmp_path):
    copy = WorkingCopy(folder, remote=str(tmp_path))
    copy.commit({".gitignore": "*.log\n", "old.txt": "x"})
    (folder / "run.log").write_text("x")
    (folder / "new ünusual.txt").write_text("x")
    (folder / "old.txt").unlink()
    assert paths(folder) == [".gitignore", "main.py", "model.bin", "new ünusual.txt", "task.toml"]


def test_a_folder_within_a_working_copy_is_the_top_of_its_own(folder, tmp_path):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    assert paths(folder) == ["main.py", "model.bin", "task.toml"]


def test_a_folder_that_git_ignores_as_a_whole_is_meant_as_it_is(folder, tmp_path):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text("task/\n")
    assert paths(folder) == ["main.py", "model.bin", "task.toml"]


def test_links_and_submodules_are_what_they_are_to_git(folder, tmp_path):
    (folder / "link.py").symlink_to("/etc/passwd")
    WorkingCopy(folder, remote=str(tmp_path))
    other = WorkingCopy(folder / "module", remote=str(tmp_path))
    other.commit({"file.txt": "x"})
    found = [problem.text for problem in validate_tree(folder_tree(folder)).problems]
    assert "link.py: expected a regular file, found a symbolic link" in found
    assert "module: expected a regular file, found a submodule" in found


def test_no_folder_is_told(tmp_path):
    with pytest.raises(WrongUsage, match="found no folder"):
        folder_tree(tmp_path / "nothing")


def test_an_archive_has_the_same_files_and_the_same_bytes_each_time(folder, tmp_path):
    (folder / "tool.sh").write_text("#!/bin/sh\n")
    (folder / "tool.sh").chmod(0o755)
    with packed(folder_tree(folder)) as one, packed(folder_tree(folder)) as other:
        assert one.seek(0) == other.seek(0)
        assert one.read() == other.read()
        one.seek(0)
        tree = ArchiveTree.open(one)
        assert {entry.path: entry.mode for entry in tree.entries()}["tool.sh"] == 0o100755
        one.seek(0)
        unpack(one, tmp_path / "unpacked")
    assert (tmp_path / "unpacked" / "main.py").read_text() == (folder / "main.py").read_text()
