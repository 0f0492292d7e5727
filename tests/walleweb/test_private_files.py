"""Folders and secrets that others do not read."""

import os
import stat
import threading

import pytest

from tests.support.waiting import ANSWER_S
from walleweb.private_files import own_folder, passage, stored_secret


def test_a_secret_is_made_once_and_only_its_owner_reads_it(tmp_path):
    path = tmp_path / "new" / "key"
    first = stored_secret(path, size=50)
    assert stored_secret(path, size=50) == first
    assert len(first) >= 50
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [item.name for item in path.parent.iterdir()] == ["key"]


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(params=[0o000, 0o022, 0o077])
def umask(request):
    before = os.umask(request.param)
    yield
    os.umask(before)


@pytest.mark.usefixtures("umask")
def test_a_folder_of_ones_own_is_closed_even_if_it_was_open(tmp_path):
    assert mode_of(own_folder(tmp_path / "git")) == 0o700
    wide = tmp_path / "logs"
    wide.mkdir()
    wide.chmod(0o755)
    assert mode_of(own_folder(wide)) == 0o700


@pytest.mark.usefixtures("umask")
def test_others_see_nothing_of_a_passage_and_only_roots_lets_them_through(tmp_path):
    made = passage(tmp_path / "a" / "b")
    expected = 0o711 if os.geteuid() == 0 else 0o700
    assert [mode_of(made), mode_of(made.parent)] == [expected] * 2
    made.chmod(0o750)
    assert mode_of(passage(made)) == 0o750


def test_everybody_who_asks_at_once_gets_the_same(tmp_path):
    start, answers = threading.Barrier(8), []

    def ask():
        start.wait()
        answers.append(stored_secret(tmp_path / "key", size=24))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=ANSWER_S)
    assert len(answers) == 8
    assert len(set(answers)) == 1
