"""A process that has Django loaded and becomes a hook by forking: `python -m tasks_app.hooks warm <socket> <fd>`.

It belongs to the server process that started it and ends with it (its standard input closes) or after a time without
pushes. A fork ends with the client that requested it, so that ending a push ends its hooks.
"""

import gc
import json
import os
import select
import shutil
import signal
import socket
import threading
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from tasks_app.hooks import streams
from tasks_app.hooks.client import FILES
from tasks_app.hooks.receive import HOOKS

_IDLE_SECONDS: Final = 900.0
_REQUEST_BYTES: Final = 1 << 16


def serve(address: str, listener: int) -> int:
    """Answer hook clients until the server has ended or no client has connected for a while.

    `listener` is the inherited descriptor of the unix socket at `address`, where clients may wait already.
    """
    gc.freeze()
    # Forks are not awaited: the kernel may reap them.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with closing(socket.socket(fileno=listener)) as listening:
        while _has_work(listening):
            with closing(listening.accept()[0]) as client:
                if os.fork() == 0:
                    listening.close()
                    _become_hook(client)
    shutil.rmtree(Path(address).parent, ignore_errors=True)
    return 0


def _has_work(listening: socket.socket) -> bool:
    awaited: list[socket.socket | int] = [listening, 0]
    ready, _, _ = select.select(awaited, [], [], _IDLE_SECONDS)
    return listening in ready and 0 not in ready


def _become_hook(client: socket.socket) -> None:
    """Become the hook in the client's place, and never return."""
    status = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        hook = _take_over(client)
        threading.Thread(target=_end_with, args=(client,), daemon=True).start()
        status = HOOKS[hook](streams.updates(), streams.pusher())
        client.send(bytes([status]))
    finally:
        os._exit(status)


def _take_over(client: socket.socket) -> str:
    data, files, _, _ = socket.recv_fds(client, _REQUEST_BYTES, 3 + len(FILES))
    while not data.endswith(b"\n"):
        more = client.recv(_REQUEST_BYTES)
        if not more:
            raise ConnectionError("the client ended before it said what it wants")
        data += more
    request: dict[str, Any] = json.loads(data)
    for number in range(3):
        os.dup2(files[number], number)
        os.close(files[number])
    os.chdir(request["folder"])
    os.environ.update(request["environment"])
    os.environ.update({name: str(number) for name, number in zip(FILES, files[3:], strict=True)})
    return str(request["hook"])


def _end_with(client: socket.socket) -> None:
    client.recv(1)
    os._exit(1)
