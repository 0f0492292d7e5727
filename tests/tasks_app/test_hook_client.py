"""The program that git runs as a hook, and the warm process that it asks."""

import asyncio
import os
import select
import shutil
import socket
import subprocess
import sys

import pytest
import uvloop

from tasks_app.hooks import client
from tasks_app.hooks.launch import start_warm_process

pytestmark = pytest.mark.processes

ALONE = "-P -m tasks_app.hooks pre-receive"


@pytest.fixture
def hook_environment(tmp_path):
    """Of a push whose hook, where it runs without the warm process, says only how it was started."""
    return {
        "WALLE_PYTHON": shutil.which("echo") or "",
        "WALLE_PUSH_WARM": str(tmp_path / "socket"),
        "WALLE_PUSH_LOCK": "0",
        "WALLE_PUSH_LOG": "0",
    }


def start_client(environment: dict[str, str]) -> subprocess.Popen[str]:
    argv = [sys.executable, "-I", "-S", client.__file__, "pre-receive"]
    return subprocess.Popen(argv, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("factory", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def test_a_client_may_come_as_soon_as_the_warm_process_is_started(factory, tmp_path):
    async def work() -> None:
        process = await start_warm_process(str(tmp_path / "socket"), dict(os.environ))
        with socket.socket(socket.AF_UNIX) as early:
            early.connect(str(tmp_path / "socket"))
        process.kill()
        await process.wait()

    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(work())


def test_a_hook_without_a_warm_process_runs_by_itself(hook_environment):
    assert start_client(hook_environment).communicate()[0].strip() == ALONE


def test_a_hook_whose_warm_process_ends_before_it_has_loaded_runs_by_itself(hook_environment):
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(hook_environment["WALLE_PUSH_WARM"])
        listening.listen()
        process = start_client(hook_environment)
        select.select([listening], [], [])
    assert process.communicate()[0].strip() == ALONE


def test_a_hook_that_has_begun_is_not_run_again(hook_environment):
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(hook_environment["WALLE_PUSH_WARM"])
        listening.listen()
        process = start_client(hook_environment)
        with listening.accept()[0] as warm:
            while not warm.recv(1 << 16).endswith(b"\n"):
                pass
    assert process.communicate()[0] == ""
    assert process.returncode == 1
