"""MLServer as a peer over HTTP, in an environment of its own, with adaptive batching."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
import joblib
import sklearn

from benchmarks.support.walle import START_S, Server, free_port
from benchmarks.support.whitebox.archives import Family
from benchmarks.support.whitebox.http_load import http_request
from benchmarks.support.whitebox.models import models_folder

VERSION: Final = "1.7.1"
_PACKAGES: Final = (
    f"mlserver=={VERSION}",
    f"mlserver-sklearn=={VERSION}",
    f"scikit-learn=={sklearn.__version__}",
    # Under later ones its workers do not start: they count on an event loop that nobody has made.
    "uvloop==0.21.0",
)
_INSTALLATION_S: Final = 900.0


@dataclass(frozen=True)
class Batching:
    """How MLServer is configured: the most records of a batch, and how long the first one waits for others.

    `workers` are processes beside the one that listens; with none, that one predicts itself.
    """

    size: int
    wait_s: float
    workers: int

    def __str__(self) -> str:
        return f"batches of {self.size}, {self.wait_s * 1000:g} ms, {self.workers} workers"


CONFIGURATIONS: Final = (
    Batching(8, 0.001, 0),
    Batching(32, 0.002, 0),
    Batching(64, 0.005, 0),
    Batching(32, 0.002, 1),
)


def environment_folder() -> Path:
    """Return the folder of MLServer's environment."""
    return models_folder().parent / f"mlserver-{VERSION}-{sklearn.__version__}"


def install_mlserver() -> str | None:
    """Make the environment unless it is there; return why it could not be made, None if it could."""
    folder = environment_folder()
    ready = folder / "ready"
    if ready.exists():
        return None
    commands = (
        [sys.executable, "-m", "venv", "--clear", str(folder)],
        [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", *_PACKAGES],
    )
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_INSTALLATION_S, check=False)
        if done.returncode:
            return (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
    ready.touch()
    return None


@contextlib.contextmanager
def mlserver(
    repository: Path, family: Family, numbers: Sequence[int], batching: Batching, cpus: Sequence[int]
) -> Iterator[Server]:
    """Serve pipelines of a family, which are named by their numbers, from a repository that is written."""
    environment = environment_folder()
    port = free_port()
    for number in numbers:
        _write_model(repository / str(number), family, number, batching)
    settings = {
        "host": "127.0.0.1",
        "http_port": port,
        "grpc_port": free_port(),
        "metrics_port": free_port(),
        "parallel_workers": batching.workers,
        "use_structured_logging": False,
        "debug": False,
        "logging_settings": {"version": 1, "disable_existing_loggers": True},
    }
    (repository / "settings.json").write_text(json.dumps(settings))
    variables = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with (repository / "log").open("wb") as log:
        process = subprocess.Popen(
            [str(environment / "bin" / "mlserver"), "start", str(repository)], env=variables, stdout=log, stderr=log
        )
        os.sched_setaffinity(process.pid, cpus)
        try:
            _wait(port, process, numbers, log.name)
            yield Server(port, process)
        finally:
            process.terminate()
            process.wait(30)


def _write_model(folder: Path, family: Family, number: int, batching: Batching) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    model = folder / "model.joblib"
    if not model.exists():
        joblib.dump(family.pipeline(number), model)
    settings = {
        "name": str(number),
        "implementation": "mlserver_sklearn.SKLearnModel",
        "parameters": {"uri": "./model.joblib"},
        "max_batch_size": batching.size,
        "max_batch_time": batching.wait_s,
    }
    (folder / "model-settings.json").write_text(json.dumps(settings))


def _wait(port: int, process: subprocess.Popen[bytes], numbers: Sequence[int], log: str) -> None:
    """Return when all models are ready: with workers they are some time after the server is."""
    waiting, deadline = list(numbers), time.monotonic() + 2 * START_S
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(httpx.HTTPError):
            if httpx.get(f"http://127.0.0.1:{port}/v2/models/{waiting[-1]}/ready", timeout=5).status_code == 200:
                waiting.pop()
        if not waiting:
            return
        time.sleep(0.1)
    raise RuntimeError(f"MLServer did not start: {Path(log).read_text()[-2000:]}")


def mlserver_request(number: int, raw: Any) -> bytes:
    """Return the HTTP request for the probabilities of one record: a text, or a row of numbers without NaN."""
    if isinstance(raw, str):
        as_text = {"parameters": {"content_type": "str"}}
        body: dict[str, Any] = {
            **as_text,
            "inputs": [{"name": "text", "shape": [1], "datatype": "BYTES", "data": [raw], **as_text}],
        }
    else:
        row = [float(value) for value in raw]
        body = {"inputs": [{"name": "row", "shape": [1, len(row)], "datatype": "FP64", "data": row}]}
    return http_request(f"/v2/models/{number}/infer", body | {"outputs": [{"name": "predict_proba"}]})
