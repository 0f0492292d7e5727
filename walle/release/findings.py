"""Run the statistical tests on the evidence of a release. The available comparisons determine the tests.

Against the limits: `stop` and `limit` (failures), `latency`, and `silence` where there is no control. Against the
devices held back: `control` (failures), `silence`, `slowdown`, `drift`. On the draws themselves: `ratio`. On devices
that are new and that nobody vouches for: `new-failures`, `surge`. On what answers devices in the cloud: `cloud`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import log
from typing import Final

from walle.release.evidence import SURGE_WINDOW_S, ArmCounts, Baseline, CloudFailures, Evidence, NewDevices, SampleRatio
from walle.release.limits import Limits
from walle.release.sequential import (
    EVEN,
    RARE,
    TENTH,
    Prior,
    difference_evidence,
    limit_evidence,
    mean_evidence,
    rate_bounds,
    rate_evidence,
    ratio_evidence,
    trials_within,
)
from walle.release.subjects import Subjects

ALPHA: Final = 0.01
ALPHAS: Final[Mapping[str, float]] = {
    "stop": 0.0005,
    "limit": 0.004,
    "control": 0.002,
    "silence": 0.0015,
    "latency": 0.0005,
    "slowdown": 0.0005,
    "drift": 0.001,
}
"""The shares of ALPHA: for each test, the probability that it ever fails a release without a problem."""
RATIO: Final = "ratio"
RATIO_ALPHA: Final = 0.001
"""The probability that arms selected as planned ever fail this test, which leads to an error, never to a fail."""
RATIO_SUSPECT: Final = log(10)
"""Evidence of 10 to 1 against the selection keeps a stage from passing. It is no evidence of harm, and a third of all
selections as planned have some against them, which stays as it is while nobody else is selected."""
NEW_FAILURES: Final = "new-failures"
NEW_FAILURES_ALPHA: Final = 0.001
"""The probability that new devices ever pause a release within its limit: an error, never a fail."""
SURGE: Final = "surge"
SURGE_LEAST: Final = 100
SURGE_FACTOR: Final = 10
"""New devices are a surge if they are at least SURGE_LEAST and SURGE_FACTOR times as many as usual."""
CLOUD: Final = "cloud"
CLOUD_CALLS: Final = 3
"""So many calls in a row that fail pause a release: an error, never a fail, as what devices upload may be made up."""
SHARED: Final = log(10)
"""Evidence of 10 to 1 that control exceeds a limit, too, which casts doubt on what treatment is accused of."""


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
        return f"{hits} of {trials}{did}" + (f" ({_percent(hits / trials)})" if trials else "")

    def text(self, arm: ArmCounts, subjects: Subjects) -> str:
        return self.share(arm, f" {subjects.many} {self.did}")


FAILED: Final = Measure("failed", "reported", "failed")


def _silent(subjects: Subjects) -> Measure:
    return Measure("silent", "due", subjects.silent)


def find(evidence: Evidence, limits: Limits) -> Iterator[Finding]:
    """Yield the finding of every test that the evidence allows."""
    yield from _established(evidence, limits)
    if not evidence.new.accepted:
        yield from _new(evidence.new, limits, evidence.subjects)
    if evidence.cloud is not None and evidence.cloud.calls >= CLOUD_CALLS:
        yield _cloud(evidence.cloud)


def _established(evidence: Evidence, limits: Limits) -> Iterator[Finding]:
    yield _stop(evidence, limits)
    yield _failures(evidence, limits.failure_rate)
    if limits.latency_ms is not None:
        yield _limit("latency", _slow(evidence.kept, limits.latency_ms), evidence, 1 - limits.latency_quantile)
    if evidence.control is None:
        yield _limit("silence", _silent(evidence.subjects), evidence, limits.silent_share)
        return
    ratio = _ratio(evidence.ratio, evidence.subjects) if evidence.ratio else None
    if ratio:
        yield ratio
    doubt = "the arms are not selected as planned" if ratio and ratio.objects else ""
    for finding in _compare(_Arms(evidence.treatment, evidence.control, evidence.subjects), evidence.baseline, limits):
        yield replace(finding, doubt=doubt)


def _slow(kept: bool, latency_ms: float) -> Measure:
    """Return what the limit of run times counts: warm runs of a kept task, whose first run after an update is not."""
    if kept:
        return Measure("warm_slow", "warm_timed", f"took longer than {latency_ms:g} ms in a warm run")
    return Measure("slow", "timed", f"took longer than {latency_ms:g} ms")


def failure_bounds(arm: ArmCounts, limits: Limits) -> tuple[float, float]:
    """Return the always-valid confidence bounds of an arm's failure rate, each with the alpha of the test `limit`.

    So the lower bound reaches the failure limit exactly when that test fails.
    """
    failed, reported = FAILED.of(arm)
    alpha = ALPHAS["limit"]
    low, high = rate_bounds(failed, reported, alpha)
    if limit_evidence(failed, reported, limits.failure_rate) >= -log(alpha):
        return max(low, limits.failure_rate), high
    return low, high


def _stop(evidence: Evidence, limits: Limits) -> Finding:
    """Test the stop rate; requires enough evidence, too, in case the failure limit is close to that rate."""
    failed, reported = FAILED.of(evidence.treatment)
    evidenced = rate_evidence(failed, reported, limits.failure_rate, limits.stop_rate)
    threshold = -log(ALPHAS["stop"])
    reached = reported >= limits.stop_after and failed >= limits.stop_rate * reported
    failures = FAILED.text(evidence.treatment, evidence.subjects)
    sentence = f"{failures}; a release stops at once at {_percent(limits.stop_rate)}"
    doubt = _shared(FAILED, evidence.control, limits.failure_rate)
    return Finding("stop", evidenced, threshold, reached and evidenced >= threshold, sentence, doubt)


def _limit(test: str, measure: Measure, evidence: Evidence, limit: float) -> Finding:
    """Test whether treatment exceeds a limit; in doubt if control exceeds it too, as in an unrelated outage."""
    sentence = f"{measure.text(evidence.treatment, evidence.subjects)}; the limit is {_percent(limit)}"
    evidenced = limit_evidence(*measure.of(evidence.treatment), limit)
    return _finding(test, evidenced, ALPHAS[test], sentence, _shared(measure, evidence.control, limit))


def _failures(evidence: Evidence, limit: float) -> Finding:
    """Test the failure rate against its limit; it leans towards harm if the rate is more likely than not above it."""
    finding = _limit("limit", FAILED, evidence, limit)
    failed, reported = FAILED.of(evidence.treatment)
    enough = trials_within(failed, limit)
    if finding.objects or reported >= enough:
        return replace(finding, leans=False)
    pardon = f"{finding.sentence}, which {failed} of {enough} would be within"
    return replace(finding, sentence=pardon, leans=True)


def _shared(measure: Measure, control: ArmCounts | None, limit: float) -> str:
    """Return the doubt if control exceeds the limit, too; empty otherwise."""
    exceeded = control is not None and limit_evidence(*measure.of(control), limit) >= SHARED
    return f"so did {measure.share(control)} in the control group" if control and exceeded else ""


@dataclass(frozen=True)
class _Arms:
    """Both arms, and whom they count."""

    treatment: ArmCounts
    control: ArmCounts
    subjects: Subjects

    def of(self, measure: Measure) -> tuple[tuple[int, int], tuple[int, int]]:
        return measure.of(self.treatment), measure.of(self.control)

    def text(self, measure: Measure) -> str:
        """Say how both arms did."""
        new = measure.text(self.treatment, self.subjects)
        return f"{new}, against {measure.share(self.control)} in the control group"


def _compare(arms: _Arms, baseline: Baseline, limits: Limits) -> Iterator[Finding]:
    """Test whether treatment is worse than control, or differs from it in the task's metric."""

    def against(
        test: str, measure: Measure, margin: float, priors: tuple[Prior, Prior], two_sided: bool = False
    ) -> Finding:
        evidenced = difference_evidence(*arms.of(measure), margin=margin, two_sided=two_sided, priors=priors)
        return _finding(test, evidenced, ALPHAS[test], arms.text(measure))

    yield against("control", FAILED, limits.failure_margin, RARE)
    yield against("silence", _silent(arms.subjects), limits.silence_margin, RARE)
    if slower := _slower(baseline):
        yield _slowdown(arms, slower, limits.slowdown_margin)
    if baseline.metric is not None and baseline.median is not None:
        low = Measure("low", "measured", f"had a {baseline.metric} below {baseline.median:g}")
        yield against("drift", low, limits.drift_margin, EVEN, two_sided=True)


