"""A task VM, seen from the sandbox: its start, the conversation of each of its runs, and its end.

What the task sends is read up to a limit and believed in nothing; what its supervisor reports is believed.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Final

from walle.container.tensors import OutputMemory
from walle.container.worker.config import VMRequest
from walle.container.worker.wire import ANSWERED, BEGIN, LENGTH, receive_frame, send_frame

# Beyond a run's own limit: to start, and to be ended and reported on.
_START_SECONDS: Final = 35.0
_END_SECONDS: Final = 15.0
# After the last report, for what is left in the log; longer only if a process escaped and holds it open.
_DRAIN_SECONDS: Final = 1.0
# After the end of a task that was idle, for the report on that; a task may also just have closed its channel.
_REPORT_SECONDS: Final = 1.0
_CHUNK: Final = 1 << 16
# Between two chunks of a log that is full: whoever prints for ever is held up, and not the reader.
_LOG_REST_SECONDS: Final = 0.004
# The head line of an answer: metrics and the message of a failure.
_ANSWER_BEYOND_OUTPUT: Final = 128 * 1024


@dataclass
class CollectedOutput:
    """Bytes read, up to a limit; `dropped` counts the rest."""

    limit: int
    content: bytearray = field(default_factory=bytearray)
    dropped: int = 0

    def add(self, chunk: bytes) -> None:
        kept = chunk[: max(0, self.limit - len(self.content))]
        self.content += kept
        self.dropped += len(chunk) - len(kept)


@dataclass(frozen=True)
class RunInputs:
    """The inputs of a run as they are sent: JSON, and the descriptors of the tensors that are shared."""

    content: bytes
    handles: Sequence[int] = ()


@dataclass
class RunExchange:
    """All that came back of a run. `report` is the supervisor's, None when it went away without one."""

    answer: CollectedOutput
    log: CollectedOutput
    report: dict[str, Any] | None = None

    @property
    def took_place(self) -> bool:
        """Whether there was a run: a VM may end while it is idle just before it is asked for one."""
        return not (self.report and self.report["idle"])

    @property
    def is_answered(self) -> bool:
        """Whether the answer is complete."""
        return len(self.answer.content) >= self.expected

    @property
    def is_too_large(self) -> bool:
        """Whether the answer is, or says that it will be, larger than it may be."""
        return self.answer.dropped > 0 or self.expected > self.answer.limit

    @property
    def expected(self) -> int:
        """How many bytes the answer has, with the length that it begins with."""
        head = self.answer.content[: LENGTH.size]
        return LENGTH.size + int(LENGTH.unpack(head)[0]) if len(head) == LENGTH.size else LENGTH.size


class TaskVM:
    """One VM, from its start to `close`; for one run at a time, in whatever thread.

    `fork` hands its handles to a new supervisor; raises SandboxError where there is none to ask. `resources` is what
    the VM needs as long as it lives, its user and its folders among it.
    """

    def __init__(
        self,
        fork: Callable[[list[int]], None],
        request: VMRequest,
        outputs: OutputMemory | None,
        resources: ExitStack,
        *,
        log_limit: int,
    ) -> None:
        self.request, self.outputs, self._resources = request, outputs, resources
        self.runs = 0
        self.held_mb = 0.0
        self._log_limit = log_limit
        self.control, control = socket.socketpair()
        self.channel, channel = socket.socketpair()
        self.log, log = os.pipe()
        try:
            fork([control.fileno(), channel.fileno(), log, *([outputs.handle] if outputs else [])])
        except BaseException:
            self._close_handles()
            raise
        finally:
            control.close()
            channel.close()
            os.close(log)
        os.set_blocking(self.log, False)
        self.channel.setblocking(False)
        with contextlib.suppress(OSError):
            self.control.settimeout(_START_SECONDS)
            send_frame(self.control, request.to_json())

    def run(self, inputs: RunInputs) -> RunExchange:
        """Carry out a run; returns when it is answered or over, at the latest half a minute after its limit and start.

        Call `settle` before the next one.
        """
        result = RunExchange(
            CollectedOutput(LENGTH.size + self.request.output_kb * 1024 + _ANSWER_BEYOND_OUTPUT),
            CollectedOutput(self._log_limit),
        )
        if self.runs:
            with contextlib.suppress(OSError):
                self.control.send(BEGIN)
        self.runs += 1
        _Conversation(self, inputs, result).hold()
        return result

    def settle(self, found: RunExchange) -> str:
        """Return when the VM waits for its next run; why it has ended instead, empty if it has not."""
        report = found.report
        if report is None:
            return "killed"
        if not report["settled"]:
            last = _received_report(self.control) or {"over": "killed", "held_mb": 0.0}
            report |= {"over": last["over"], "held_mb": last["held_mb"], "settled": True}
        self.held_mb = report["held_mb"]
        return str(report["over"])

    def reason_of_end(self) -> str:
        """Why this VM has ended while it was idle; empty while it waits for a run."""
        if not _is_readable(self.control):
            if not _is_readable(self.channel):
                return ""
            if _has_more(self.channel):
                return "unasked-answer"
            if not _is_readable(self.control, _REPORT_SECONDS):
                return "exited"
        report = _received_report(self.control)
        return str(report["over"]) if report else "killed"

    def close(self) -> None:
        """End the VM; returns when nothing of it is left, or does not end."""
        with contextlib.suppress(OSError):
            self.control.shutdown(socket.SHUT_WR)
            self.control.settimeout(_END_SECONDS)
            while self.control.recv(_CHUNK):
                pass
        self._close_handles()

    def _close_handles(self) -> None:
        self.control.close()
        self.channel.close()
        os.close(self.log)
        self._resources.close()


