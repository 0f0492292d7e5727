"""The process that forks executors: it has loaded what they need, and shares its memory with them.

It has one thread and never runs a plan, so that forking is safe. It ends, and ends its executors, when its owner does.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import pkgutil
import select
import signal
import socket
import sys
import traceback
from typing import Final

from walle.whitebox.runtime.executors import executor

_LONGEST: Final = 1 << 16
_PR_SET_PDEATHSIG: Final = 1


def main(arguments: list[str]) -> None:
    """Serve the owner at the other end of a socket.

    The arguments are its descriptor, and what to load: modules, and functions to call (`<module>:<function>`).
    """
    control = socket.socket(fileno=int(arguments[0]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    awake, waker = os.pipe()
    for end in (awake, waker):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(waker)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for name in arguments[1:]:
        loaded = pkgutil.resolve_name(name)
        if callable(loaded):
            loaded()
    children: set[int] = set()
    control.send(json.dumps({"ready": os.getpid()}).encode())
    try:
        while True:
            ready, _, _ = select.select([control.fileno(), awake], [], [])
            if awake in ready:
                os.read(awake, _LONGEST)
                _bury(control, children)
            if control.fileno() in ready:
                message, handles, _, _ = socket.recv_fds(control, _LONGEST, 2)
                if not message:
                    break
                children.add(_fork(control, json.loads(message), handles))
    except (BrokenPipeError, ConnectionResetError):
        pass
    finally:
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)


def _bury(control: socket.socket, children: set[int]) -> None:
    """Tell the owner of each executor that ended, with its wait status."""
    while children:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        children.discard(pid)
        control.send(json.dumps({"ended": pid, "status": status}).encode())


def _fork(control: socket.socket, order: dict[str, object], handles: list[int]) -> int:
    # Told before it can end: its end is told by the same process.
    child = os.fork()
    if child:
        for handle in handles:
            os.close(handle)
        control.send(json.dumps({"forked": child, "number": order["number"]}).encode())
        return child
    try:
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        control.close()
        executor.serve(socket.socket(fileno=handles[0]), handles[1], executor.Setup(**order))  # type: ignore[arg-type]
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
