"""What readers of features are given, and how they say what they want."""

import json
from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any, NamedTuple, Self


class FeatureCursor(NamedTuple):
    """A place in the order of features: up to and including the feature of this transaction and id."""

    xid: int = 0
    id: int = 0

    @classmethod
    def read(cls, xid: int, id: int) -> Self:
        """Return a cursor that somebody sent; raises ValueError for numbers that PostgreSQL does not have."""
        if not (0 <= xid < 2**63 and 0 <= id < 2**63):
            raise ValueError("a place beyond all numbers")
        return cls(xid, id)


class StoredFeature(NamedTuple):
    """One stored feature; `written` are its values as JSON. `rolled_back`: its version was, and is in quarantine."""

    xid: int
    id: int
    app: str
    device: str
    spool: bytes
    sequence: int
    task: str
    version: str
    manifest: str
    at: datetime
    tracked_at: datetime
    received_at: datetime
    answer_by: datetime | None
    raw_bytes: int
    wire_bytes: int
    written: str
    rolled_back: bool

    @property
    def values(self) -> dict[str, Any]:
        """The values by their names."""
        found: dict[str, Any] = json.loads(self.written)
        return found

    @property
    def cursor(self) -> FeatureCursor:
        """The place of the feature in the order."""
        return FeatureCursor(self.xid, self.id)


class FeatureFilter(NamedTuple):
    """Which features are read; what is empty or None does not matter. `apps` are primary keys."""

    app: str = ""
    task: str = ""
    version: str = ""
    device: str = ""
    apps: Collection[int] | None = None
    since: datetime | None = None
    until: datetime | None = None

    def conditions(self) -> Iterator[tuple[str, Any]]:
        """Yield SQL conditions, each with its argument."""
        if self.app:
            yield "feature.app_id = (SELECT id FROM devices_app_app WHERE slug = %s)", self.app
        for column in ("task", "version", "device"):
            if getattr(self, column):
                yield f"feature.{column} = %s", getattr(self, column)
        if self.apps is not None:
            yield "feature.app_id = ANY(%s)", list(self.apps)
        if self.since is not None:
            yield "feature.received_at >= %s", self.since
        if self.until is not None:
            yield "feature.received_at < %s", self.until

    def matches(self, feature: StoredFeature) -> bool:
        """Return whether a feature is one of those; `apps` are not looked at."""
        return (
            all(getattr(self, name) in ("", getattr(feature, name)) for name in ("app", "task", "version", "device"))
            and (self.since is None or feature.received_at >= self.since)
            and (self.until is None or feature.received_at < self.until)
        )


class FeatureLag(NamedTuple):
    """How far a consumer is behind: unread features, and the seconds since the oldest of them was received."""

    features: int
    seconds: float

    @classmethod
    def none(cls) -> Self:
        return cls(0, 0.0)
