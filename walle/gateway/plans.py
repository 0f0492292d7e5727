"""Plans that devices share: most of those that differ in what they say are eligible for the same releases."""

from __future__ import annotations

from typing import Final

from walle.gateway.cache import TwoGenerationCache
from walle.protocol.headers import Profile, read_profile
from walle.release.decision import CompiledTable, DevicePlan
from walle.release.eligibility import Bits
from walle.release.rules import Facts

CACHE_BYTES: Final = 16 << 20
# What an entry costs beside the header and the bits that it is found by: parsed profile, plan, tuples.
_ENTRY_OVERHEAD: Final = 2048


class Plans:
    """The plans of one table, found by what devices are eligible for and by the bytes of their profile."""

    def __init__(self, table: CompiledTable) -> None:
        self.table = table
        self._known: TwoGenerationCache[tuple[Bits, bytes], tuple[Profile, DevicePlan]] = TwoGenerationCache(
            CACHE_BYTES
        )

    def of(self, facts: Facts, profile: bytes) -> tuple[Profile, DevicePlan]:
        """What a profile header says, and the plan of devices that send it and have these facts.

        Raises HeaderMalformed.
        """
        eligible = self.table.eligible(facts)
        found = self._known.get((eligible, profile))
        if found is None:
            read = read_profile(profile)
            found = read, self.table.plan_for(eligible, read)
            weight = _ENTRY_OVERHEAD + eligible.bit_length() // 8 + 2 * len(profile)
            self._known.put((eligible, profile), found, weight)
        return found
