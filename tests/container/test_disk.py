"""What a run keeps on the disk, counted."""

from __future__ import annotations

import os

from walle.container.worker.disk import kept


def test_files_count_by_what_they_take_and_each_takes_something(tmp_path):
    (tmp_path / "folder").mkdir()
    for number in range(50):
        (tmp_path / "folder" / str(number)).touch()
    assert kept(str(tmp_path), -1, []) == 51 * 4096
    (tmp_path / "big").write_bytes(os.urandom(3_000_000))
    os.link(tmp_path / "big", tmp_path / "again")
    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(10**9)
    assert 3_000_000 < kept(str(tmp_path), -1, []) - 51 * 4096 < 3_100_000


def test_open_files_without_a_name_count_once(tmp_path):
    proc = os.open("/proc", os.O_PATH | os.O_DIRECTORY)
    with open(tmp_path / "gone", "wb") as file:
        file.write(os.urandom(3_000_000))
        file.flush()
        before = kept(str(tmp_path), proc, [])
        os.unlink(tmp_path / "gone")
        assert before <= kept(str(tmp_path), proc, [os.getpid(), os.getpid()])
    os.close(proc)
