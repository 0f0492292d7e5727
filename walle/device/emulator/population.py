"""Who the emulated devices are: the same seed always gives the same devices."""

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
    """How the facts are distributed: each value with its weight."""

    app_versions: Weights = field(default_factory=lambda: {"1.0.0": 1, "1.1.0": 2, "1.2.0": 4, "1.3.0": 3})
    systems: Weights = field(default_factory=lambda: {"android": 7, "ios": 3})
    performance: Weights = field(default_factory=lambda: {"low": 2, "mid": 5, "high": 3})
    regions: Weights = field(default_factory=lambda: {"eu": 4, "us": 3, "asia": 3})


@dataclass(frozen=True)
class Person:
    """One emulated device. `seed` is for everything that it draws itself; `index` counts from 0."""

    index: int
    name: str
    facts: Facts
    seed: str


def draw_population(
    app: str,
    count: int,
    seed: int,
    distribution: Distribution,
    *,
    prefix: str,
    extra: Mapping[str, Fact] | None = None,
) -> list[Person]:
    """`count` devices. The first n of a larger population are the population of n. All of them claim `extra`."""
    people = [_draw(app, index, f"{seed}:{prefix}:{index}", distribution, prefix) for index in range(count)]
    return [replace(person, facts=replace(person.facts, extra=extra or {})) for person in people]


def _draw(app: str, index: int, seed: str, distribution: Distribution, prefix: str) -> Person:
    draw = random.Random(seed)  # noqa: S311 - the same devices for the same seed
    system = _pick(draw, distribution.systems)
    facts = Facts(
        app=app,
        app_version=_pick(draw, distribution.app_versions),
        os=system,
        os_version=_pick(draw, OS_VERSIONS.get(system, {"1": 1})),
        performance=_pick(draw, distribution.performance),
        region=_pick(draw, distribution.regions),
    )
    return Person(index, f"{prefix}-{index:05d}", facts, seed)


def _pick(draw: random.Random, weights: Weights) -> str:
    return draw.choices(list(weights), list(weights.values()))[0]


def parse_weights(text: str) -> Weights:
    """`1.2.0:4,1.3.0:1`, or `1.2.0` alone; raises ValueError."""
    weights = {}
    for part in text.split(","):
        value, _, weight = part.strip().partition(":")
        weights[value] = float(weight or 1)
    if "" in weights or min(weights.values()) < 0 or not any(weights.values()):
        raise ValueError(f"expected value:weight,value:weight..., found {text!r}")
    return weights
