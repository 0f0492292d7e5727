"""Find the times in which no report could be stored."""

from datetime import datetime, timedelta
from typing import Final

from devices_app.models import GatewayPresence, Interruption

SHORTEST: Final = timedelta(seconds=10)
"""The longest time without a gateway's presence that is no interruption: devices try again within it."""
KEPT: Final = timedelta(days=400)
"""How long interruptions are known; no stage takes longer."""


def interruptions(since: datetime, now: datetime) -> list[tuple[datetime, datetime]]:
    """Return the interruptions that overlap this time, in order; the last one may be going on still.

    Without any presence so far there is none: nothing is known then.
    """
    rows = Interruption.objects.filter(ended_at__gt=since, began_at__lt=now).order_by("began_at")
    found = list(rows.values_list("began_at", "ended_at"))
    seen_at = GatewayPresence.objects.filter(pk=1).values_list("seen_at", flat=True).first()
    if seen_at is not None and now - seen_at > SHORTEST:
        found.append((seen_at, now))
    return found
