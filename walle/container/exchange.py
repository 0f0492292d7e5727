"""The conversation of one run, seen from the sandbox: the request goes out, then the answer, the log and the
supervisor's report come in. What the task sends is read up to a limit and believed in nothing."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from walle.container.worker.wire import receive_frame, send_frame

# Beyond the run's own limit: to start, and to be ended and reported on.
_START_SECONDS: Final = 35.0
_END_SECONDS: Final = 15.0
# After the report, for what is left in the pipes; longer only if a process escaped and holds them open.
_DRAIN_SECONDS: Final = 1.0
_CHUNK: Final = 1 << 16


@dataclass
class CollectedOutput:
    """Bytes read from a pipe, up to a limit; `dropped` counts the rest."""

    limit: int
    content: bytearray = field(default_factory=bytearray)
    dropped: int = 0

    def add(self, chunk: bytes) -> None:
        kept = chunk[: max(0, self.limit - len(self.content))]
        self.content += kept
        self.dropped += len(chunk) - len(kept)


@dataclass
class RunExchange:
    """All that came back of a run. `report` is the supervisor's, None when it went away without one."""

    answer: CollectedOutput
    log: CollectedOutput
    report: dict[str, Any] | None = None


def exchange(
    fork: Callable[[list[int]], None],
    request: bytes,
    inputs: bytes,
    *,
    seconds: float,
    answer_limit: int,
    log_limit: int,
) -> RunExchange:
    """Carry out a run: `fork` hands three handles (control, answer, log) to a new supervisor.

    Returns when the run is over, at the latest half a minute after `seconds`, its own limit, plus its start.
    """
    result = RunExchange(CollectedOutput(answer_limit), CollectedOutput(log_limit))
    control, theirs = socket.socketpair()
    answer, answer_writer = os.pipe()
    log, log_writer = os.pipe()
    with control, os.fdopen(answer, "rb", 0) as answers, os.fdopen(log, "rb", 0) as logs:
        try:
            fork([theirs.fileno(), answer_writer, log_writer])
        finally:
            theirs.close()
            os.close(answer_writer)
            os.close(log_writer)
        with contextlib.suppress(OSError):
            control.settimeout(_START_SECONDS)
            send_frame(control, request)
            send_frame(control, inputs)
        _collect(control, {answers.fileno(): result.answer, logs.fileno(): result.log}, result, seconds)
    return result


def _collect(control: socket.socket, pipes: dict[int, CollectedOutput], result: RunExchange, seconds: float) -> None:
    deadline = time.monotonic() + _START_SECONDS + seconds + _END_SECONDS
    with selectors.DefaultSelector() as selector:
        selector.register(control, selectors.EVENT_READ)
        for handle in pipes:
            selector.register(handle, selectors.EVENT_READ)
        while selector.get_map():
            left = deadline - time.monotonic()
            ready = selector.select(max(0.0, left))
            if left <= 0 and not ready:
                return
            for key, _ in ready:
                if key.fileobj is control:
                    result.report = _report(control)
                    selector.unregister(control)
                    deadline = min(deadline, time.monotonic() + _DRAIN_SECONDS)
                elif not _read(key.fd, pipes[key.fd]):
                    selector.unregister(key.fd)
            if result.answer.dropped and result.report is None:
                # Closing our direction tells the supervisor to end the run; its report still comes.
                with contextlib.suppress(OSError):
                    control.shutdown(socket.SHUT_WR)


def _read(handle: int, into: CollectedOutput) -> bool:
    chunk = os.read(handle, _CHUNK)
    into.add(chunk)
    return bool(chunk)


def _report(control: socket.socket) -> dict[str, Any] | None:
    try:
        return dict(json.loads(receive_frame(control)))
    except (OSError, EOFError, ValueError):
        return None
