"""Debian's mosquitto as a peer of the tunnel, with and without its persistence."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.support.walle import Server, free_port, wait_for_port

MISSING = "this benchmark needs mosquitto as the peer: apt-get install -y --no-install-recommends mosquitto"
_COMMON = """
listener {port} 127.0.0.1
allow_anonymous true
max_inflight_messages 0
max_queued_messages 0
set_tcp_nodelay true
log_type error
"""
_PERSISTENT = """
persistence true
persistence_location {folder}/
# As durable as it can be made: it writes all that it holds after each message.
autosave_on_changes true
autosave_interval 1
"""


@contextlib.contextmanager
def mosquitto(*, persistent: bool, cpus: Sequence[int]) -> Iterator[Server]:
    """Run a broker on the given CPUs; `persistent` has it save its messages as often as it can."""
    program = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")
    if program is None:
        raise SystemExit(MISSING)
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="walle-bench-") as name:
        folder = Path(name)
        folder.chmod(0o777)  # started by root, it goes on as an account of its own
        text = _COMMON.format(port=port) + (_PERSISTENT.format(folder=folder) if persistent else "persistence false\n")
        (folder / "mosquitto.conf").write_text(text)
        process = subprocess.Popen([program, "-c", folder / "mosquitto.conf"], stdout=subprocess.DEVNULL)
        os.sched_setaffinity(process.pid, cpus)
        try:
            wait_for_port(port, process)
            yield Server(port, process)
        finally:
            process.terminate()
            process.wait(20)


def version() -> str:
    """Return the version of the broker that is installed."""
    program = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")
    if program is None:
        raise SystemExit(MISSING)
    said = subprocess.run([program, "-h"], capture_output=True, text=True, check=False).stdout
    return said.split("\n", 1)[0].removeprefix("mosquitto version ")
