"""Emulated devices whose apps put off new versions: each has one reason, which comes and goes."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from walle.device.emulator.population import Person
from walle.device.updates.moments import Condition


@dataclass(frozen=True)
class Habits:
    """A `share` of the devices put off what may wait for `period_s` seconds, then they do not for as long, and so on.

    `reasons` holds the weight of each reason.
    """

    share: float = 0.0
    period_s: float = 60.0
    reasons: Mapping[str, float] = field(default_factory=lambda: {"in-call": 2, "on-battery": 3, "metered": 1})

    def of(self, person: Person, clock: Callable[[], float]) -> tuple[Condition, ...]:
        """Return the conditions under which a device puts offers off; always the same for a device."""
        rng = random.Random(f"habits:{person.seed}")  # noqa: S311
        chosen, phase = rng.random() < self.share, rng.random()
        (reason,) = rng.choices(list(self.reasons), list(self.reasons.values()))

        def condition() -> str | None:
            return reason if (clock() / (2 * self.period_s) + phase) % 1 < 0.5 else None

        return (condition,) if chosen else ()
