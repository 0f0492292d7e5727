"""What is told of answers that are arrays: their scores and problems, without making single predictions of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from walle.whitebox.batch_answers import BatchAnswers
from walle.whitebox.serving.answers import NO_SCORES, scores_of
from walle.whitebox.serving.engine import RecordAnswer
from walle.whitebox.serving.outcomes import HIGHEST_SCORE, Scores
from walle.whitebox.serving.ports import SCORE_BUCKETS
from walle.whitebox.serving.problems import RecordProblem

Answers = Sequence[RecordAnswer | RecordProblem]


def problems_of(answers: Answers) -> tuple[RecordProblem, ...]:
    """Return what is wrong with the records that were refused, in their order."""
    if isinstance(answers, BatchAnswers):
        return tuple(answers.refused[index] for index in sorted(answers.refused))
    return tuple(each for each in answers if isinstance(each, RecordProblem))


def cascaded_of(answers: Answers) -> int:
    """Return how many records the prefix of a cascade answered."""
    if not isinstance(answers, BatchAnswers):
        return sum(not isinstance(each, RecordProblem) and bool(each.cascade) for each in answers)
    said = answers.part("cascade")
    return 0 if said is None else int(np.count_nonzero(said > 0))


def scores_of_batch(answers: Answers) -> Scores:
    """Return the scores of the records that were not refused (`walle.whitebox.serving.answers.scores_of`)."""
    if not isinstance(answers, BatchAnswers):
        return scores_of([each for each in answers if not isinstance(each, RecordProblem)])
    answered, shares, values = answers.is_answered, answers.part("probabilities"), answers.part("value")
    if shares is not None:
        return _scores_of_shares(shares[answered])
    if values is not None and values.shape[1] == 1:
        own = values[np.isfinite(values[:, 0]), 0]
        return Scores(len(own), float(own.sum()), 0.0, (0,) * SCORE_BUCKETS) if len(own) else NO_SCORES
    return NO_SCORES


def _scores_of_shares(shares: Any) -> Scores:
    if not len(shares):
        return NO_SCORES
    best = shares.max(axis=1)
    own = shares[:, 1] if shares.shape[1] == 2 else best
    places = (np.clip(own, 0.0, HIGHEST_SCORE) * SCORE_BUCKETS).astype(np.int64)
    buckets = tuple(np.bincount(places, minlength=SCORE_BUCKETS).tolist())
    return Scores(len(own), float(own.sum()), float(best.sum()), buckets)
