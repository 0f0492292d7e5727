"""Run the statistical tests on the evidence of a release. The available comparisons determine the tests.

Against the limits: `stop` and `limit` (failures), `latency`, and `silence` where there is no control. Against the
devices held back: `control` (failures), `silence`, `slowdown`, `drift`. On the selection itself: `ratio`. On devices
that are new and that nobody vouches for: `new-failures`, `surge`. On what answers devices in the cloud: `cloud`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import log
from typing import Final

from walle.release.attribution import doubt_about
from walle.release.boundary import limit_threshold
from walle.release.comparison import compare
from walle.release.evidence import SURGE_WINDOW_S, ArmCounts, CloudFailures, Evidence, NewDevices, SampleRatio
from walle.release.finding import ALPHAS, FAILED, Finding, Measure, finding_of, percent, silent
from walle.release.limits import Limits
from walle.release.sequential import limit_evidence, rate_bounds, rate_evidence, ratio_evidence, trials_within
from walle.release.subjects import Subjects

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
        yield _limit("silence", silent(evidence.subjects), evidence, limits.silent_share)
        return
    ratio = _ratio(evidence.ratio, evidence.subjects) if evidence.ratio else None
    if ratio:
        yield ratio
    doubt = "the arms are not selected as planned" if ratio and ratio.objects else ""
    for finding in compare(evidence, limits):
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
    if limit_evidence(failed, reported, limits.failure_rate) >= limit_threshold(limits.failure_rate, alpha):
        return max(low, limits.failure_rate), high
    return low, high


def _stop(evidence: Evidence, limits: Limits) -> Finding:
    """Test the stop rate; requires enough evidence, too, in case the failure limit is close to that rate."""
    failed, reported = FAILED.of(evidence.treatment)
    evidenced = rate_evidence(failed, reported, limits.failure_rate, limits.stop_rate)
    threshold = -log(ALPHAS["stop"])
    reached = reported >= limits.stop_after and failed >= limits.stop_rate * reported
    failures = FAILED.text(evidence.treatment, evidence.subjects)
    sentence = f"{failures}; a release stops at once at {percent(limits.stop_rate)}"
    doubt = doubt_about(FAILED, evidence, limits.failure_rate)
    return Finding("stop", evidenced, threshold, reached and evidenced >= threshold, sentence, doubt)


def _limit(test: str, measure: Measure, evidence: Evidence, limit: float) -> Finding:
    """Test whether treatment exceeds a limit; in doubt if control exceeds it too, as in an unrelated outage."""
    sentence = f"{measure.text(evidence.treatment, evidence.subjects)}; the limit is {percent(limit)}"
    evidenced, threshold = limit_evidence(*measure.of(evidence.treatment), limit), limit_threshold(limit, ALPHAS[test])
    return finding_of(test, evidenced, threshold, sentence, doubt_about(measure, evidence, limit))


def _failures(evidence: Evidence, limit: float) -> Finding:
    """Test the failure rate against its limit; it leans towards harm if the rate is more likely than not above it."""
    finding = _limit("limit", FAILED, evidence, limit)
    failed, reported = FAILED.of(evidence.treatment)
    enough = trials_within(failed, limit)
    if finding.objects or reported >= enough:
        return replace(finding, leans=False)
    pardon = f"{finding.sentence}, which {failed} of {enough} would be within"
    return replace(finding, sentence=pardon, leans=True)


def _ratio(ratio: SampleRatio, subjects: Subjects) -> Finding:
    evidenced = ratio_evidence(ratio.treatment, ratio.control, ratio.share)
    selected = ratio.treatment + ratio.control
    found = f"{ratio.treatment} of {selected} selected {subjects.many} get the new version"
    sentence = f"{found}; {percent(ratio.share)} were planned"
    return replace(finding_of(RATIO, evidenced, -log(RATIO_ALPHA), sentence), leans=evidenced >= RATIO_SUSPECT)


def _new(new: NewDevices, limits: Limits, subjects: Subjects) -> Iterator[Finding]:
    """Yield findings about new devices, which pause a release; somebody may have invented these devices.

    A surge is one of devices that register, whoever the release is about: they may call, too.
    """
    if new.counts.reported:
        evidenced = limit_evidence(*FAILED.of(new.counts), limits.failure_rate)
        share = FAILED.share(new.counts, f" new {subjects.many}, which nobody vouches for, failed")
        sentence = f"{share}; the limit is {percent(limits.failure_rate)}"
        threshold = limit_threshold(limits.failure_rate, NEW_FAILURES_ALPHA)
        yield finding_of(NEW_FAILURES, evidenced, threshold, sentence)
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
