"""Whether the version is to blame where it exceeds a limit, or what else broke at the same time.

An outage of a network or of a backend harms devices that are held back just as well. So control answers for what
treatment is accused of: if it exceeds the limit too, it is not the version. And where only the present stage exceeds
it, after devices of earlier ones did not, either the version or something else broke lately: control is waited for
until it is TOLD_APART times as likely to fail as treatment now does, at least, as to keep the limit, or the other way
round (Wald 1945).
"""

from __future__ import annotations

from math import exp, log
from typing import Final

from walle.release.evidence import Evidence
from walle.release.finding import Measure
from walle.release.sequential import limit_evidence, mean_evidence, rate_bounds, rate_evidence

SHARED: Final = log(10)
"""Evidence of 10 to 1 that control exceeds a limit, too, which casts doubt on what treatment is accused of."""
TOLD_APART: Final = log(20)
"""How much likelier one of them is, so that the other is believed in one case of twenty at most."""
OUTAGE_WAIT_S: Final = 900
"""For so long a release that is paused waits for control; after that, the version is held responsible."""


def doubt_about(measure: Measure, evidence: Evidence, limit: float) -> str:
    """Return why it may not be the version that exceeds a limit; empty if nothing else explains it."""
    if evidence.control is None:
        return ""
    found = [(limit_evidence(*measure.of(pair.control), limit), pair.control) for pair in evidence.pairs]
    if mean_evidence([each for each, _ in found]) >= SHARED:
        _, control = max(found, key=lambda each: each[0])
        return f"so did {measure.share(control)} in the control group"
    return _lately(measure, evidence, limit)


def _lately(measure: Measure, evidence: Evidence, limit: float) -> str:
    """Return what control says, or that it has not said enough, if only the present stage exceeds the limit."""
    if len(evidence.stages) < 2:  # both arms have reported since the first stage that compares them began
        return ""
    present = evidence.stages[-1]
    (hits, trials), (all_hits, all_trials) = measure.of(present.treatment), measure.of(evidence.treatment)
    rate, _ = rate_bounds(hits, trials, exp(-TOLD_APART))
    if rate <= limit or limit_evidence(all_hits - hits, all_trials - trials, limit) >= SHARED:
        return ""
    outage = rate_evidence(*measure.of(present.control), limit, rate)
    if outage >= TOLD_APART:
        return f"so did {measure.share(present.control)} in the control group in this stage"
    if outage <= -TOLD_APART or not evidence.patient:
        return ""
    heard = measure.share(present.control)
    return f"in this stage alone, and the control group has not reported enough there to tell an outage: {heard}"
