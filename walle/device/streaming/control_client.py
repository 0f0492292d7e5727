"""The other end of the control socket: asks the device that runs in a folder (walle.device.streaming.control)."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from walle.device.streaming.control import NAME, ControlRefused, address, peer_user

MAX_ANSWER: Final = 8 * 1024 * 1024
"""The bytes of the longest answer that is read."""
TIMEOUT_S: Final = 30.0


class NotRunning(Exception):
    """No device runs in this folder, or it has no control socket."""


class DeviceControl:
    """Asks the device in `folder`, with a connection for each request, so that a new process of it is found again."""

    def __init__(self, folder: Path, *, timeout_s: float = TIMEOUT_S) -> None:
        self._folder, self._timeout_s = folder, timeout_s

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a request.

        Raises NotRunning, ControlRefused if the device refuses the request, ControlUnavailable if the socket cannot be
        reached from here, and OSError, such as TimeoutError, if the connection fails.
        """
        with self._connected() as connected:
            # A device that has refused the connection takes nothing, and what it said can still be read.
            with suppress(BrokenPipeError, ConnectionResetError):
                connected.sendall(json.dumps(request).encode() + b"\n")
            answer = _read(connected)
        if "error" in answer:
            raise ControlRefused(str(answer["error"]), str(answer.get("detail", "")))
        return answer

    def _connected(self) -> socket.socket:
        try:
            descriptor = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise NotRunning(f"there is no folder {self._folder}") from error
        connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connected.settimeout(self._timeout_s)
            connected.connect(address(self._folder, descriptor))
            _check_device(connected, self._folder)
        except (FileNotFoundError, ConnectionRefusedError) as error:
            connected.close()
            raise NotRunning(f"no device runs in {self._folder}") from error
        except BaseException:
            connected.close()
            raise
        finally:
            os.close(descriptor)
        return connected


def _check_device(connected: socket.socket, folder: Path) -> None:
    """Refuse a socket that somebody else has put there; root may talk to everybody's devices."""
    user = peer_user(connected)
    if os.geteuid() not in (0, user) and user != 0:
        raise ControlRefused("not-allowed", f"the process at {folder / NAME} is another user's")


def _read(connected: socket.socket) -> dict[str, Any]:
    try:
        with connected.makefile("rb") as stream:
            line = stream.readline(MAX_ANSWER)
        answer = json.loads(line) if line.endswith(b"\n") else None
    except (ConnectionResetError, ValueError):
        answer = None
    if not isinstance(answer, dict):
        raise ConnectionError("the device ended the connection without a whole answer")
    return answer
