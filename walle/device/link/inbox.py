"""The answers that arrive in an app's threads, on their way to the loop that acts on them."""

from __future__ import annotations

from collections import deque
from typing import Final

from walle.device.link.cloud import CloudAnswer
from walle.device.service import Wake

LIMIT: Final = 16
"""Answers kept; of more, the oldest are forgotten, for the newest says what holds now."""


class Inbox:
    """A queue that any thread may fill and one event loop empties."""

    def __init__(self) -> None:
        self._answers: deque[CloudAnswer] = deque(maxlen=LIMIT)
        self.wake = Wake()

    def put(self, answer: CloudAnswer) -> None:
        self._answers.append(answer)
        self.wake.up()

    def take(self) -> list[CloudAnswer]:
        taken = []
        while self._answers:
            taken.append(self._answers.popleft())
        return taken
