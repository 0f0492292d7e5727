"""The fork server: it starts Python once, so that a run costs a fork instead of a start of the interpreter.

It holds no secrets and no connection but the one to its sandbox; when that closes, it ends.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import signal
import socket
import sys
from dataclasses import replace

from walle.container.worker import linux
from walle.container.worker.config import WorkerConfig
from walle.container.worker.inside import fork_into
from walle.container.worker.isolate import prepare
from walle.container.worker.supervise import supervise
from walle.container.worker.wire import RUN_PRELOADED, VERSION, send_frame


def serve(handle: int, configuration: str) -> None:
    """Fork a supervisor for every request that comes with its handles: control, channel, log and, if any, outputs."""
    channel = socket.socket(fileno=handle)
    wished = WorkerConfig.from_json(configuration)
    sys.path.extend(wished.module_paths)
    linux.use_processors(wished.processors)
    config, reasons = prepare(wished)
    send_frame(channel, json.dumps({"version": VERSION, "reasons": reasons}).encode())
    # Supervisors report on their own connections; nobody needs to wait for them here.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    # A collection would touch every object, and so copy every page, in each of a run's processes.
    gc.disable()
    gc.freeze()
    while True:
        request, handles, _, _ = socket.recv_fds(channel, 1, 4)
        if not request:
            return
        if request == RUN_PRELOADED and config.preload:
            _load(config.preload)
            config = replace(config, preload=())
        _fork_supervisor(channel, handles, config)


def _fork_supervisor(channel: socket.socket, handles: list[int], config: WorkerConfig) -> None:
    """Where no process can be forked, the handles are closed and the sandbox sees the run end before it began."""

    def supervisor() -> None:
        channel.close()
        supervise(socket.socket(fileno=handles[0]), handles[1:], config)

    with contextlib.suppress(OSError):
        fork_into(supervisor)
    for received in handles:
        os.close(received)


def _load(names: tuple[str, ...]) -> None:
    for name in names:
        # A module that does not load here will say so in the run that requires it.
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    gc.freeze()
