"""The limits of a release: data that is validated when written, so that no verdict uses an invalid threshold."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import inf, nextafter
from typing import Any, Final, Self

from walle.schema import Fields, Malformed, Nullable, Number, Problems, Value, checked

_MAX_MILLISECONDS: Final = 86_400_000
_SHARE: Final = Number(1e-6, 1 - 1e-6, words="a number from 0.000001 to 0.999999")
_MARGIN: Final = Number(0, nextafter(1, 0), words="a number of at least 0 and below 1")


def _is_count(value: object) -> bool:
    """Return whether a value is a whole number; accepts 8.0, which is how some programs write 8."""
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 1 and value % 1 == 0


LIMIT_FIELDS: Final = Fields(
    {
        "failure_rate": _SHARE,
        "stop_rate": _SHARE,
        "stop_after": Value("a whole number of at least 1", _is_count),
        "silent_share": _SHARE,
        "latency_ms": Nullable(
            Number(nextafter(0, inf), _MAX_MILLISECONDS, words=f"a number above 0 and of at most {_MAX_MILLISECONDS}")
        ),
        "latency_quantile": _SHARE,
        "failure_margin": _MARGIN,
        "silence_margin": _MARGIN,
        "slowdown_margin": _MARGIN,
        "drift_margin": _MARGIN,
    },
    words="an object",
)


class LimitsMalformed(Malformed):
    """The limits are invalid."""


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
        checked(LIMITS, self.to_dict(), "limits", LimitsMalformed)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, value: object) -> Self:
        """Read limits and fill in defaults; raises LimitsMalformed."""
        return cls(**checked(LIMITS, value, "limits", LimitsMalformed))


@dataclass(frozen=True)
class _LimitsNode:
    """The schema of limits, with the relations between keys and to the defaults."""

    expected: str = LIMIT_FIELDS.expected

    def check(self, value: object, field: str, problems: Problems) -> None:
        LIMIT_FIELDS.check(value, field, problems)
        if not isinstance(value, dict) or any(problems.touches(f"{field}.{name}") for name in _RATES):
            return
        failure_rate, stop_rate = (value.get(name, default) for name, default in _RATES.items())
        if not stop_rate > failure_rate:
            problems.add(f"{field}.stop_rate", f"more than the failure_rate {failure_rate}", stop_rate)


_RATES: Final = {"failure_rate": Limits.failure_rate, "stop_rate": Limits.stop_rate}
LIMITS: Final = _LimitsNode()