def _slower(baseline: Baseline) -> dict[str, Measure]:
    """Return what is compared of each kind of run that the baseline knows: it is fixed before the first device."""
    kinds = (
        ("cold", baseline.latency_ms, "slower", "timed"),
        ("warm", baseline.warm_latency_ms, "warm_slower", "warm_timed"),
    )
    return {
        kind: Measure(hits, trials, f"took longer than {latency_ms:g} ms")
        for kind, latency_ms, hits, trials in kinds
        if latency_ms is not None
    }


def _slowdown(arms: _Arms, slower: Mapping[str, Measure], margin: float) -> Finding:
    """Test whether runs take longer than in control: cold runs against cold ones, warm runs against warm ones.

    The first run of a version just installed is cold, while control goes on with warm ones: runs of different kinds say
    nothing about the version. A kind that one arm does not have is no evidence.
    """
    pairs = [arms.of(measure) for measure in slower.values()]
    evidenced = mean_evidence([difference_evidence(*pair, margin=margin, priors=TENTH) for pair in pairs])
    texts = {kind: arms.text(measure) for kind, measure in slower.items()}
    if "warm" in slower or arms.treatment.warm_timed or arms.control.warm_timed:
        missing = "not compared, there were too few before the release"
        sentence = "; ".join(f"{kind} runs: {texts.get(kind, missing)}" for kind in ("cold", "warm"))
    else:
        sentence = texts["cold"]
    return _finding("slowdown", evidenced, ALPHAS["slowdown"], sentence)


