"""The verdict on a release, derived from the findings of all tests. It may be computed at any time.

- fail: a test fails, and nothing but the version explains it. A release that keeps to its limits and is no worse than
  control ever fails with a probability of at most ALPHA, however often it is judged: the tests share it out (ALPHAS).
- error: something is wrong, but perhaps not the version: the arms are not selected as planned, the devices that are
  held back exceed the limit too, new devices that nobody vouches for fail or come in great numbers, or the version's
  cloud half fails on what devices upload.
- inconclusive: too few established devices reported, or a test is suspicious. It never promotes a release.
- pass: none of these.

A fail and an error count at once; a pass counts when a stage asks for a verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Self

from walle.release.evidence import Evidence, TriggerWait
from walle.release.finding import ALPHAS, Finding
from walle.release.findings import NEW_FAILURES, find
from walle.release.limits import Limits
from walle.release.subjects import DEVICES, Subjects


class VerdictKind(StrEnum):
    PASS = "pass"  # noqa: S105 (no password)
    FAIL = "fail"
    ERROR = "error"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Verdict:
    """A verdict with its findings and a sentence for people."""

    kind: VerdictKind
    sentence: str
    findings: tuple[Finding, ...]

    @property
    def decisive(self) -> bool:
        """Return whether the verdict counts at once; others count when a stage asks for one."""
        return self.kind in (VerdictKind.FAIL, VerdictKind.ERROR)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind.value, "sentence": self.sentence, "findings": list(map(asdict, self.findings))}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """Read what `to_dict` wrote."""
        findings = tuple(Finding(**finding) for finding in value["findings"])
        return cls(VerdictKind(value["kind"]), value["sentence"], findings)


def judge(evidence: Evidence, limits: Limits, minimum_evidence: int) -> Verdict:
    """Return the verdict at this moment; a pass needs reports of `minimum_evidence` established devices."""
    findings = tuple(find(evidence, limits))
    kind, sentence = _conclude(evidence, findings, minimum_evidence)
    return Verdict(kind, sentence, findings)


def _conclude(evidence: Evidence, findings: tuple[Finding, ...], minimum_evidence: int) -> tuple[VerdictKind, str]:
    objections = [finding for finding in findings if finding.objects]
    if blaming := [finding for finding in objections if finding.test in ALPHAS and not finding.doubt]:
        return VerdictKind.FAIL, _because(blaming)
    if objections:
        return VerdictKind.ERROR, _because(objections)
    reported = evidence.treatment.reported
    if reported < minimum_evidence:
        return VerdictKind.INCONCLUSIVE, _missing(evidence, minimum_evidence)
    if suspicious := [finding for finding in findings if finding.suspicious and finding.test != NEW_FAILURES]:
        return VerdictKind.INCONCLUSIVE, f"not conclusive yet: {_because(suspicious)}"
    who = evidence.subjects.many
    return VerdictKind.PASS, f"{reported} {who} reported, {evidence.treatment.failed} failed; all checks pass"


def waiting(
    reported: int, needed: int, new: int, trigger: TriggerWait | None = None, subjects: Subjects = DEVICES
) -> str:
    """Say how many subjects are still to report, what they wait for, and how many do not count because they are new."""
    sentences = [f"{reported} of the {needed} {subjects.many} needed have reported"]
    if new:
        sentences.append(f"{new} more are new, and nobody vouches for them")
    if trigger and trigger.text:
        sentences.append(trigger.text)
    return "; ".join(sentences)


def _missing(evidence: Evidence, needed: int) -> str:
    """Say who is still to report, and what to do if only new subjects have been selected."""
    new, subjects = evidence.new.counts, evidence.subjects
    if evidence.treatment.drawn or not new.drawn:
        return waiting(evidence.treatment.reported, needed, new.reported, evidence.trigger, subjects)
    return (
        f"all {new.drawn} {subjects.many} selected so far are new, and nobody vouches for them: promote the release "
        f"manually, which takes the right to complete early, or {subjects.vouch}"
    )


def _because(findings: Iterable[Finding]) -> str:
    return "; ".join(finding.text for finding in findings)
