"""What no sink of features can store, checked before a group of them is written."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from walle.gateway.ports import FeatureRefused, ReceivedFeature
from walle.schema.values import is_text

LAST_SEQUENCE: Final = 2**53 - 1
"""Beyond it, Redis' scripts count in steps of more than one."""
MOST_BYTES: Final = 2**31 - 1
MOST_TEXT: Final = 200
"""The most characters of a name: of a device, a task, a version or a manifest."""

_LATEST: Final = datetime(9999, 12, 31, tzinfo=UTC).timestamp()


def check_features(features: Sequence[ReceivedFeature]) -> None:
    """Raise FeatureRefused for the first feature whose names, numbers or text cannot be stored."""
    for place, feature in enumerate(features):
        reason = _fault(feature)
        if reason:
            raise FeatureRefused(place, reason)


def _fault(feature: ReceivedFeature) -> str:
    for name in (feature.device, feature.task, feature.version, feature.manifest):
        if len(name) > MOST_TEXT or "\0" in name or not is_text(name):
            return f"expected names of at most {MOST_TEXT} characters of UTF-8, without NUL"
    if not 0 < feature.sequence <= LAST_SEQUENCE:
        return f"expected a sequence from 1 to {LAST_SEQUENCE}"
    if max(feature.raw_bytes, feature.wire_bytes) > MOST_BYTES:
        return f"expected sizes of at most {MOST_BYTES} bytes"
    return ""


def storable_time(seconds: float) -> datetime:
    """Return a time that a device says in Unix seconds, or the nearest that databases can hold."""
    return datetime.fromtimestamp(min(max(seconds, 0.0), _LATEST), UTC)