def _ratio(ratio: SampleRatio, subjects: Subjects) -> Finding:
    evidenced = ratio_evidence(ratio.treatment, ratio.control, ratio.share)
    selected = ratio.treatment + ratio.control
    found = f"{ratio.treatment} of {selected} selected {subjects.many} get the new version"
    sentence = f"{found}; {_percent(ratio.share)} were planned"
    return replace(_finding(RATIO, evidenced, RATIO_ALPHA, sentence), leans=evidenced >= RATIO_SUSPECT)


def _new(new: NewDevices, limits: Limits, subjects: Subjects) -> Iterator[Finding]:
    """Yield findings about new devices, which pause a release; somebody may have invented these devices.

    A surge is one of devices that register, whoever the release is about: they may call, too.
    """
    if new.counts.reported:
        evidenced = limit_evidence(*FAILED.of(new.counts), limits.failure_rate)
        share = FAILED.share(new.counts, f" new {subjects.many}, which nobody vouches for, failed")
        sentence = f"{share}; the limit is {_percent(limits.failure_rate)}"
        yield _finding(NEW_FAILURES, evidenced, NEW_FAILURES_ALPHA, sentence)
    surge = max(SURGE_LEAST, SURGE_FACTOR * new.usual)
    if new.registered >= surge:
        minutes = SURGE_WINDOW_S // 60
        usual = f"{new.usual:.3g} are usual"
        sentence = (
            f"{new.registered} new devices, which nobody vouches for, registered within {minutes} minutes; {usual}"
        )
        yield Finding(SURGE, log(new.registered / surge), 0.0, True, sentence)


def _cloud(cloud: CloudFailures) -> Finding:
    sentence = f"the last {cloud.calls} calls of the cloud half failed: {cloud.error}"
    return Finding(CLOUD, log(cloud.calls / CLOUD_CALLS), 0.0, True, sentence)


def _finding(test: str, log_evidence: float, alpha: float, sentence: str, doubt: str = "") -> Finding:
    threshold = -log(alpha)
    return Finding(test, log_evidence, threshold, log_evidence >= threshold, sentence, doubt, leans=log_evidence > 0)


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
