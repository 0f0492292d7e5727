"""What must hold afterwards: what was tracked and acknowledged is in the table, and nothing is there twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from benchmarks.support.tunnel_faults.proxy import Ledger, SpoolName
from walle.protocol.tunnel_messages import write_values

CHECKS: Final = {
    "missing": "every feature that was acknowledged is in the table",
    "twice": "no feature is in the table twice",
    "changed": "each feature in the table, or sent again, is as it was sent first",
    "given_up": "no device gave up a feature of which the server had nothing to complain",
    "waiting": "every device has uploaded what it had spooled",
    "lost": "of what a device tracked only the last is missing, that a killed process had not spooled yet",
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


class Tracked(NamedTuple):
    """What a device has tracked: the numbers below `made`. `lives` are the first numbers of its processes, in order."""

    made: int
    lives: list[int]

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read what a device has left in its folder."""
        return cls((folder / "made").stat().st_size, [int(line) for line in (folder / "lives").read_text().split()])

    def lost(self, stored: Set[int]) -> list[int]:
        """Return the numbers that must be there, and are not: the end of each process but the last may be missing."""
        found = []
        for first, following in pairwise(self.lives):
            newest = max((number for number in stored if first <= number < following), default=first - 1)
            found += [number for number in range(first, newest) if number not in stored]
        return found + [number for number in range(self.lives[-1], self.made) if number not in stored]


def stored_features(app: str) -> list[StoredFeature]:
    """Read the whole table."""
    from devices_app.models import Feature

    rows = Feature.objects.filter(app__slug=app).values_list("device", "spool", "sequence", "values")
    return [
        StoredFeature.of(SpoolName(device, bytes(spool)), sequence, values)
        for device, spool, sequence, values in rows.iterator(1000)
    ]


def violations(
    ledger: Ledger, rows: list[StoredFeature], waiting: Mapping[str, int], tracked: Mapping[str, Tracked]
) -> dict[str, list[str]]:
    """Return what does not hold, in words, by check.

    `waiting` is how many features each device has left, -1 for one that has not ended, and `tracked` what it made.
    """
    there = Counter((row.name, row.sequence) for row in rows)
    numbers = Counter((row.name.device, row.number) for row in rows)
    return {
        "missing": [
            f"{name.device} {sequence}, acknowledged up to {ledger.acknowledged.get(name, 0)}"
            for name, sent in ledger.sent.items()
            for sequence in sent
            if sequence <= ledger.acknowledged.get(name, 0)
            and (name, sequence) not in there
            and sequence not in ledger.given_up.get(name, ())
        ],
        "given_up": [
            f"{name.device} {sequence}"
            for name, sequences in ledger.given_up.items()
            for sequence in sequences
            if (name, sequence) not in there
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
        "lost": [
            f"{device} feature {number}"
            for device, each in tracked.items()
            for number in each.lost({row.number for row in rows if row.name.device == device})
        ],
    }


def _sent(ledger: Ledger, row: StoredFeature) -> bytes | None:
    return ledger.sent.get(row.name, {}).get(row.sequence)
