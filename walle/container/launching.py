"""The sandbox's side of the launcher: starting the fork server and asking it for runs."""

from __future__ import annotations

import json
import os
import site
import socket
import subprocess
import sys
import sysconfig
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from walle.container.result import SandboxError
from walle.container.worker.config import TASK_LIBRARY, WorkerConfig
from walle.container.worker.task import ENVIRONMENT
from walle.container.worker.wire import VERSION, receive_frame

_WORKER: Final = Path(__file__).parent / "worker" / "__main__.py"
_START_SECONDS: Final = 60


class SandboxLauncher:
    """A fork server, started when it is first needed and again when it has died; safe to use from many threads."""

    def __init__(self, config: WorkerConfig, python: str) -> None:
        self._config, self._python = config, python
        self._lock = threading.Lock()
        self._channel: socket.socket | None = None
        self._owner = 0
        self._reasons: dict[str, str] = {}
        self._stop: weakref.finalize[[socket.socket, subprocess.Popen[bytes]], SandboxLauncher] | None = None

    def reasons(self) -> dict[str, str]:
        """The isolation (namespaces, seccomp, landlock) that this machine lacks, and why; raises SandboxError."""
        with self._lock:
            self._started()
            return dict(self._reasons)

    def fork(self, request: bytes, handles: Sequence[int]) -> None:
        """Ask for a run with its control, answer and log handles; raises SandboxError."""
        with self._lock:
            try:
                socket.send_fds(self._started(), [request], handles)
            except OSError:
                # The launcher was killed, perhaps for memory; a new one is as good.
                self._close()
                socket.send_fds(self._started(), [request], handles)

    def close(self) -> None:
        """Stop the launcher; a later run starts another."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._stop is not None and self._owner == os.getpid():
            self._stop()
        self._channel = self._stop = None

    def _started(self) -> socket.socket:
        # After a fork of our own process, the connection belongs to the parent.
        if self._channel is None or self._owner != os.getpid():
            self._start()
        assert self._channel is not None  # noqa: S101
        return self._channel

    def _start(self) -> None:
        if os.name != "posix" or (sys.platform != "linux" and os.geteuid() == 0):
            raise SandboxError(
                f"expected Linux, or macOS and an ordinary user (with less isolation), found {sys.platform}"
            )
        ours, theirs = socket.socketpair()
        command = [self._python, "-I", "-S", "-B", "-X", "utf8", str(_WORKER), str(theirs.fileno())]
        with theirs:
            try:
                process = subprocess.Popen(
                    [*command, self._config.to_json()],
                    env=dict(ENVIRONMENT),
                    cwd="/",
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                )
            except OSError as error:
                ours.close()
                raise SandboxError(f"the worker cannot be started: {error}") from error
        if self._stop is not None:
            self._stop.detach()
        self._channel, self._owner = ours, os.getpid()
        self._stop = weakref.finalize(self, _stop, ours, process)
        self._reasons = self._greeting(ours)

    def _greeting(self, channel: socket.socket) -> dict[str, str]:
        try:
            channel.settimeout(_START_SECONDS)
            greeting = json.loads(receive_frame(channel))
            channel.settimeout(None)
        except (OSError, EOFError, ValueError) as error:
            self._close()
            raise SandboxError(f"the worker did not start: {error}") from error
        if greeting.get("version") != VERSION:
            self._close()
            raise SandboxError("walle was upgraded while this program ran: start the program anew")
        return dict(greeting["reasons"])


def _stop(channel: socket.socket, process: subprocess.Popen[bytes]) -> None:
    channel.close()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def default_config(
    *,
    preload: tuple[str, ...],
    namespaces: bool,
    seccomp: bool,
    landlock: bool,
    module_paths: Sequence[str] | None,
    processors: tuple[int, ...],
) -> WorkerConfig:
    """What a worker needs to know of the running interpreter: where its modules and libraries are.

    Walle's own library for tasks is among them: its parts are loaded in the sandbox, when a task imports them.
    """
    own = Path(__file__).resolve().parents[2] / TASK_LIBRARY
    found = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *site.getsitepackages()]
    modules = tuple(dict.fromkeys(module_paths if module_paths is not None else found))
    standard = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), f"{sys.base_prefix}/lib"]
    system = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo", "/etc/ld.so.cache"]
    return WorkerConfig(
        module_paths=modules,
        library_paths=tuple(dict.fromkeys([*modules, *standard, *system, "/nix/store", str(own)])),
        preload=preload,
        namespaces=namespaces,
        seccomp=seccomp,
        landlock=landlock,
        processors=processors,
    )
