"""Devices of thousands of kinds: a model determines system, speed and memory, the other facts are random."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from benchmarks.support.targeting import AGE_BANDS, CHANNELS, LISTS, PERFORMANCE, REGIONS, VERSIONS, Rng

KINDS: Final = 5_000
_ANDROID_MODELS: Final = 240
_IPHONES: Final = [f"iPhone{series},{variant}" for series in range(11, 18) for variant in range(1, 5)]
_WITH_AGE: Final = 0.3


@dataclass(frozen=True)
class Model:
    """A device model, with the facts that all devices of it share."""

    name: str
    os: str
    performance: str
    memory: int


@dataclass(frozen=True)
class Population:
    """Devices by their numbers. The facts of a kind change with app updates only, those of `present` by the hour."""

    rng: Rng

    @cached_property
    def models(self) -> list[Model]:
        return [*(_android(number, self.rng) for number in range(_ANDROID_MODELS)), *map(_iphone, _IPHONES)]

    @cached_property
    def kinds(self) -> list[dict[str, Any]]:
        """Return the claims of devices by kind, the most frequent kinds first."""
        return [self._kind() for _ in range(KINDS)]

    def _kind(self) -> dict[str, Any]:
        model = self.models[_skewed(len(self.models), self.rng)]
        newest = len(VERSIONS) - 1 - _skewed(len(VERSIONS), self.rng)
        return {
            "app_version": VERSIONS[newest],
            "os": model.os,
            "os_version": _system_version(model.os, self.rng),
            "performance": model.performance,
            "region": REGIONS[_skewed(len(REGIONS), self.rng)],
            "model": model.name,
            "memory": model.memory,
            "channel": CHANNELS[self.rng.integers(len(CHANNELS))],
        }

    def kind(self, among: int = KINDS) -> dict[str, Any]:
        """Return the claims of a device whose kind is one of the most frequent ones."""
        return self.kinds[_skewed(among, self.rng)]

    def present(self) -> dict[str, Any]:
        """Return battery in per cent and free storage in MB, different at each check-in."""
        battery, free = self.rng.integers(1, 1001) / 10, self.rng.integers(100, 256_000)
        return {"battery": float(battery), "free_storage": int(free)}

    def vouched(self) -> dict[str, Any]:
        """Return the facts that an app's backend knows about a user, if any."""
        return {"age_band": AGE_BANDS[self.rng.integers(len(AGE_BANDS))]} if self.rng.random() < _WITH_AGE else {}


def lists(devices: int, rng: Rng) -> Mapping[str, frozenset[str]]:
    """Return the uploaded lists, chosen from this many devices."""
    return {name: frozenset(map(device_id, rng.integers(devices, size=size))) for name, size in LISTS.items()}


def device_id(number: int) -> str:
    return f"device-{number:09d}"


def _skewed(count: int, rng: Rng) -> int:
    """Return a position in 0..count-1, first ones more often: the density falls with the root of the position."""
    return int(count * rng.random() ** 2)


def _android(number: int, rng: Rng) -> Model:
    family = ("SM-S9{}B", "SM-G99{}U", "SM-A5{}F", "SM-A1{}M", "Pixel {}", "Redmi Note {}", "moto g{}", "CPH2{}")
    tier = int(rng.integers(3))
    name = family[number % len(family)].format(10 + number // len(family))
    return Model(name, "android", PERFORMANCE[tier], (2, 3, 4, 4, 6, 8, 8, 12, 16)[3 * tier + int(rng.integers(3))])


def _iphone(name: str) -> Model:
    series = int(name[6:8])
    return Model(name, "ios", PERFORMANCE[min(2, (series - 9) // 3)], 4 if series < 14 else 6 if series < 16 else 8)


def _system_version(system: str, rng: Rng) -> str:
    if system == "ios":
        return f"{18 - _skewed(4, rng)}.{rng.integers(7)}"
    return str(16 - _skewed(8, rng))
