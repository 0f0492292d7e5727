"""A process whose supervisor is gone gives its socket to the next one, and goes on until that one's process serves."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.waiting import ANSWER_S
from walle.whitebox.serving import handover
from walle.whitebox.serving.handover import Handover


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener


@contextlib.contextmanager
def orphaned(door: Handover, listener: socket.socket) -> Iterator[threading.Thread]:
    """The thread of a process that serves a listener, and has just lost its supervisor; it has to end."""
    thread = threading.Thread(target=door.outlive, args=(listener,), daemon=True)
    thread.start()
    yield thread
    thread.join(ANSWER_S)
    assert not thread.is_alive()


def inherited(successor: Handover) -> object:
    """The address of the socket that it is given; None without one."""
    found = successor.inherit()
    if found is None:
        return None
    with found:
        return found.getsockname()


def end(successor: Handover) -> object:
    """The same, for a supervisor that is told to end at once, and ends what it took over."""
    found = inherited(successor)
    successor.close()
    return found


@pytest.mark.parametrize("depth", ["short", "a path that is longer than that of a Unix socket may be/" * 3])
def test_the_next_supervisor_is_given_the_socket_and_has_the_process_end_once_its_own_serves(
    tmp_path: Path, listener: socket.socket, depth: str
) -> None:
    folder = tmp_path / depth
    first, second, third = (Handover(folder, "8201") for _ in range(3))
    assert inherited(first) is None
    first.open()
    with orphaned(first, listener) as thread:
        assert inherited(second) == listener.getsockname()
        assert second.takes_over
        second.open()
        assert thread.is_alive(), "nobody else serves yet"
        second.serving()
    with orphaned(second, listener):
        assert end(third) == listener.getsockname(), "the next one finds it in the same place"
    assert not list(folder.iterdir())


def test_a_supervisor_that_is_gone_before_its_process_serves_changes_nothing(
    tmp_path: Path, listener: socket.socket
) -> None:
    first, gone, second, third = (Handover(tmp_path, "8201") for _ in range(4))
    first.open()
    with orphaned(first, listener):
        inherited(gone)
        gone.open()
        with orphaned(gone, listener):
            assert inherited(second) == listener.getsockname()
            # Nobody else comes for the process that it had forked.
            (tmp_path / ".handover-8201.part").rename(tmp_path / "handover-gone")
            end(Handover(tmp_path, "gone"))
        (tmp_path / ".handover-8201.part").touch()
        second.open()
        second.serving()
    with orphaned(second, listener):
        assert end(third) == listener.getsockname()


def test_other_sockets_in_the_same_folder_have_doors_of_their_own(tmp_path: Path, listener: socket.socket) -> None:
    first, other, second = Handover(tmp_path, "8201"), Handover(tmp_path, "8202"), Handover(tmp_path, "8201")
    first.open()
    with orphaned(first, listener):
        assert inherited(other) is None
        end(second)


def test_a_process_for_which_nobody_comes_ends(
    tmp_path: Path, listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handover, "ALONE_S", 0.01)
    door = Handover(tmp_path, "8201")
    door.open()
    with orphaned(door, listener):
        pass


def test_where_there_can_be_no_door_it_ends_with_its_supervisor(tmp_path: Path, listener: socket.socket) -> None:
    (tmp_path / "file").touch()
    door = Handover(tmp_path / "file", "8201")
    door.open()
    with orphaned(door, listener):
        pass
