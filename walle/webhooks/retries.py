"""What follows from an attempt to deliver: done, another one later, given up, or never again.

Eight attempts over 27 hours: at once, then after 5 s, 25 s, 2 min, 10 min, 52 min, 4 h and 22 h, each a fifth more or
less, so that what failed together does not come back together.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from http import HTTPStatus
from typing import Final

ATTEMPTS: Final = 8
FIRST_PAUSE: Final = timedelta(seconds=5)
GROWTH: Final = 5
JITTER: Final = 0.2
# A receiver that took nothing for so long is not coming back by itself.
DISABLE_AFTER: Final = timedelta(days=5)


class AttemptOutcome(StrEnum):
    DELIVERED = "delivered"
    RETRY = "retry"
    GIVEN_UP = "given up"
    GONE = "gone"


@dataclass(frozen=True)
class Conclusion:
    """The result of an attempt, with the pause before the next one if there is one."""

    outcome: AttemptOutcome
    pause: timedelta | None = None


def conclude(*, attempt: int, status: int | None, chance: float) -> Conclusion:
    """After the attempt with this number (from 1) was answered with a status, or with nothing.

    Any 2xx is delivered; 410 says that the receiver wants nothing more, ever; all else may be a matter of time,
    redirections included, which are not followed. `chance` is drawn from [0, 1).
    """
    if status is not None and 200 <= status < 300:
        return Conclusion(AttemptOutcome.DELIVERED)
    if status == HTTPStatus.GONE:
        return Conclusion(AttemptOutcome.GONE)
    if attempt >= ATTEMPTS:
        return Conclusion(AttemptOutcome.GIVEN_UP)
    pause = FIRST_PAUSE * GROWTH ** (attempt - 1)
    return Conclusion(AttemptOutcome.RETRY, pause * (1 - JITTER + 2 * JITTER * chance))


def is_hopeless(*, failing_since: datetime, now: datetime) -> bool:
    """Return whether a webhook has failed for so long that it should be disabled."""
    return now - failing_since >= DISABLE_AFTER
