"""Targeted releases: rules over facts of app, device and user, id lists and single devices.

There are five releases a task, newest first. The newest of a task is under observation in every second one, with a
control group, or paused in every tenth; all others are complete. A rule matches a few per cent of the devices, so that
of a thousand releases of two hundred tasks a device is eligible for about thirty, and has about a dozen tasks, as many
as the paper's 348 tasks in 30 apps (section 7.3) make per device. With more releases, each is for one of the app's
channels.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final

import numpy as np

from walle.release.entries import entries_of
from walle.release.states import ReleasePosition, ReleaseState
from walle.release.strategy import AT_ONCE, Strategy
from walle.release.table import Entry

Rng = np.random.Generator
Rule = dict[str, Any]

RELEASES_PER_TASK: Final = 5
RELEASES_PER_CHANNEL: Final = 1_000
VERSIONS: Final = [f"{major}.{minor}.0" for major in (4, 5) for minor in range(12)]
REGIONS: Final = ("cn", "us", "in", "br", "id", "jp", "de", "mx", "ru", "gb", "fr", "it", "kr", "es", "tr", "vn")
PERFORMANCE: Final = ("low", "mid", "high")
AGE_BANDS: Final = ("13-17", "18-24", "25-34", "35-49", "50-64", "65+")
LISTS: Final = {"staff": 500, "testers": 2_000, "creators": 5_000}
"""The numbers of uploaded lists and of devices in each."""
CHANNELS: Final = ("store", "preload", "web", "partner", "enterprise")
FAMILIES: Final = ("SM-S9", "SM-G99", "SM-A5", "SM-A1", "Pixel ", "Redmi ", "moto g", "CPH2", "iPhone14", "iPhone1")
"""The prefixes of models in rules."""
_STEPS = [{"kind": "gray", "percent": percent} for percent in (1, 5, 20, 50, 100)]
GRAY: Final = Strategy.from_dict({"simulation": False, "stages": [{"kind": "beta", "list": "testers"}, *_STEPS]})


def rule(rng: Rng) -> Rule:
    """Return a typical rule: a range of app versions, then two or three conditions."""
    start, width = rng.integers(len(VERSIONS)), rng.integers(2, 9)
    window = {"fact": "app_version", "version": f">={VERSIONS[start]}, <{_version_at(start + width)}"}
    chosen = rng.choice(len(_CONDITIONS), size=rng.integers(2, 4), replace=False, p=_WEIGHTS)
    conditions: Rule = {"all": [window, *(_CONDITIONS[each](rng) for each in chosen)]}
    special = rng.random()
    if special < 0.02:
        return {"devices": [f"device-{rng.integers(100_000):09d}"]}
    if special < 0.1:
        return {"any": [{"list": str(rng.choice(list(LISTS)))}, conditions]}
    return conditions


def _in_channel(narrowed: Rule, place: int) -> Rule:
    return {"all": [{"fact": "channel", "equals": CHANNELS[place % len(CHANNELS)]}, narrowed]}


def _version_at(index: int) -> str:
    return VERSIONS[index] if index < len(VERSIONS) else "6"


def _some(rng: Rng, values: Any, most: int) -> list[str]:
    return sorted(map(str, rng.choice(values, size=rng.integers(1, most + 1), replace=False)))


def _system(rng: Rng) -> Rule:
    """Return a condition: Android or iOS, or newer versions of either."""
    android = {"fact": "os_version", "version": f">={rng.integers(10, 16)}"}
    ios = {"fact": "os_version", "version": f">={rng.integers(15, 18)}.{rng.integers(6)}"}
    systems = [{"all": [{"fact": "os", "equals": "android"}, android]}, {"all": [{"fact": "os", "equals": "ios"}, ios]}]
    return {"any": systems} if rng.random() < 0.3 else systems[rng.integers(2)]


def _model(rng: Rng) -> Rule:
    first, second = map(str, rng.choice(FAMILIES, size=2, replace=False))
    glob = f"{second}*{rng.integers(10)}?"
    return {"any": [{"fact": "model", "prefix": first}, {"fact": "model", "glob": glob}]}


def _charged(rng: Rng) -> Rule:
    """Return a condition: enough battery and free storage (MB) at this moment."""
    battery = {"fact": "battery", "range": {"at_least": int(rng.integers(1, 6)) * 10}}
    return {"all": [battery, {"fact": "free_storage", "range": {"above": int(rng.choice([200, 500, 1_000, 4_000]))}}]}


_CONDITIONS: Final[list[Callable[[Rng], Rule]]] = [
    _system,
    _model,
    _charged,
    lambda rng: {"fact": "region", "in": _some(rng, REGIONS, 6)},
    lambda rng: {"not": {"fact": "region", "in": _some(rng, REGIONS[:12], 6)}},
    lambda rng: {"fact": "performance", "in": _some(rng, PERFORMANCE, 2)},
    lambda rng: {"fact": "memory", "range": {"at_least": int(rng.choice([3, 4, 6, 8])), "below": 16}},
    lambda rng: {"fact": "user.age_band", "in": _some(rng, AGE_BANDS, 3)},
]
_WEIGHTS: Final = [0.2, 0.15, 0.05, 0.25, 0.05, 0.15, 0.1, 0.05]


def entries(count: int, envelope_digest: str, rng: Rng) -> list[Entry]:
    """Return the entries of a number of releases in a table, the newest first."""
    tasks = max(1, count // RELEASES_PER_TASK)
    now = datetime.now(UTC)
    found: list[Entry] = []
    for place in range(count):
        number = count - place
        release = Entry(
            release=number,
            stage=0,
            task=f"bench/task-{place % tasks}",
            manifest=sha256(b"manifest %d" % number).hexdigest(),
            envelope_digest=envelope_digest,
            envelope_size=1824,
            exclusive=False,
            rule=rule(rng) if count <= RELEASES_PER_CHANNEL else _in_channel(rule(rng), place),
            share=0,
            salt=rng.bytes(16),
        )
        strategy, position = _position(rng) if place < tasks else _COMPLETE
        found += entries_of(release, strategy, position, range(1, len(strategy.stages) + 1), now)
    return found


_COMPLETE: Final = Strategy.from_dict(dict(AT_ONCE)), ReleasePosition(ReleaseState.COMPLETE, 0)


def _position(rng: Rng) -> tuple[Strategy, ReleasePosition]:
    """Where the newest release of a task stands."""
    fate = rng.random()
    if fate < 0.5:
        return GRAY, ReleasePosition(ReleaseState.RUNNING, int(rng.integers(len(GRAY.stages) - 1)))
    if fate < 0.6:
        return GRAY, ReleasePosition(ReleaseState.PAUSED, 1, ReleaseState.RUNNING)
    return _COMPLETE
