"""Durable steps: every moment has a name, and at each the old or the new content is there."""

import os
import stat

import pytest

from walle.device.storage.disk import Disk


class Died(Exception):
    """Stands for the death of the process at a step."""


def steps_of(change) -> list[str]:
    steps: list[str] = []
    change(Disk(checkpoint=steps.append))
    return steps


def test_every_step_of_a_write_has_a_name(tmp_path):
    steps = steps_of(lambda disk: disk.write(tmp_path / "f", b"x", step="s"))
    assert steps == ["s: begin", "s: written", "s: before rename", "s: renamed", "s: durable"]


def test_content_reaches_the_disk_before_its_name_and_the_name_before_the_end(tmp_path, monkeypatch):
    order: list[str] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        order.append("fsync folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "fsync file")
        real(descriptor)

    monkeypatch.setattr("os.fsync", fsync)
    Disk(checkpoint=order.append).write(tmp_path / "f", b"x", step="s")
    told = ["s: begin", "s: written", "fsync file", "s: before rename", "s: renamed", "fsync folder", "s: durable"]
    assert order == told
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("step", ["begin", "written", "before rename", "renamed", "durable"])
def test_whenever_a_write_is_interrupted_old_or_new_is_there(tmp_path, step):
    path = tmp_path / "f"
    path.write_bytes(b"old")

    def die(name: str) -> None:
        if name == f"s: {step}":
            raise Died

    with pytest.raises(Died):
        Disk(checkpoint=die).write(path, b"new content", step="s")
    assert path.read_bytes() == (b"new content" if step in ("renamed", "durable") else b"old")


def test_a_removed_tree_is_hidden_before_it_is_taken_apart(tmp_path):
    folder = tmp_path / "d"
    (folder / "sub").mkdir(parents=True)

    def die(name: str) -> None:
        if name.endswith("hidden"):
            raise Died

    with pytest.raises(Died):
        Disk(checkpoint=die).remove_tree(folder, step="s")
    assert not folder.exists()
    folder.mkdir()
    Disk().remove_tree(folder, step="s")
    assert list(tmp_path.iterdir()) == []


def test_removing_what_is_not_there_is_no_error(tmp_path):
    Disk().remove(tmp_path / "none", step="s")
    Disk().remove_tree(tmp_path / "none", step="s")


def test_without_hard_links_a_file_is_copied(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError("no links here")

    monkeypatch.setattr("os.link", refuse)
    (tmp_path / "a").write_bytes(b"content")
    Disk().link(tmp_path / "a", tmp_path / "b", step="s")
    assert (tmp_path / "b").read_bytes() == b"content"
