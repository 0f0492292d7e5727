"""Answers in JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, Final

from walle.whitebox.serving.engine import LoadedPlan, RecordAnswer
from walle.whitebox.serving.outcomes import Scores, score_bucket
from walle.whitebox.serving.ports import SCORE_BUCKETS
from walle.whitebox.serving.problems import RecordProblem

NO_SCORES: Final = Scores(0, 0.0, 0.0, ())
_encode: Final = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode


def write_one(plan: LoadedPlan, answer: RecordAnswer) -> bytes:
    """Return the body of the answer to one record."""
    return _encode({**_about(plan), "prediction": _prediction(answer)}).encode()


def write_batch(plan: LoadedPlan, answers: Sequence[RecordAnswer | RecordProblem]) -> bytes:
    """Return the body of the answer to a batch: a record that was refused has null, and is named in `problems`."""
    predictions = [_prediction(each) if not isinstance(each, RecordProblem) else None for each in answers]
    problems = [each._asdict() for each in answers if isinstance(each, RecordProblem)]
    return _encode({**_about(plan), "predictions": predictions, "problems": problems}).encode()


def _about(plan: LoadedPlan) -> dict[str, Any]:
    about: dict[str, Any] = {"version": plan.version, "manifest": plan.id}
    if plan.classes:
        about["classes"] = plan.classes
    return about


def _prediction(answer: RecordAnswer) -> dict[str, Any]:
    told: dict[str, Any] = {}
    if answer.label is not None:
        told["label"] = answer.label
    if answer.probabilities is not None:
        told["probabilities"] = [_finite(each) for each in answer.probabilities]
    if answer.value is not None:
        value = answer.value
        told["value"] = _finite(value) if isinstance(value, float) else [_finite(each) for each in value]
    if answer.decision is not None:
        told["decision"] = [_finite(each) for each in answer.decision]
    return told


def _finite(number: float) -> float | None:
    """Return a number as JSON has it, which knows neither NaN nor infinity."""
    return number if math.isfinite(number) else None


def scores_of(answers: Sequence[RecordAnswer]) -> Scores:
    """Return the scores of answers, as walle.whitebox.serving.ports.CallerOutcome describes them."""
    count, score, confidence, buckets = 0, 0.0, 0.0, [0] * SCORE_BUCKETS
    for answer in answers:
        shares = answer.probabilities
        if shares:
            best = max(shares)
            own = shares[1] if len(shares) == 2 else best
            buckets[score_bucket(own)] += 1
        elif isinstance(answer.value, float) and math.isfinite(answer.value):
            own, best = answer.value, 0.0
        else:
            continue
        count, score, confidence = count + 1, score + own, confidence + best
    return Scores(count, score, confidence, tuple(buckets)) if count else NO_SCORES