class _Conversation:
    """One run: inputs go out, then the answer, the log and the supervisor's report come in."""

    def __init__(self, vm: TaskVM, inputs: RunInputs, result: RunExchange) -> None:
        self._control, self._channel, self._log, self._request = vm.control, vm.channel, vm.log, vm.request
        self._result = result
        self._unsent = memoryview(LENGTH.pack(len(inputs.content)) + inputs.content)
        self._handles = list(inputs.handles)
        self._settled = False
        self._log_rests_until = 0.0
        self._poll = select.poll()

    def hold(self) -> None:
        deadline = time.monotonic() + _START_SECONDS + self._request.time_ms / 1000 + _END_SECONDS
        self._poll.register(self._control, select.POLLIN)
        self._poll.register(self._log, select.POLLIN)
        self._poll.register(self._channel, select.POLLIN)
        self._send()
        while (ready := self._wait(deadline)) is not None:
            if any(handle == self._control.fileno() for handle, _ in ready):
                self._result.report = _received_report(self._control)
                break
            self._serve(ready)
        self._drain()

    def _wait(self, deadline: float) -> list[tuple[int, int]] | None:
        """What is ready, which is nothing when only the log may be read again; None at the deadline."""
        now = time.monotonic()
        if 0 < self._log_rests_until <= now:
            self._log_rests_until = 0.0
            self._poll.register(self._log, select.POLLIN)
        until = min(deadline, self._log_rests_until or deadline)
        ready = self._poll.poll(max(0.0, until - now) * 1000)
        return ready if ready or until < deadline else None

    def _serve(self, ready: list[tuple[int, int]]) -> None:
        for handle, mask in ready:
            if handle == self._log:
                self._read_log()
                continue
            if mask & select.POLLOUT:
                self._send()
            if mask & ~select.POLLOUT and not _read(handle, self._result.answer):
                self._poll.unregister(self._channel)
                self._unsent = self._unsent[:0]
        self._settle()

    def _read_log(self) -> None:
        more = _read(self._log, self._result.log)
        if not more or self._result.log.dropped:
            self._poll.unregister(self._log)
        if more and self._result.log.dropped:
            self._log_rests_until = time.monotonic() + _LOG_REST_SECONDS

    def _send(self) -> None:
        """Send what goes out without waiting, and be told when more can."""
        try:
            if self._handles:
                sent = socket.send_fds(self._channel, [self._unsent[: LENGTH.size]], self._handles)
                self._handles = []
                self._unsent = self._unsent[sent:]
            while self._unsent:
                self._unsent = self._unsent[self._channel.send(self._unsent) :]
        except BlockingIOError:
            self._poll.modify(self._channel, select.POLLIN | select.POLLOUT)
            return
        except OSError:
            # The task is gone; its supervisor reports on that.
            self._unsent = self._unsent[:0]
        with contextlib.suppress(FileNotFoundError):
            self._poll.modify(self._channel, select.POLLIN)

    def _settle(self) -> None:
        """Tell the supervisor, once, that the answer is complete, or that there will be none that can be taken."""
        with contextlib.suppress(OSError):
            if self._result.is_too_large and not self._settled:
                self._settled = True
                self._control.shutdown(socket.SHUT_WR)
            elif self._result.is_answered and not self._settled and self._request.keep:
                self._settled = True
                self._control.send(ANSWERED)

    def _drain(self) -> None:
        """Read what is left: all that there is of a VM that has ended, and what a stopped one has written."""
        report = self._result.report
        over = report is None or bool(report["over"])
        deadline = time.monotonic() + (_DRAIN_SECONDS if over else 0.0)
        for handle, collected in ((self._channel.fileno(), self._result.answer), (self._log, self._result.log)):
            poll = select.poll()
            poll.register(handle, select.POLLIN)
            while poll.poll(max(0.0, deadline - time.monotonic()) * 1000) and _read(handle, collected):
                pass


def _read(handle: int, into: CollectedOutput) -> bool:
    """Read what there is; False at the end."""
    try:
        chunk = os.read(handle, _CHUNK)
    except BlockingIOError:
        return True
    except OSError:
        return False
    into.add(chunk)
    return bool(chunk)


def _is_readable(channel: socket.socket, seconds: float = 0.0) -> bool:
    poll = select.poll()
    poll.register(channel, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def _has_more(channel: socket.socket) -> bool:
    """Whether a readable channel has bytes, and not its end."""
    with contextlib.suppress(OSError):
        return bool(channel.recv(1, socket.MSG_PEEK))
    return False


def _received_report(control: socket.socket) -> dict[str, Any] | None:
    try:
        return dict(json.loads(receive_frame(control)))
    except (OSError, EOFError, ValueError):
        return None
