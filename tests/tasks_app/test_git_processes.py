"""Starting git: its streams, its end, its priority, and nothing left behind; under both event loops."""

import asyncio
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
import uvloop

from tasks_app.repository.processes import GitProcess

pytestmark = pytest.mark.processes


@pytest.fixture(params=[asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Any:
    def run(work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        with asyncio.Runner(loop_factory=request.param) as runner:
            return runner.run(work())

    return run


async def start(*words: str) -> GitProcess:
    return await GitProcess.start(words, environment=dict(os.environ), cwd=Path("/"), pass_fds=())


def test_what_is_written_comes_back_and_its_end_is_awaited_twice(run):
    async def work() -> tuple[bytes, bytes, int, int]:
        process = await start("sh", "-c", "cat; echo words >&2; exit 3")
        process.stdin.write(b"a pack")
        process.stdin.close()
        said, told = await process.stdout.read(), await process.stderr.read()
        return said, told, await process.wait(), await process.wait()

    assert run(work) == (b"a pack", b"words\n", 3, 3)


def test_one_that_is_killed_is_waited_for(run):
    async def work() -> int:
        process = await start("sleep", "600")
        os.killpg(process.pid, 9)
        return await process.wait()

    assert run(work) == -9


def test_it_gives_way_to_those_who_answer(run):
    async def work() -> int:
        process = await start("cat")
        niceness = os.getpriority(os.PRIO_PROCESS, process.pid)
        process.stdin.close()
        await process.wait()
        return niceness

    assert run(work) > os.getpriority(os.PRIO_PROCESS, 0)


def test_no_descriptor_stays_open_when_it_is_closed(run):
    async def work() -> tuple[int, int]:
        counts = []
        for _ in range(3):
            process = await start("true")
            await process.wait()
            process.close()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            counts.append(len(os.listdir("/proc/self/fd")))
        return counts[0], counts[-1]

    first, last = run(work)
    assert first == last


def test_a_program_that_is_not_there_is_said_so(run):
    with pytest.raises(FileNotFoundError):
        run(lambda: start("no-such-program"))
