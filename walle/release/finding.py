"""What one test of a verdict found, in numbers and in a sentence, and the shares of devices that tests are about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from walle.release.evidence import ArmCounts
from walle.release.subjects import Subjects

ALPHA: Final = 0.01
ALPHAS: Final[Mapping[str, float]] = {
    "stop": 0.0002,
    "limit": 0.0055,
    "control": 0.0015,
    "silence": 0.001,
    "latency": 0.0003,
    "slowdown": 0.0005,
    "drift": 0.001,
}
"""The shares of ALPHA: for each test, the probability that it ever fails a release without a problem."""


@dataclass(frozen=True)
class Finding:
    """The result of one test: it fails (`objects`) if its log evidence reaches the threshold.

    `doubt` says why a failed test is not attributed to the version; empty if it is attributed. The counts `lean`
    towards harm if harm is more likely than not: too little to fail a release, too much to pass it.
    """

    test: str
    log_evidence: float
    threshold: float
    objects: bool
    sentence: str
    doubt: str = ""
    leans: bool = False

    @property
    def suspicious(self) -> bool:
        return self.leans and not self.objects

    @property
    def text(self) -> str:
        return f"{self.sentence}, but {self.doubt}" if self.doubt else self.sentence


@dataclass(frozen=True)
class Measure:
    """A share of an arm's devices: the names of its two counts, and what the counted devices did."""

    hits: str
    trials: str
    did: str

    def of(self, arm: ArmCounts) -> tuple[int, int]:
        return getattr(arm, self.hits), getattr(arm, self.trials)

    def share(self, arm: ArmCounts, did: str = "") -> str:
        hits, trials = self.of(arm)
        return f"{hits} of {trials}{did}" + (f" ({_of_sample(hits, trials)})" if trials else "")

    def text(self, arm: ArmCounts, subjects: Subjects) -> str:
        return self.share(arm, f" {subjects.many} {self.did}")


FAILED: Final = Measure("failed", "reported", "failed")


def silent(subjects: Subjects) -> Measure:
    return Measure("silent", "due", subjects.silent)


def finding_of(test: str, log_evidence: float, threshold: float, sentence: str, doubt: str = "") -> Finding:
    """Return a finding that objects from a threshold on, and leans towards harm as soon as that is the likelier."""
    return Finding(test, log_evidence, threshold, log_evidence >= threshold, sentence, doubt, leans=log_evidence > 0)


_DECIMALS_FROM: Final = 100
"""A percentage of fewer devices has no decimals, which they cannot bear."""


def _of_sample(hits: int, trials: int) -> str:
    return percent(hits / trials) if trials >= _DECIMALS_FROM else f"{100 * hits / trials:.0f} %"


def percent(share: float) -> str:
    """Write a share for people."""
    return f"{100 * share:.3g} %"
