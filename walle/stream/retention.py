"""How much a collective table keeps, as `retain` of a task.toml says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MIN_BYTES: Final = 512 << 10
"""The smallest table that SQLite's own pages leave room in."""


@dataclass(frozen=True, slots=True)
class Retention:
    """The limits of one table: its newest `rows`, none older than `age_s` seconds, within `bytes` on the disk.

    `bytes` bounds all files of the table together. Raises ValueError for a limit that leaves room for nothing.
    """

    rows: int
    age_s: float
    bytes: int

    def __post_init__(self) -> None:
        if self.rows < 1 or not self.age_s > 0 or self.bytes < MIN_BYTES:
            expected = f"at least 1 row, an age above 0 s and {MIN_BYTES} bytes"
            raise ValueError(f"retention: expected {expected}, found {self}")
