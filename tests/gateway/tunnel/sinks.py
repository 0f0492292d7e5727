"""A sink of features in memory, that can be held and made to fail, and a source of dictionaries."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from walle.gateway.ports import DictionaryOffer, FeatureRefused, PortUnavailable, ReceivedFeature

SpoolKey = tuple[str, str, bytes]


@dataclass
class MemorySink:
    """Stores as the port says. `down` makes it unavailable before it stores, `forgetful` after."""

    down: bool = False
    forgetful: bool = False
    poison: set[bytes] = field(default_factory=set)
    """Values that it can never store."""
    failure: Exception | None = None
    held: asyncio.Event | None = None
    stored: list[ReceivedFeature] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)
    attempts: int = 0
    repeated: int = 0
    """How often a group held a feature twice."""
    closed: int = 0

    async def position(self, app: str, device: str, spool: bytes) -> int:
        if self.down:
            raise PortUnavailable("the sink is down")
        return self.position_of((app, device, spool))

    async def store(self, features: Sequence[ReceivedFeature]) -> None:
        self.attempts += 1
        if self.held is not None:
            await self.held.wait()
        if self.down:
            raise PortUnavailable("the sink is down")
        if self.failure is not None:
            raise self.failure
        for index, feature in enumerate(features):
            if feature.values in self.poison:
                raise FeatureRefused(index, "poison")
        self.groups.append(len(features))
        brought = [(feature.app, feature.device, feature.spool, feature.sequence) for feature in features]
        self.repeated += len(brought) - len(set(brought))
        for feature in features:
            if feature.sequence > self.position_of((feature.app, feature.device, feature.spool)):
                self.stored.append(feature)
        if self.forgetful:
            raise PortUnavailable("the sink did not say that it stored")

    async def close(self) -> None:
        self.closed += 1

    def position_of(self, key: SpoolKey) -> int:
        return max(self.sequences(key), default=0)

    def sequences(self, key: SpoolKey) -> list[int]:
        """The stored sequences of a spool, in the order in which they were stored."""
        return [each.sequence for each in self.stored if (each.app, each.device, each.spool) == key]


@dataclass
class MemoryVersions:
    """The names of versions, as the port says them; `asked` are the versions that were looked up."""

    names: dict[tuple[str, str, bytes], str] = field(default_factory=dict)
    down: bool = False
    asked: list[tuple[str, str, bytes]] = field(default_factory=list)

    async def name_of(self, app: str, task: str, manifest: bytes) -> str:
        self.asked.append((app, task, manifest))
        if self.down:
            raise PortUnavailable("the versions are down")
        return self.names.get((app, task, manifest), "")


@dataclass
class MemoryDictionaries:
    """The dictionaries of tasks, as the port offers them."""

    offers: dict[tuple[str, str], DictionaryOffer] = field(default_factory=dict)
    down: bool = False
    asked: int = 0

    async def find(self, app: str, task: str) -> DictionaryOffer | None:
        self.asked += 1
        if self.down:
            raise PortUnavailable("the dictionaries are down")
        return self.offers.get((app, task))
