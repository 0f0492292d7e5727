"""Somebody who looks at the releases all the time, and counts what was refused."""

from __future__ import annotations

import threading
import time
from typing import Final

import httpx

from benchmarks.support.live.wire import Trouble

_EVERY_S: Final = 0.25
_TIMEOUT_S: Final = 15.0


class Visitor:
    """Reads the list of releases from a thread of its own; `troubles` are the requests that failed."""

    def __init__(self, address: str, token: str) -> None:
        headers = {"authorization": f"Bearer {token}"}
        self._client = httpx.Client(base_url=f"{address}/api/v1/", headers=headers, timeout=_TIMEOUT_S)
        self.troubles: list[Trouble] = []
        self.answered = 0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="visitor", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join(_TIMEOUT_S)
        self._client.close()

    def _run(self) -> None:
        while not self._stopped.wait(_EVERY_S):
            requested = time.time()
            try:
                response = self._client.get("releases")
            except httpx.HTTPError as error:
                what = type(error).__name__
            else:
                what = str(response.status_code)
            if what == "200":
                self.answered += 1
            else:
                self.troubles.append(Trouble(requested, time.time(), "releases", what))
