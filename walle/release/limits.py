"""What a release may not exceed; data, checked when it is written, so that no verdict ever meets a bad threshold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, Self

_SHARES: Final = ("failure_rate", "stop_rate", "silent_share", "latency_quantile")
_MARGINS: Final = ("failure_margin", "silence_margin", "slowdown_margin", "drift_margin")
_MAX_MILLISECONDS: Final = 86_400_000


class LimitsMalformed(ValueError):
    """Limits that mean nothing; `path` names the one that is wrong."""

    def __init__(self, path: str, expected: str) -> None:
        super().__init__(f"{path}: expected {expected}")
        self.path = path
        self.expected = expected


@dataclass(frozen=True)
class Limits:
    """Rates are shares of the devices that reported, margins are differences of shares (0.01 = one in a hundred).

    - `failure_rate`: more failures than this fail a release; `stop_rate` after `stop_after` reports does at once.
    - `silent_share`: how many may fall silent where there is no control to compare with.
    - `latency_ms`: if given, the `latency_quantile` of the durations must not be above it.
    - The margins are how much worse than control a release may be: in failures (only treatment installs something,
      which sometimes fails), in silence, in devices slower than the baseline, and either way in metrics.

    Raises LimitsMalformed.
    """

    failure_rate: float = 0.01
    stop_rate: float = 0.5
    stop_after: int = 8
    silent_share: float = 0.5
    latency_ms: float | None = None
    latency_quantile: float = 0.9
    failure_margin: float = 0.002
    silence_margin: float = 0.01
    slowdown_margin: float = 0.05
    drift_margin: float = 0.1

    def __post_init__(self) -> None:
        for name in _SHARES:
            self._expect(name, "a number from 0.000001 to 0.999999", lambda value: 1e-6 <= value <= 1 - 1e-6)
        for name in _MARGINS:
            self._expect(name, "a number of at least 0 and below 1", lambda value: 0 <= value < 1)
        self._expect("stop_after", "a whole number of at least 1", lambda value: value >= 1 and value % 1 == 0)
        self._expect("stop_rate", f"more than the failure_rate {self.failure_rate}", lambda v: v > self.failure_rate)
        if self.latency_ms is not None:
            allowed = f"a number above 0 and of at most {_MAX_MILLISECONDS}"
            self._expect("latency_ms", allowed, lambda value: 0 < value <= _MAX_MILLISECONDS)

    def _expect(self, name: str, expected: str, holds: Callable[[float], bool]) -> None:
        value = getattr(self, name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not holds(value):
            raise LimitsMalformed(name, f"{expected}, found {value!r}")

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, value: object) -> Self:
        """Reads limits, filling in what is not said; raises LimitsMalformed."""
        known = sorted(one.name for one in fields(cls))
        if not isinstance(value, Mapping):
            raise LimitsMalformed("limits", f"an object, found {value!r}")
        if unknown := sorted(str(name) for name in value if name not in known):
            raise LimitsMalformed(unknown[0], f"one of {', '.join(known)}")
        return cls(**value)
