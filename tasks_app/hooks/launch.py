"""Start the warm process of a server process, and pass facts about a push to its hooks."""

import asyncio
import shutil
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
        """Return the address where it listens, or soon will: a client that comes too early runs without it."""
        if self._process is None or self._process.returncode is not None:
            # A process that was killed could not remove its socket.
            if self._folder:
                shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = tempfile.mkdtemp(prefix="walle-hooks-")
            argv = (sys.executable, "-P", "-m", "tasks_app.hooks", "warm", f"{self._folder}/socket")
            self._process = await asyncio.create_subprocess_exec(
                *argv,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,
                env=environment,
                start_new_session=True,
            )
        return f"{self._folder}/socket"


WARM = WarmProcess()
"""The warm process of this server process."""
