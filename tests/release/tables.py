"""Makes tables for tests: entries with few words, and assignments really signed."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from tests.vectors import keys
from walle.release.cohort import BUCKETS
from walle.release.rules import uniform
from walle.release.table import Bases, Entry, Table

SIGNER = keys.signer("timestamp-1")
BASES = {"": Bases("https://cdn.example/walle/v1", "https://shop.example/walle/v1")}


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def entry(task: str = "camera/digits", version: str = "1.0.0", **changes: Any) -> Entry:
    """A release of a version to every device of the app's version 1.0.0. `release` also makes the salt."""
    values: dict[str, Any] = {
        "release": 1,
        "stage": 1,
        "task": task,
        "manifest": digest(f"{task} {version}"),
        "envelope_digest": digest(f"{task} {version} signed"),
        "envelope_size": 1824,
        "exclusive": False,
        "rule": uniform(["1.0.0"]),
        "share": BUCKETS,
        **changes,
    }
    values.setdefault("salt", sha256(b"salt %d" % values["release"]).digest()[:16])
    return Entry(**values)


def table(entries: Iterable[Entry] = (), *, removals: Iterable[str] = (), number: int = 17, **changes: Any) -> Table:
    """A signed table of the app `shop`, whose assignments end a week from the vectors' present."""
    values: dict[str, Any] = {"app": "shop", "published": keys.NOW, "interval": 60, "bases": BASES, **changes}
    unsigned = Table(number=number, entries=tuple(entries), removals=tuple(removals), **values)
    return unsigned.signed(SIGNER, keys.NOW + 7 * 86_400)
