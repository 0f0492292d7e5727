"""A cache of plans: most devices with different facts are eligible for the same releases and share a plan."""

from __future__ import annotations

from typing import Final

from walle.gateway.cache import TwoGenerationCache
from walle.protocol.headers import Profile, read_profile
from walle.release.decision import CompiledTable, DevicePlan
from walle.release.eligibility import Bits
from walle.release.rules import Facts

CACHE_BYTES: Final = 16 << 20
# What an entry occupies besides its key: parsed profile, plan, tuples.
_ENTRY_OVERHEAD: Final = 2048


class Plans:
    """The plans of one table, by the releases that devices are eligible for and by the bytes of their profile."""

    def __init__(self, table: CompiledTable) -> None:
        self.table = table
        self._known: TwoGenerationCache[tuple[Bits, bytes], tuple[Profile, DevicePlan]] = TwoGenerationCache(
            CACHE_BYTES
        )

    def of(self, facts: Facts, profile: bytes) -> tuple[Profile, DevicePlan]:
        """Return the parsed profile, and the plan of devices with it and these facts. Raises HeaderMalformed."""
        eligible = self.table.eligible(facts)
        found = self._known.get((eligible, profile))
        if found is None:
            read = read_profile(profile)
            found = read, self.table.plan_for(eligible, read)
            weight = _ENTRY_OVERHEAD + eligible.bit_length() // 8 + 2 * len(profile)
            self._known.put((eligible, profile), found, weight)
        return found
