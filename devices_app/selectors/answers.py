"""Read answers to features that devices still wait for."""

from datetime import UTC, datetime
from typing import Any, Final

from django.db.models import F, QuerySet

from devices_app.models import FeatureAnswer
from walle.gateway.ports import PendingAnswer

MOST_AT_ONCE: Final = 1_000


def answers_between(first: int, last: int, *, now: float) -> tuple[list[PendingAnswer], int | None]:
    """Return answers in the order of their ids, which are from `first` to `last`, that have not expired.

    These are at most MOST_AT_ONCE; returns besides at which id to continue, None if there are no more.
    """
    found = _waiting(now).filter(id__range=(first, last)).order_by("id").values_list("id", *_COLUMNS)
    rows = list(found[:MOST_AT_ONCE])
    following = rows[-1][0] + 1 if len(rows) == MOST_AT_ONCE else None
    return [_pending(row[1:]) for row in rows], following


def answers_for(app: str, device: str, *, now: float) -> list[PendingAnswer]:
    """Return the answers that a device waits for, the oldest first."""
    rows = _waiting(now).filter(app__slug=app, device=device).order_by("id").values_list(*_COLUMNS)
    return list(map(_pending, rows[:MOST_AT_ONCE]))


_COLUMNS: Final = ("slug", "device", "spool", "sequence", "status", "body", "expires")


def _waiting(now: float) -> QuerySet[FeatureAnswer]:
    found = FeatureAnswer.objects.filter(expires__gt=datetime.fromtimestamp(now, UTC))
    return found.annotate(slug=F("app__slug"))


def _pending(row: tuple[Any, ...]) -> PendingAnswer:
    app, device, spool, sequence, status, body, expires = row
    return PendingAnswer(app, device, bytes(spool), sequence, status, bytes(body), expires.timestamp())
