"""Whether the version is to blame where it exceeds a limit, or what else broke at the same time.

An outage of a network or of a backend harms devices that are held back just as well. So control answers for what
treatment is accused of: if it exceeds the limit too, it is not the version. And where only the present stage exceeds
it, after devices of earlier ones did not, control is waited for until it would show an outage, if there is one.
"""

from __future__ import annotations

from math import ceil, log
from typing import Final

from walle.release.evidence import Evidence
from walle.release.finding import Measure
from walle.release.sequential import limit_evidence, mean_evidence

SHARED: Final = log(10)
"""Evidence of 10 to 1 that control exceeds a limit, too, which casts doubt on what treatment is accused of."""
OUTAGE_SEEN: Final = 5
"""Control is expected to show so many failures before it is taken as well: none or one of them is then rare (4 %)."""
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
    return _unheard(measure, evidence, limit) if evidence.patient else ""


def _unheard(measure: Measure, evidence: Evidence, limit: float) -> str:
    """Return that control has not reported enough since the present stage began, if only that one exceeds the limit."""
    if len(evidence.stages) < 2:  # both arms have reported since the first stage that compares them began
        return ""
    present = evidence.stages[-1]
    (hits, trials), (all_hits, all_trials) = measure.of(present.treatment), measure.of(evidence.treatment)
    if not hits or limit_evidence(all_hits - hits, all_trials - trials, limit) > 0:
        return ""
    heard = measure.of(present.control)[1]
    needed = min(ceil(OUTAGE_SEEN * trials / hits), evidence.control.drawn if evidence.control else 0)
    if heard >= needed:
        return ""
    return f"only {heard} of the {needed} in the control group that would show an outage have reported in this stage"
