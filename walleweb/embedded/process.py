"""Start child processes that never outlive the process that started them."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypedDict

PR_SET_PDEATHSIG = 1

# Loaded once here: between fork and exec a child must not import or allocate more than it has to.
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


@dataclass(frozen=True)
class SystemAccount:
    """The uid and gid that a child runs as; only root can start a child as another user."""

    uid: int
    gid: int


class Identity(TypedDict, total=False):
    """Arguments of subprocess for the identity of a child; without any it has its parent's."""

    user: int
    group: int
    extra_groups: list[int]


def spawn(
    argv: Sequence[str],
    *,
    output: IO[bytes] | int,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    account: SystemAccount | None = None,
    death_signal: signal.Signals = signal.SIGTERM,
) -> subprocess.Popen[bytes]:
    """Start a child in a session of its own, with stdout and stderr going to `output`.

    On Linux the kernel sends the child `death_signal` when the calling *thread* ends, however it
    ends (kill -9 included), so call this from a thread that lives as long as the child should.
    """
    return subprocess.Popen(
        list(argv),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        env=None if env is None else dict(env),
        cwd=cwd,
        start_new_session=True,
        preexec_fn=_death_pact(death_signal),  # noqa: PLW1509 - one prctl call, nothing that takes a lock
        **identity(account),
    )


def identity(account: SystemAccount | None) -> Identity:
    """Return the arguments of subprocess that make a child run as `account`, with no other groups."""
    if account is None:
        return {}
    return {"user": account.uid, "group": account.gid, "extra_groups": []}


def _death_pact(death_signal: signal.Signals) -> Callable[[], None] | None:
    """Return what the child runs before exec; after setuid, because a change of uid clears the death signal."""
    if _LIBC is None:
        return None
    prctl, parent = _LIBC.prctl, os.getpid()

    def pledge() -> None:
        prctl(PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)

    return pledge


def stop(process: subprocess.Popen[bytes], *, signals: Sequence[tuple[signal.Signals, float]]) -> None:
    """Send each signal in turn, waiting that many seconds for the process to end after it."""
    for number, grace in signals:
        if process.poll() is not None:
            return
        process.send_signal(number)
        try:
            process.wait(timeout=grace)
        except subprocess.TimeoutExpired:
            continue
