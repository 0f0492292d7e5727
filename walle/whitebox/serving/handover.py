"""How a serving process whose supervisor was killed goes on until the next supervisor has taken over.

A new supervisor loads the program anew, which takes seconds where a machine is busy. The process that lost its own
answers meanwhile. Beside its plans it listens at a Unix socket, where it gives the next supervisor the socket
that it serves: no connection is refused. Once that supervisor's own process serves, it ends.
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Final

log = logging.getLogger(__name__)

ALONE_S: Final = 30.0
"""So long a process without a supervisor waits for the next one; without any it ends, and frees the address."""
_ANSWER_S: Final = 5.0
"""So long the process that goes on may take to give its socket away: a thread of its own does."""
_SERVES: Final = b"1"


class Handover:
    """One supervisor's part in it. `folder` is that of plans, `name` tells supervisors that share it apart.

    Without a folder that has room for the socket, a killed supervisor's process ends when nobody comes for it.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, f"handover-{name}"
        self._draft = f".{self._name}.part"
        self._before: socket.socket | None = None
        self._socket: socket.socket | None = None
        # Whoever holds the end for writing lives: the supervisor alone.
        self._lifeline, self._alive = os.pipe()

    @property
    def takes_over(self) -> bool:
        """Whether another supervisor's process goes on now."""
        return self._before is not None

    def inherit(self) -> socket.socket | None:
        """Return the listening socket of a process whose supervisor is gone; None where there is no such process."""
        before = socket.socket(socket.AF_UNIX)
        before.settimeout(_ANSWER_S)
        try:
            with self._path(self._name) as path:
                before.connect(path)
            _, handles, _, _ = socket.recv_fds(before, 1, 1, socket.MSG_CMSG_CLOEXEC)
        except OSError:
            handles = []
        if not handles:
            before.close()
            return None
        self._before = before
        return socket.socket(fileno=handles[0])

    def open(self) -> None:
        """Listen at a socket, which processes forked from now on inherit; it can be found once that is sensible."""
        listening = socket.socket(socket.AF_UNIX)
        mask = os.umask(0o177)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            (self._folder / self._draft).unlink(missing_ok=True)
            with self._path(self._draft) as path:
                listening.bind(path)
            listening.listen(1)
        except OSError as error:
            log.warning("no other supervisor will be able to take over from this one: %s", error)
            listening.close()
            return
        finally:
            os.umask(mask)
        self._socket = listening
        if self._before is None:
            self._publish()

    def serving(self) -> None:
        """Have the process before end, as one of this supervisor's own serves now."""
        if self._before is not None:
            self._publish()
            with contextlib.suppress(OSError), self._before:
                self._before.send(_SERVES)
            self._before = None

    def close(self) -> None:
        """Leave nothing for another supervisor to take over: this one ends in good order."""
        self.serving()
        if self._socket is not None:
            self._socket.close()
        with contextlib.suppress(OSError):
            (self._folder / self._name).unlink()

    def outlive(self, listener: socket.socket) -> None:
        """Return when this process, which a supervisor forked and which serves the listener, has to end without it.

        That is when it has been gone and another one's process serves, or none has come.
        """
        os.close(self._alive)
        if self._before is not None:
            self._before.close()
        os.read(self._lifeline, 1)
        log.error("the supervisor is gone: this process goes on until another one has taken over")
        while self._socket is not None:
            try:
                self._socket.settimeout(ALONE_S)
                successor, _ = self._socket.accept()
                with successor:
                    socket.send_fds(successor, [b"\0"], [listener.fileno()])
                    if successor.recv(1) == _SERVES:
                        return
            except TimeoutError:
                return
            except OSError as error:
                log.warning("a supervisor that would take over is gone: %s", error)

    def _publish(self) -> None:
        if self._socket is not None:
            (self._folder / self._draft).replace(self._folder / self._name)

    @contextlib.contextmanager
    def _path(self, name: str) -> Iterator[str]:
        """Yield a path that is short enough for a Unix socket, however long that of the folder is."""
        folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            yield f"/proc/self/fd/{folder}/{name}"
        finally:
            os.close(folder)
