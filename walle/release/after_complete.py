"""Watch a complete release, as long as it decides about its devices, period by period.

Nobody is held back any more, so that nothing tells an outage from a fault of the version: the limit is wider than that
of the stages, the evidence asked for stronger, and unless its strategy says otherwise a release that exceeds it is only
reported (docs/adr/0036). A device counts once in each period, with its first outcome in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from math import log
from typing import Any, Final, Self

from walle.release.finding import FAILED, percent
from walle.release.sequential import limit_evidence
from walle.release.subjects import DEVICES, Subjects
from walle.schema import Fields, Nullable, Number, OneOfTexts, Problems

ALPHA: Final = 0.0001
"""The probability that a version within its limit is reported in a period: once in ten thousand periods at most."""
WIDER: Final = 2
"""By how much the limit after completion exceeds the failure limit of the stages, unless the strategy says it."""
_MOST: Final = 1 - 1e-6
MIN_PERIOD_S: Final = 60
MAX_PERIOD_S: Final = 30 * 86_400


class LimitAction(StrEnum):
    """What happens to a complete release that exceeds its limit."""

    ALERT = "alert"
    ROLL_BACK = "roll-back"


@dataclass(frozen=True)
class AfterComplete:
    """The limit of a complete release: how many of the devices that ran the version in a period may fail.

    `failure_rate` is None for WIDER times that of the stages. It is judged once `evidence` devices have reported in the
    period.
    """

    failure_rate: float | None = None
    period_s: float = 86_400.0
    evidence: int = 50
    action: LimitAction = LimitAction.ALERT

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "action": self.action.value}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """Fill in defaults of a value that has passed AFTER_COMPLETE."""
        options: dict[str, Any] = {name: value[name] for name in ("failure_rate", "evidence") if name in value}
        if "period_s" in value:
            options["period_s"] = float(value["period_s"])
        if "action" in value:
            options["action"] = LimitAction(value["action"])
        return cls(**options)

    def limit(self, stage_limit: float) -> float:
        """Return the share that may fail, given the failure limit of the stages."""
        return min(WIDER * stage_limit, _MOST) if self.failure_rate is None else self.failure_rate


@dataclass(frozen=True)
class PeriodVerdict:
    """What is known of a complete release in a period: whether it `exceeds` its limit, and a sentence for people."""

    reported: int
    failed: int
    enough: bool
    exceeds: bool
    sentence: str


def judge_period(
    plan: AfterComplete, stage_limit: float, reported: int, failed: int, subjects: Subjects = DEVICES
) -> PeriodVerdict:
    """Judge what the devices reported in a period until now. It may be judged at any time, and any number of times."""
    limit, enough = plan.limit(stage_limit), reported >= plan.evidence
    exceeds = enough and limit_evidence(failed, reported, limit) >= -log(ALPHA)
    share = f" ({percent(failed / reported)})" if reported else ""
    counts = f"{failed} of {reported} {subjects.many} {FAILED.did} since the period began{share}"
    sentence = f"{counts}; the limit after completion is {percent(limit)}"
    return PeriodVerdict(reported, failed, enough, exceeds, sentence)


AFTER_COMPLETE: Final = Fields(
    {
        "failure_rate": Nullable(Number(1e-6, _MOST, words="a number from 0.000001 to 0.999999")),
        "period_s": Number(MIN_PERIOD_S, MAX_PERIOD_S, words=f"seconds, {MIN_PERIOD_S} to {MAX_PERIOD_S}"),
        "evidence": Number(1, 1_000_000, integer=True, words="a whole number, 1 to 1000000"),
        "action": OneOfTexts(tuple(LimitAction), words=" or ".join(LimitAction)),
    },
    words="an object",
)


def check_against(value: object, stage_limit: object, field: str, problems: Problems) -> None:
    """Note a limit that is stricter than that of the stages, within which the version has passed."""
    if not isinstance(value, dict) or problems.touches(f"{field}.failure_rate"):
        return
    limit = value.get("failure_rate")
    if limit is not None and isinstance(stage_limit, int | float) and limit < stage_limit:
        expected = f"at least the failure_rate {stage_limit} of the limits, which the stages have to keep to"
        problems.add(f"{field}.failure_rate", expected, limit)
