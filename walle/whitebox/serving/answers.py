"""Answers in JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from walle.whitebox.serving.engine import ClassName, LoadedPlan, RecordAnswer
from walle.whitebox.serving.outcomes import Scores, score_bucket
from walle.whitebox.serving.ports import SCORE_BUCKETS
from walle.whitebox.serving.problems import RecordProblem

NO_SCORES: Final = Scores(0, 0.0, 0.0, ())
_encode: Final = json.JSONEncoder(separators=(",", ":")).encode


def write_one(plan: LoadedPlan, answer: RecordAnswer) -> bytes:
    """Return the body of the answer to one record."""
    return f'{_head(plan)},"prediction":{_prediction(answer)}}}'.encode()


def write_batch(plan: LoadedPlan, answers: Sequence[RecordAnswer | RecordProblem]) -> bytes:
    """Return the body of the answer to a batch: a record that was refused has null, and is named in `problems`."""
    predictions = ",".join("null" if isinstance(each, RecordProblem) else _prediction(each) for each in answers)
    problems = _encode([each._asdict() for each in answers if isinstance(each, RecordProblem)])
    return f'{_head(plan)},"predictions":[{predictions}],"problems":{problems}}}'.encode()


@lru_cache(maxsize=4096)
def _head(plan: LoadedPlan) -> str:
    """Return how every answer of a version begins."""
    about: dict[str, Any] = {"version": plan.version, "manifest": plan.id}
    if plan.classes:
        about["classes"] = plan.classes
    return _encode(about)[:-1]


def _prediction(answer: RecordAnswer) -> str:
    """Return an answer as JSON, written by hand: an encoder would take longer than most plans."""
    label, probabilities, value, decision, cascade = answer
    told = []
    if label is not None:
        told.append(f'"label":{_label(label)}')
    if probabilities is not None:
        told.append(f'"probabilities":[{_numbers(probabilities)}]')
    if value is not None:
        told.append(f'"value":{_number(value) if isinstance(value, float) else f"[{_numbers(value)}]"}')
    if decision is not None:
        told.append(f'"decision":[{_numbers(decision)}]')
    if cascade is not None:
        told.append('"cascade":true' if cascade else '"cascade":false')
    return f"{{{','.join(told)}}}"


def _numbers(numbers: Sequence[float]) -> str:
    return ",".join(map(_number, numbers))


def _number(number: float) -> str:
    """Return a number as JSON has it, which knows neither NaN nor infinity."""
    return float.__repr__(number) if math.isfinite(number) else "null"


@lru_cache(maxsize=65_536, typed=True)
def _label(label: ClassName) -> str:
    return _encode(label)


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
