"""The control socket of a running device: how commands on the same machine reach it (docs/guides/cli.md).

`control.sock` lies in the device's folder. A connection carries requests, each one JSON object on a line, and for each
an answer, one JSON object on a line; `control_requests` says which there are. Only processes of the device's own user
and of root are answered. All that they send is bounded: the length of a line, the connections, the seconds of silence.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import stat
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Self

from walle.schema import Malformed, read_json
from walle.schema.values import shown

NAME: Final = "control.sock"
MAX_REQUEST: Final = 128 * 1024
"""The bytes of the longest request: an event of the largest size with every character escaped."""
MAX_CLIENTS: Final = 16
TIMEOUT_S: Final = 30.0
"""The seconds in which a client has to send its next request, or to take its answer."""

# The addresses of Unix domain sockets have 108 bytes in Linux and 104 in other systems, with a zero at the end.
_MAX_ADDRESS: Final = 103
_DESCRIPTORS: Final = Path("/proc/self/fd")
_PEER: Final = struct.Struct("3i")


class ControlUnavailable(Exception):
    """There can be no control socket in this folder; the device works without it. The text says what to do."""


class ControlRefused(Exception):
    """A request is refused: `code` for programs, the text for people. The connection goes on."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code

    def to_dict(self) -> dict[str, str]:
        return {"error": self.code, "detail": str(self)}


Answer = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Returns the answer to a request, or raises ControlRefused. It is called in the thread of the event loop."""


class ControlSocket:
    """The control socket of the device in `folder`, for the duration of an `async with` block.

    The caller holds the lock of the device's store, so that a socket that lies there is left over from a process that
    was killed. `timeout_s` is in seconds. Entering it raises ControlUnavailable.
    """

    def __init__(self, folder: Path, answer: Answer, *, timeout_s: float = TIMEOUT_S) -> None:
        self._folder, self._answer, self._patience_s = folder, answer, timeout_s
        self._clients: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._descriptor = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            _check_folder(self._folder, os.fstat(self._descriptor))
            _remove_stale(self._folder, self._descriptor)
            listening = self._listening()
        except BaseException:
            os.close(self._descriptor)
            raise
        self._server = await asyncio.start_unix_server(self._serve, sock=listening, limit=MAX_REQUEST)
        return self

    def _listening(self) -> socket.socket:
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listening.bind(address(self._folder, self._descriptor))
            # Nobody can connect before it listens.
            os.chmod(NAME, 0o600, dir_fd=self._descriptor)
        except OSError as error:
            listening.close()
            raise ControlUnavailable(f"cannot make {self._folder / NAME}: {error.strerror or error}") from error
        return listening

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for client in self._clients:
            client.cancel()
        await asyncio.gather(*self._clients, return_exceptions=True)
        try:
            os.unlink(NAME, dir_fd=self._descriptor)
        except FileNotFoundError:
            pass
        finally:
            os.close(self._descriptor)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        this = asyncio.current_task()
        assert this is not None  # noqa: S101
        try:
            _check_peer(writer)
            if len(self._clients) >= MAX_CLIENTS:
                raise ControlRefused("busy", f"{MAX_CLIENTS} others are connected to this device: try again later")
            self._clients.add(this)
            await self._converse(reader, writer)
        except ControlRefused as refused:
            writer.write(_line(refused.to_dict()))
        except (TimeoutError, OSError):
            writer.transport.abort()
        finally:
            self._clients.discard(this)
            writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer until the client ends the connection. Raises ControlRefused for what is no request."""
        while True:
            async with asyncio.timeout(self._patience_s):
                request = await _request(reader)
            if request is None:
                return
            try:
                answer = self._answer(request)
            except ControlRefused as refused:
                answer = refused.to_dict()
            writer.write(_line(answer))
            async with asyncio.timeout(self._patience_s):
                await writer.drain()
            # Neither of both waits while there is something to read: the device has its turn between two requests.
            await asyncio.sleep(0)


def address(folder: Path, descriptor: int) -> str:
    """Return the address of the control socket in a folder, which is open as `descriptor`.

    Raises ControlUnavailable if the path is too long for an address, and this system has no other name for it.
    """
    plain = os.fspath(folder / NAME)
    if len(os.fsencode(plain)) <= _MAX_ADDRESS:
        return plain
    if not _DESCRIPTORS.is_dir():
        raise ControlUnavailable(
            f"the path {plain} is too long for a socket, of which this system takes {_MAX_ADDRESS} bytes: "
            "use a folder with a shorter path"
        )
    return str(_DESCRIPTORS / str(descriptor) / NAME)


def peer_user(connected: socket.socket) -> int:
    """Return the id of the user whose process is at the other end. Raises ControlUnavailable where nobody can tell."""
    if not hasattr(socket, "SO_PEERCRED"):
        raise ControlUnavailable("this system does not say who is at the other end of a socket")
    _, user, _ = _PEER.unpack(connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))
    return int(user)


def _check_folder(folder: Path, found: os.stat_result) -> None:
    if found.st_uid not in (0, os.geteuid()) or found.st_mode & 0o022:
        raise ControlUnavailable(f"others may write to {folder}, and could take its place: chmod 700 {folder}")


def _remove_stale(folder: Path, descriptor: int) -> None:
    try:
        found = os.stat(NAME, dir_fd=descriptor, follow_symlinks=False)
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise ControlUnavailable(f"expected nothing at {folder / NAME} or the socket of an earlier process: remove it")
    os.unlink(NAME, dir_fd=descriptor)


def _check_peer(writer: asyncio.StreamWriter) -> None:
    connected = writer.get_extra_info("socket")
    if peer_user(connected) not in (0, os.geteuid()):
        raise ControlRefused("not-allowed", "only the user of this device and root may control it")


async def _request(reader: asyncio.StreamReader) -> Mapping[str, Any] | None:
    """Read one request; None at the end of the connection. Raises ControlRefused."""
    try:
        line = await reader.readline()
    except ValueError as error:
        raise ControlRefused("too-long", f"expected a request of at most {MAX_REQUEST} bytes") from error
    if not line.endswith(b"\n"):
        return None
    try:
        request = read_json(line, "request", MAX_REQUEST)
    except Malformed as error:
        raise ControlRefused("malformed", f"expected a JSON object on a line; {error}") from error
    if not isinstance(request, dict):
        raise ControlRefused("malformed", f"expected a JSON object on a line, found {shown(request)}")
    return request


def _line(answer: Mapping[str, Any]) -> bytes:
    return json.dumps(answer).encode() + b"\n"
