"""A queue for the answers that arrive in an app's threads and are handled in the agent's event loop."""

from __future__ import annotations

from collections import deque
from typing import Final

from walle.device.link.cloud import CloudAnswer
from walle.device.service import Wake

LIMIT: Final = 16
"""The most answers that are kept; the oldest are dropped, because the newest one is up to date."""


class Inbox:
    """A queue that any thread may fill and one event loop empties."""

    def __init__(self) -> None:
        self._answers: deque[CloudAnswer] = deque(maxlen=LIMIT)
        self.wake = Wake()

    def put(self, answer: CloudAnswer) -> None:
        self._answers.append(answer)
        self.wake.up()

    def take(self) -> list[CloudAnswer]:
        answers = []
        while self._answers:
            answers.append(self._answers.popleft())
        return answers
