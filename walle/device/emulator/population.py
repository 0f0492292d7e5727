"""The names and facts of emulated devices: the same seed always yields the same devices."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from walle.device.facts import Fact, Facts

Weights = Mapping[str, float]

OS_VERSIONS: Final[Mapping[str, Weights]] = {
    "android": {"10": 1, "11": 2, "12": 3, "13": 4, "14": 5},
    "ios": {"15": 1, "16": 3, "17": 5, "17.4": 2},
}


@dataclass(frozen=True)
class Distribution:
    """The distribution of the facts: the weight of each value."""

    app_versions: Weights = field(default_factory=lambda: {"1.0.0": 1, "1.1.0": 2, "1.2.0": 4, "1.3.0": 3})
    systems: Weights = field(default_factory=lambda: {"android": 7, "ios": 3})
    performance: Weights = field(default_factory=lambda: {"low": 2, "mid": 5, "high": 3})
    regions: Weights = field(default_factory=lambda: {"eu": 4, "us": 3, "asia": 3})


@dataclass(frozen=True)
class Person:
    """One emulated device. `seed` is for all its own random choices; `index` counts from 0."""

    index: int
    name: str
    facts: Facts
    seed: str


def generate_population(
    app: str,
    count: int,
    seed: int,
    distribution: Distribution,
    *,
    prefix: str,
    extra: Mapping[str, Fact] | None = None,
) -> list[Person]:
    """Return `count` devices with the facts `extra`. The first n of a larger population are the population of n."""
    people = [_generate(app, index, f"{seed}:{prefix}:{index}", distribution, prefix) for index in range(count)]
    return [replace(person, facts=replace(person.facts, extra=extra or {})) for person in people]


def _generate(app: str, index: int, seed: str, distribution: Distribution, prefix: str) -> Person:
    rng = random.Random(seed)  # noqa: S311 - the same devices for the same seed
    system = _pick(rng, distribution.systems)
    facts = Facts(
        app=app,
        app_version=_pick(rng, distribution.app_versions),
        os=system,
        os_version=_pick(rng, OS_VERSIONS.get(system, {"1": 1})),
        performance=_pick(rng, distribution.performance),
        region=_pick(rng, distribution.regions),
    )
    return Person(index, f"{prefix}-{index:05d}", facts, seed)


def _pick(rng: random.Random, weights: Weights) -> str:
    return rng.choices(list(weights), list(weights.values()))[0]


def parse_weights(text: str) -> Weights:
    """Parse `1.2.0:4,1.3.0:1`, or `1.2.0` alone, into weights. Raises ValueError."""
    weights = {}
    for part in text.split(","):
        value, _, weight = part.strip().partition(":")
        weights[value] = float(weight or 1)
    if "" in weights or min(weights.values()) < 0 or not any(weights.values()):
        raise ValueError(f"expected value:weight,value:weight..., found {text!r}")
    return weights
