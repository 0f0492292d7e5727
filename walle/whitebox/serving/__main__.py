"""The serving process: `python -m walle.whitebox.serving LOAD --listen 127.0.0.1:8201 --folder FOLDER`.

LOAD, such as walleweb.serving:load, names a function without arguments that loads the program, and returns what serves
a socket.
"""

from __future__ import annotations

import argparse
import logging
import os
import socket
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from walle.whitebox.serving.supervisor import Serve, ServingSupervisor

BACKLOG = 2048


def main() -> None:
    """Listen, and supervise until a signal."""
    parser = argparse.ArgumentParser(prog="python -m walle.whitebox.serving", description="Serve pipelines.")
    parser.add_argument("load", help="MODULE:FUNCTION that loads the program")
    parser.add_argument("--listen", required=True, help="HOST:PORT, or the path of a Unix socket")
    parser.add_argument("--folder", required=True, type=Path, help="where pipelines are installed")
    parser.add_argument("--lazy", action="store_true", help="load nothing before the first connection")
    arguments = parser.parse_args()
    # The plans use the processors themselves; a library's pool of threads would compete, and could not be forked.
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    # Processes of one machine may share the folder, and each has a supervisor of its own.
    port = arguments.listen.rpartition(":")[2]
    name = port if port.isdigit() else "socket"
    supervisor = ServingSupervisor(
        partial(listen, arguments.listen), _late(arguments.load), folder=arguments.folder, name=name
    )
    supervisor.run(lazy=arguments.lazy)


def _late(name: str) -> Callable[[], Serve]:
    module, _, function = name.partition(":")

    def load() -> Serve:
        found: Any = getattr(import_module(module), function)
        served: Serve = found()
        return served

    return load


def listen(address: str) -> socket.socket:
    """Return a socket that listens at HOST:PORT, or at the path of a Unix socket that only this account may use."""
    host, _, port = address.rpartition(":")
    if port.isdigit():
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.socket(family)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host.strip("[]"), int(port)))
    else:
        path = Path(address)
        path.unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX)
        mask = os.umask(0o177)
        try:
            listener.bind(address)
        finally:
            os.umask(mask)
    listener.listen(BACKLOG)
    return listener


if __name__ == "__main__":
    main()
