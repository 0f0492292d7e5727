"""Secrets that are made once."""

import stat
import threading

from walleweb.private_files import kept_secret


def test_a_secret_is_made_once_and_only_its_owner_reads_it(tmp_path):
    path = tmp_path / "new" / "key"
    first = kept_secret(path, size=50)
    assert kept_secret(path, size=50) == first
    assert len(first) >= 50
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [item.name for item in path.parent.iterdir()] == ["key"]


def test_everybody_who_asks_at_once_gets_the_same(tmp_path):
    start, answers = threading.Barrier(8), []

    def ask():
        start.wait()
        answers.append(kept_secret(tmp_path / "key", size=24))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=10)
    assert len(answers) == 8
    assert len(set(answers)) == 1
