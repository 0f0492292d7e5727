"""Features as an intake hands them to a sink."""

import json
from datetime import UTC, datetime
from typing import Any

from walle.gateway.ports import ReceivedFeature

NOON = datetime(2027, 1, 15, 12, tzinfo=UTC).timestamp()
SPOOL = bytes(range(8))


def feature(sequence: int, *, device: str = "phone", values: Any = None, **changed: Any) -> ReceivedFeature:
    """One feature of the shop's task camera/look, received at noon, half a second after its event."""
    written = json.dumps({"n": sequence} if values is None else values).encode()
    made = ReceivedFeature(
        app="shop",
        device=device,
        spool=SPOOL,
        sequence=sequence,
        task="camera/look",
        version="1.2.0",
        manifest="0123456789abcdef01234567",
        at=NOON - 0.4,
        tracked_at=NOON - 0.5,
        received_at=NOON,
        values=written,
        raw_bytes=len(written),
        wire_bytes=len(written) + 20,
    )
    return made._replace(**changed)
