"""A `make run` of the attack's own: its own folder, port and database, without emulated devices; deleted afterwards."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import psutil

from benchmarks.support.cores import SERVER_CPUS
from benchmarks.support.walle import ROOT, copy_cluster, free_port

START_S: Final = 300.0
UNLIMITED: Final = {"WALLE_API_READS_PER_MINUTE": "0", "WALLE_API_WRITES_PER_MINUTE": "0"}
# The marks of the product's own faults in its logs; messages of git about a bad request do not match.
_FAULT: Final = re.compile(
    r"Traceback \(most recent call last\)|\"level\": \"(error|critical)\"|\[(error|critical) *\]"
)


class Product:
    """The running product and the memory of its processes."""

    def __init__(self, folder: Path, port: int, process: subprocess.Popen[bytes]) -> None:
        self.folder, self.origin, self.process = folder, f"http://127.0.0.1:{port}", process
        self.memory: list[tuple[float, dict[str, float]]] = []
        self._done = threading.Event()

    def weigh(self) -> dict[str, float]:
        """Return the resident MB of the web server and of all workers together."""
        found = {"web": 0.0, "workers": 0.0}
        for child in psutil.Process(self.process.pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                words = " ".join(child.cmdline())
                name = "web" if "uvicorn" in words else "workers" if "celery" in words else ""
                if name:
                    found[name] += child.memory_info().rss / 1e6
        return found

    def faults(self) -> list[str]:
        """Return the lines of all processes' logs that report a fault, each with the end of its traceback."""
        found = []
        for path in sorted((self.folder / "logs").glob("*.log")):
            if path.name != "postgres.log":
                lines = path.read_text(errors="replace").splitlines()
                for number, line in enumerate(lines):
                    if _FAULT.search(line):
                        found.append(f"{path.name}: {line[:300]}{_raised(lines[number + 1 :])}")
        return found


def _raised(lines: Sequence[str]) -> str:
    """Return the origin of a traceback's exception, and the exception: only the lines of code are indented."""
    end = next(
        (number for number, line in enumerate(lines[:200]) if line and not line.startswith((" ", "Traceback"))), 0
    )
    return " | ".join(line.strip()[:200] for line in lines[max(0, end - 4) : end + 1])


@contextlib.contextmanager
def running_product() -> Iterator[Product]:
    """Run the product on the servers' core until it answers; Django of this process uses its database too."""
    with tempfile.TemporaryDirectory(prefix="walle-bench-") as name:
        folder, port = Path(name), free_port()
        folder.chmod(0o755)
        os.environ |= {
            "WALLE_DATA_DIR": name,
            "WALLE_PORT": str(port),
            "WALLE_EMULATED_DEVICES": "0",
            "WALLE_LOG_LEVEL": "warning",
        }
        os.environ |= {"DJANGO_SETTINGS_MODULE": "walleweb.settings", "PYTHONPATH": str(ROOT), **UNLIMITED}
        os.environ.pop("DATABASE_URL", None)
        copy_cluster(folder)
        with (folder / "run.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "walleweb.embedded.run"], cwd=ROOT, stdout=log, stderr=log
            )
            os.sched_setaffinity(process.pid, SERVER_CPUS)
            try:
                _wait(folder, process)
                import django

                django.setup()
                yield Product(folder, port, process)
            finally:
                process.terminate()
                process.wait(60)


def _wait(folder: Path, process: subprocess.Popen[bytes]) -> None:
    """Wait until the addresses are printed: by then the example tasks are pushed, too."""
    deadline = time.monotonic() + START_S
    while "/api/v1/docs" not in (printed := (folder / "run.log").read_text(errors="replace")):
        if process.poll() is not None or time.monotonic() > deadline:
            raise SystemExit(f"`make run` did not start:\n{printed[-3000:]}")
        time.sleep(0.2)
