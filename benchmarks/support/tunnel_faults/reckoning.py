"""What must hold afterwards: what was acknowledged is in the table, and nothing is there twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final, NamedTuple, Self

from benchmarks.support.tunnel_faults.proxy import Ledger, SpoolName
from walle.protocol.tunnel_messages import write_values

CHECKS: Final = {
    "missing": "every feature that was acknowledged is in the table",
    "twice": "no feature is in the table twice",
    "changed": "each feature in the table, or sent again, is as it was sent first",
    "waiting": "every device has uploaded what it had spooled",
}


class StoredFeature(NamedTuple):
    """A row of the table of features: the number in its values, and their SHA-256."""

    name: SpoolName
    sequence: int
    number: int
    digest: bytes

    @classmethod
    def of(cls, name: SpoolName, sequence: int, values: Mapping[str, Any]) -> Self:
        in_order = {each: values[each] for each in ("n", "values")}
        return cls(name, sequence, values["n"], sha256(write_values(in_order)).digest())


def stored_features(app: str) -> list[StoredFeature]:
    """Read the whole table."""
    from devices_app.models import Feature

    rows = Feature.objects.filter(app__slug=app).values_list("device", "spool", "sequence", "values")
    return [
        StoredFeature.of(SpoolName(device, bytes(spool)), sequence, values)
        for device, spool, sequence, values in rows.iterator(1000)
    ]


def violations(ledger: Ledger, rows: list[StoredFeature], waiting: Mapping[str, int]) -> dict[str, list[str]]:
    """Return what does not hold, in words, by check.

    `waiting` is how many features each device has left, -1 for one that has not ended.
    """
    there = Counter((row.name, row.sequence) for row in rows)
    numbers = Counter((row.name.device, row.number) for row in rows)
    return {
        "missing": [
            f"{name.device} {sequence}, acknowledged up to {ledger.acknowledged.get(name, 0)}"
            for name, sent in ledger.sent.items()
            for sequence in sent
            if sequence <= ledger.acknowledged.get(name, 0) and (name, sequence) not in there
        ],
        "twice": [
            *(f"{name.device} sequence {sequence}" for (name, sequence), count in there.items() if count > 1),
            *(f"{device} feature {number}" for (device, number), count in numbers.items() if count > 1),
        ],
        "changed": [
            *ledger.changed,
            *(f"{row.name.device} {row.sequence}" for row in rows if row.digest != _sent(ledger, row)),
        ],
        "waiting": [f"{device} has {count} left" for device, count in waiting.items() if count],
    }


def _sent(ledger: Ledger, row: StoredFeature) -> bytes | None:
    return ledger.sent.get(row.name, {}).get(row.sequence)
