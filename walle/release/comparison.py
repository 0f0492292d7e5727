"""Compare treatment with control: failures, silence, run times, and the task's metric.

Arms are compared within each stage, because both report in the same time there: an outage that begins later harms both.
The evidence of the stages is averaged. Run times and metrics are compared at several points of their distributions, the
evidence of which is averaged too: whichever of them deviates, at the price of a constant (walle.release.grid).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from typing import Final

from walle.release.evidence import BASELINE_QUANTILE, Baseline, Evidence, StageArms
from walle.release.finding import ALPHAS, FAILED, Finding, Measure, finding_of, silent
from walle.release.grid import RUN_TIMES, VALUES, with_values
from walle.release.limits import Limits
from walle.release.sequential import RARE, Prior, difference_evidence, mean_evidence
from walle.release.subjects import Subjects

_RUN_SHARE: Final = 1 - BASELINE_QUANTILE
_HALF: Final = 0.5


@dataclass(frozen=True)
class _Contrast:
    """What is compared between two arms: how far their shares may be apart, and what is expected otherwise."""

    measure: Measure
    margin: float
    priors: tuple[Prior, Prior] = RARE
    two_sided: bool = False

    def evidence(self, arms: StageArms) -> float:
        both = self.measure.of(arms.treatment), self.measure.of(arms.control)
        return difference_evidence(*both, margin=self.margin, two_sided=self.two_sided, priors=self.priors)


def compare(evidence: Evidence, limits: Limits) -> Iterator[Finding]:
    """Yield whether treatment is worse than control, or differs from it in the task's metric."""
    pairs, subjects, baseline = evidence.pairs, evidence.subjects, evidence.baseline
    whole = (StageArms(evidence.treatment, evidence.control or StageArms().control),)
    yield _compared("control", pairs, [_Contrast(FAILED, limits.failure_margin)], subjects)
    yield _compared("silence", whole, [_Contrast(silent(subjects), limits.silence_margin)], subjects)
    if kinds := _run_times(baseline, limits.slowdown_margin):
        yield _slowdown(pairs, kinds, subjects)
    if values := _values(baseline, limits.drift_margin):
        yield _compared("drift", pairs, values, subjects)


def _run_times(baseline: Baseline, margin: float) -> dict[str, list[_Contrast]]:
    """Return what is compared of each kind of run that the baseline knows: it is fixed before the first device."""
    kinds = (
        ("cold", "", baseline.latency_ms, baseline.cold_grid),
        ("warm", "warm_", baseline.warm_latency_ms, baseline.warm_grid),
    )
    return {
        kind: [
            _Contrast(
                Measure(f"{prefix}slower{point.suffix}", f"{prefix}timed", f"took longer than {took_ms:g} ms"),
                point.margin(margin, _RUN_SHARE),
                point.priors,
            )
            for point, took_ms in with_values(RUN_TIMES, latency_ms, grid)
        ]
        for kind, prefix, latency_ms, grid in kinds
        if latency_ms is not None
    }


def _values(baseline: Baseline, margin: float) -> list[_Contrast]:
    """Return what is compared of the task's metric, if the baseline knows it."""
    if baseline.metric is None or baseline.median is None:
        return []
    return [
        _Contrast(
            Measure(f"low{point.suffix}", "measured", f"had a {baseline.metric} below {value:g}"),
            point.margin(margin, _HALF),
            point.priors,
            two_sided=True,
        )
        for point, value in with_values(VALUES, baseline.median, baseline.metric_grid)
    ]


def _compared(test: str, pairs: Sequence[StageArms], contrasts: Sequence[_Contrast], subjects: Subjects) -> Finding:
    evidenced, sentence = _mean(pairs, contrasts, subjects)
    return finding_of(test, evidenced, -log(ALPHAS[test]), sentence)


def _slowdown(pairs: Sequence[StageArms], kinds: dict[str, list[_Contrast]], subjects: Subjects) -> Finding:
    """Test whether runs take longer than in control: cold runs against cold ones, warm runs against warm ones.

    The first run of a version just installed is cold, while control goes on with warm ones: runs of different kinds say
    nothing about the version. A kind that one arm does not have is no evidence.
    """
    found = {kind: _mean(pairs, contrasts, subjects) for kind, contrasts in kinds.items()}
    evidenced = mean_evidence([each for each, _ in found.values()])
    if "warm" in kinds or any(arm.warm_timed for pair in pairs for arm in (pair.treatment, pair.control)):
        missing = 0.0, "not compared, there were too few before the release"
        sentence = "; ".join(f"{kind} runs: {found.get(kind, missing)[1]}" for kind in ("cold", "warm"))
    else:
        sentence = found["cold"][1]
    return finding_of("slowdown", evidenced, -log(ALPHAS["slowdown"]), sentence)


def _mean(pairs: Sequence[StageArms], contrasts: Sequence[_Contrast], subjects: Subjects) -> tuple[float, str]:
    """Return the evidence of all together, and a sentence about where the arms are furthest apart."""
    found = [(each.evidence(pair), each.measure, pair) for pair in pairs for each in contrasts]
    counted = [each for each in found if each[1].of(each[2].treatment)[1]] or found[: len(contrasts)]
    strongest, measure, arms = max(counted, key=lambda each: each[0])
    if strongest <= 0:
        measure = contrasts[0].measure
        arms = next(arms for _, same, arms in reversed(counted) if same == measure)
    sentence = f"{measure.text(arms.treatment, subjects)}, against {measure.share(arms.control)} in the control group"
    several = sum(measure.of(pair.treatment)[1] > 0 for pair in pairs) > 1
    return mean_evidence([each for each, _, _ in found]), sentence + (" in the same stage" if several else "")
