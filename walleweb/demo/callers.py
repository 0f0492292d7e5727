"""Callers of the example pipeline: users of a service that wants to know the mood of what each of them wrote.

    WALLE_TOKEN=... python -m walleweb.demo.callers --server http://127.0.0.1:8000 --app market

They ask at random, about once a second all together, one record mostly and sometimes a batch.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Final, Self

import httpx

from walleweb.demo.examples import MOOD, TEXT

USERS: Final = 60
EVERY_S: Final = 1.0
"""How many seconds pass between two requests on average."""
BATCHES: Final = 0.1
"""The share of requests that are batches, and how many records one has."""
BATCH: Final = 20
TIMEOUT_S: Final = 60.0
"""The first request waits until a serving process has loaded the kernels."""


class Callers:
    """Users of one app, for whom a service asks; they send real sentences in turn."""

    def __init__(self, server: str, token: str, app: str, users: int = USERS) -> None:
        self.users = [f"user-{number}" for number in range(1, users + 1)]
        self._records = _sentences(TEXT.inputs)
        self._turn = 0
        self._address = f"{server}/predict/v1/{app}/{MOOD.task}"
        self._client = httpx.Client(headers={"authorization": f"Bearer {token}"}, timeout=TIMEOUT_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def ask(self, user: str, records: int = 1) -> httpx.Response:
        """Return the answer to a request for one user. Raises httpx.TransportError."""
        chosen = [self._records[(self._turn + each) % len(self._records)] for each in range(records)]
        self._turn += records
        asked = {"record": chosen[0]} if records == 1 else {"records": chosen}
        return self._client.post(self._address, json={**asked, "caller": user})

    def ask_now_and_then(self, random: Random) -> None:
        """Ask until the process ends, and print when answers begin, and when they cease."""
        answered, since = False, time.monotonic()
        while True:
            time.sleep(random.expovariate(1 / EVERY_S))
            news = self._tried(random.choice(self.users), BATCH if random.random() < BATCHES else 1)
            if (not news) != answered:
                answered = not news
                print(f"{news or 'predictions are answered'}, after {time.monotonic() - since:.1f} s", flush=True)
                since = time.monotonic()

    def _tried(self, user: str, records: int) -> str:
        """Return why there was no answer; "" if there was one, even that the version refuses the record."""
        try:
            response = self.ask(user, records)
        except httpx.TransportError as error:
            return f"no answer: {type(error).__name__}"
        is_answer = response.is_success or response.status_code == httpx.codes.UNPROCESSABLE_ENTITY
        return "" if is_answer else f"{response.status_code} {response.headers.get('walle-error', '')}"


def _sentences(path: Path) -> Sequence[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line)["inputs"] for line in lines]


def main() -> int:
    options = parser().parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with Callers(options.server, os.environ["WALLE_TOKEN"], options.app) as callers:
        callers.ask_now_and_then(Random())  # noqa: S311  no secret
    return 0


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(prog="python -m walleweb.demo.callers", description="Callers of comments/mood.")
    found.add_argument("--server", required=True, metavar="URL")
    found.add_argument("--app", required=True)
    return found


if __name__ == "__main__":
    sys.exit(main())
