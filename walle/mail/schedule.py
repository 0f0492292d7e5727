"""When a person's next message is due, and what becomes of one that was not accepted.

Events are gathered for five minutes from the first one; an urgent one is due at once, and takes along what waits. Of
more messages than a person may have in an hour, the rest is gathered, too, until there is room for another one.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

GATHERED_FOR: Final = timedelta(minutes=5)
HOUR: Final = timedelta(hours=1)
MOST_AN_HOUR: Final = 10
FIRST_PAUSE: Final = timedelta(minutes=1)
LONGEST_PAUSE: Final = timedelta(minutes=15)
JITTER: Final = 0.2
GIVEN_UP_AFTER: Final = timedelta(days=1)
"""For how long a message is tried, and after which an event is no news any more."""


def due_at(*, oldest: datetime, urgent: datetime | None, sent: Collection[datetime]) -> datetime:
    """Return when the next message is due; `oldest` and `urgent` are the first events that wait, of any kind and of
    urgent ones, `sent` when earlier messages went out.
    """
    gathered = oldest + GATHERED_FOR
    return max(gathered if urgent is None else min(gathered, urgent), room_from(sent) or oldest)


def room_from(sent: Collection[datetime], most: int = MOST_AN_HOUR) -> datetime | None:
    """Return from when on another message keeps to so many within any hour; None if it always would have."""
    return sorted(sent)[-most] + HOUR if len(sent) >= most else None


class MailOutcome(StrEnum):
    SENT = "sent"
    RETRY = "retry"
    FAILED = "failed"


@dataclass(frozen=True)
class MailFailure:
    """Why a server did not accept a message; `code` is its answer, None if there was none."""

    reason: str
    code: int | None = None
    of_recipient: bool = False

    @property
    def is_final(self) -> bool:
        """Whether no other attempt would help: the address is refused. All else is mended by an operator, or time."""
        return self.of_recipient and self.code is not None and 500 <= self.code < 600


@dataclass(frozen=True)
class MailConclusion:
    """The result of an attempt, with the pause before the next one if there is one."""

    outcome: MailOutcome
    pause: timedelta | None = None


def conclude_attempt(
    failure: MailFailure | None, *, attempt: int, created_at: datetime, now: datetime, chance: float
) -> MailConclusion:
    """After the attempt with this number (from 1): pauses double from one minute to a quarter of an hour, each a
    fifth more or less, for a day. `chance` is drawn from [0, 1).
    """
    if failure is None:
        return MailConclusion(MailOutcome.SENT)
    pause = min(FIRST_PAUSE * 2 ** min(attempt - 1, 10), LONGEST_PAUSE) * (1 - JITTER + 2 * JITTER * chance)
    if failure.is_final or now + pause - created_at > GIVEN_UP_AFTER:
        return MailConclusion(MailOutcome.FAILED)
    return MailConclusion(MailOutcome.RETRY, pause)
