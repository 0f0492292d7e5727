"""The answers that features wait for: what was asked is on the disk until its answer came or its deadline passed."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from walle.device.storage.disk import Disk, remove_temporaries
from walle.protocol import tunnel_frames as wire
from walle.protocol.errors import FrameMalformed
from walle.protocol.tunnel_frames import MAX_ANSWER_MS
from walle.protocol.tunnel_messages import read_values

log = logging.getLogger(__name__)

MAX_AWAITED: Final = 256
"""So many features wait for an answer at most; then the oldest is told as timed out."""


@dataclass(frozen=True)
class FeatureAnswer:
    """What the cloud said of a feature: `values` if it answered, else `reason` says why there is none."""

    status: Literal["answered", "none", "timed-out"]
    values: Mapping[str, Any] | None = None
    reason: str = ""

    @classmethod
    def read(cls, status: int, body: bytes) -> FeatureAnswer:
        """Read the status and the body of an Answer frame. Raises FrameMalformed."""
        if status == wire.ANSWERED:
            return cls("answered", read_values(body))
        return cls("none" if status == wire.NO_ANSWER else "timed-out", reason=body.decode(errors="replace"))


AnswerHandler = Callable[[str, Mapping[str, Any], FeatureAnswer], None]
"""Takes the task, the values that were sent, and their answer; in the thread of the agent's event loop."""


@dataclass(frozen=True)
class AwaitedAnswer:
    """A feature whose answer is awaited until `deadline` (Unix seconds)."""

    path: Path
    task: str
    values: Mapping[str, Any]
    deadline: float


class AwaitedAnswers:
    """The features in one folder that wait for an answer, each in a file of its own.

    `expect` may be called in another thread than the rest.
    """

    def __init__(self, folder: Path, disk: Disk, *, limit: int = MAX_AWAITED) -> None:
        self._folder, self._disk, self._limit = folder, disk, limit
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        remove_temporaries(folder)
        self._awaited = {awaited.path.stem: awaited for awaited in _loaded(folder)}

    def __len__(self) -> int:
        return len(self._awaited)

    @property
    def due(self) -> float | None:
        """When the next deadline passes, in Unix seconds; None if nothing is awaited."""
        return min((awaited.deadline for awaited in list(self._awaited.values())), default=None)

    def expect(self, spool: bytes, sequence: int, task: str, body: bytes, deadline: float) -> None:
        """From now on wait for the answer to this feature, whose values are JSON, also in the next process."""
        key = _key(spool, sequence)
        path, values = self._folder / f"{key}.json", json.loads(body)
        stored = {"task": task, "deadline": deadline, "values": values}
        self._disk.create(path, json.dumps(stored).encode(), step="awaited answer")
        self._awaited[key] = AwaitedAnswer(path, task, values, deadline)

    def take(self, spool: bytes, sequence: int) -> AwaitedAnswer | None:
        """Return the feature that this answer was awaited for, once; None if it is not awaited any more."""
        awaited = self._awaited.pop(_key(spool, sequence), None)
        if awaited is not None:
            self._forget(awaited)
        return awaited

    def take_expired(self, now: float) -> list[AwaitedAnswer]:
        """Return the features whose deadline has passed, and the oldest of more than there may be, each once.

        No deadline is farther away than MAX_ANSWER_MS, unless the clock was set back: then it has passed too.
        """
        farthest = now + MAX_ANSWER_MS / 1000
        ordered = sorted(self._awaited.copy().items(), key=lambda item: item[1].deadline)
        surplus = len(ordered) - self._limit
        expired = [
            item for index, item in enumerate(ordered) if not now < item[1].deadline <= farthest or index < surplus
        ]
        for key, awaited in expired:
            del self._awaited[key]
            self._forget(awaited)
        return [awaited for _, awaited in expired]

    def _forget(self, awaited: AwaitedAnswer) -> None:
        """Have the next process not wait for it, if the disk can still be written."""
        try:
            self._disk.remove(awaited.path, step="answer told")
        except OSError as error:
            log.warning("an answer may be told again by the next process: %s", error)


def read_answer_frame(frame: wire.Answer) -> FeatureAnswer:
    """Return the answer in a frame; one that cannot be read is none."""
    try:
        return FeatureAnswer.read(frame.status, frame.body)
    except FrameMalformed as error:
        return FeatureAnswer("none", reason=f"the answer is not readable: {error}")


def _key(spool: bytes, sequence: int) -> str:
    return f"{spool.hex()}-{sequence}"


def _loaded(folder: Path) -> Iterable[AwaitedAnswer]:
    for path in sorted(folder.glob("*.json")):
        try:
            stored = json.loads(path.read_bytes())
            yield AwaitedAnswer(path, str(stored["task"]), dict(stored["values"]), float(stored["deadline"]))
        except (ValueError, KeyError, TypeError) as error:
            log.warning("an awaited answer is not readable and is given up: %s: %s", path.name, error)
            path.unlink(missing_ok=True)
