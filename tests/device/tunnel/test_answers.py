"""What answers are awaited: bounded, told once each, and kept by the folder."""

from __future__ import annotations

import pytest

from walle.device.storage.disk import Disk
from walle.device.tunnel.answers import AwaitedAnswers

SPOOL = b"12345678"


def opened(folder, **more) -> AwaitedAnswers:
    return AwaitedAnswers(folder, Disk(sync=False), **more)


def expect(awaited: AwaitedAnswers, *sequences: int) -> None:
    for sequence in sequences:
        awaited.expect(SPOOL, sequence, "camera/digits", b'{"n":%d}' % sequence, 100.0 + sequence)


def told(found) -> list[int]:
    return [awaited.values["n"] for awaited in found]


def test_of_too_many_the_one_that_is_due_first_is_given_up(tmp_path):
    awaited = opened(tmp_path, limit=2)
    expect(awaited, 3, 1, 2)
    assert told(awaited.take_expired(0.0)) == [1]
    assert told(awaited.take_expired(0.0)) == []
    assert told(opened(tmp_path).take_expired(1000.0)) == [2, 3]


def test_each_is_told_once_also_by_the_next_process(tmp_path):
    awaited = opened(tmp_path)
    expect(awaited, 1, 2, 3)
    assert awaited.due == 101.0
    assert awaited.take(SPOOL, 2).values == {"n": 2}
    assert awaited.take(SPOOL, 2) is None
    assert awaited.take(b"another!", 3) is None
    assert told(awaited.take_expired(101.0)) == [1]
    after = opened(tmp_path)
    assert (len(after), after.due, after.take(SPOOL, 3).task) == (1, 103.0, "camera/digits")
    assert opened(tmp_path).due is None
    assert list(tmp_path.iterdir()) == []


def test_what_a_death_left_half_is_given_up(tmp_path):
    expect(opened(tmp_path), 1)
    (tmp_path / "3132333435363738-2.json").write_bytes(b"")
    (tmp_path / "3132333435363738-3.json").write_bytes(b'{"task": "camera/digits", "deadline": 1.0, "values": 7}')
    after = opened(tmp_path)
    assert told(after.take_expired(1000.0)) == [1]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("back", [301.0, 86_400.0])
def test_a_clock_that_is_set_back_makes_nobody_wait_longer(tmp_path, back):
    awaited = opened(tmp_path)
    awaited.expect(SPOOL, 1, "camera/digits", b'{"n":1}', 1_700_000_000.0)
    assert told(awaited.take_expired(1_700_000_000.0 - 300.0)) == []
    assert told(awaited.take_expired(1_700_000_000.0 - back)) == [1]


def test_a_disk_that_cannot_be_written_any_more_holds_no_answer_back(tmp_path, monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError("the folder is read-only")

    awaited = opened(tmp_path)
    expect(awaited, 1, 2, 3)
    monkeypatch.setattr(Disk, "remove", refuse)
    assert awaited.take(SPOOL, 1).values == {"n": 1}
    assert told(awaited.take_expired(1000.0)) == [2, 3]
    assert told(awaited.take_expired(1000.0)) == []
