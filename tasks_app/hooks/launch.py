"""Start the warm process of a server process, and pass facts about a push to its hooks."""

import asyncio
import shutil
import socket
import sys
import tempfile
from collections.abc import Mapping

from accounts_app.actors import Actor


def push_facts(slug: str, actor: Actor, request_id: str) -> dict[str, str]:
    """Return the environment variables that tell the hooks about a push to a scenario: primary keys, nothing secret."""
    return {
        "WALLE_PUSH_SCENARIO": slug,
        "WALLE_PUSH_USER": str(actor.user.pk) if actor.user else "",
        "WALLE_PUSH_TOKEN": str(actor.token.pk) if actor.token else "",
        "WALLE_PUSH_REQUEST": request_id,
    }


class WarmProcess:
    """The warm process of this server process, started when a push needs it and again after it ended."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._folder: str | None = None

    async def address(self, environment: Mapping[str, str]) -> str:
        """Return the address where it listens: a client that comes while it still loads Django waits for it."""
        if self._process is None or self._process.returncode is not None:
            # A process that was killed could not remove its socket.
            if self._folder:
                shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = tempfile.mkdtemp(prefix="walle-hooks-")
            self._process = await start_warm_process(f"{self._folder}/socket", environment)
        return f"{self._folder}/socket"


async def start_warm_process(address: str, environment: Mapping[str, str]) -> asyncio.subprocess.Process:
    """Start a warm process that inherits a socket which listens at `address` from now on."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        descriptor = listening.fileno()
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "tasks_app.hooks", "warm", address, str(descriptor)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
            pass_fds=(descriptor,),
        )


WARM = WarmProcess()
"""The warm process of this server process."""
