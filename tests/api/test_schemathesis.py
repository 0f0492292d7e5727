"""A running server is asked what the OpenAPI document allows and forbids: no fault, no breach of the document.

WALLE_EXAMPLES says how many requests each operation gets, as of all property-based tests; in CI they are the same ones.
"""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.api.test_matrix import world  # noqa: F401
from tests.support.people import make_staff, token_of
from tests.tasks_app.git_server import running_server
from tests.tiers.examples import are_the_same, multiplied

pytestmark = [pytest.mark.processes, pytest.mark.django_db(transaction=True)]

FOLDER = Path(__file__).parent
SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
EXAMPLES = 5
"""For each operation, beside those that leave out and break each part of a request."""
SEED = 20261120
UNLIMITED = dict.fromkeys(("WALLE_API_READS_PER_MINUTE", "WALLE_API_WRITES_PER_MINUTE", "WALLE_LOGINS_PER_MINUTE"), "0")


def test_the_server_keeps_what_the_document_promises(world, settings, tmp_path):  # noqa: F811
    seed = SEED if are_the_same() else random.randrange(2**32)
    extent = ("--max-examples", str(multiplied(EXAMPLES)), "--seed", str(seed))
    own = {"WALLE_LOG_LEVEL": "warning", **UNLIMITED}
    with running_server(tmp_path, settings.WALLE_MASTER_KEY, **own) as server:
        address = f"http://127.0.0.1:{server.port}/api/v1/schema"
        command = [SCHEMATHESIS, "--config-file", FOLDER / "schemathesis.toml", "run", address, *extent]
        environment = {**os.environ, "WALLE_TOKEN": token_of(make_staff()), "PYTHONPATH": str(FOLDER)}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
