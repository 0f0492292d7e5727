"""Answers: the numbers that a program leaves, and the predictions that they say."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, partial
from itertools import repeat
from struct import Struct
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from walle.whitebox.compiling.physical import CASCADE, Answer, PlanInterface
from walle.whitebox.graph import ClassName


class Prediction(NamedTuple):
    """What a pipeline answers for a record; None is what it does not answer.

    `label` is the name of a class, `probabilities` those of all classes, `value` a regression's (a tuple if it has
    several), `decision` the scores before either; `cascade` whether the prefix of a pipeline with a cascade answered.
    """

    label: ClassName | None
    probabilities: tuple[float, ...] | None
    value: float | tuple[float, ...] | None
    decision: tuple[float, ...] | None
    cascade: bool | None = None


_PREDICTION: Final = partial(tuple.__new__, Prediction)
"""Makes a prediction of its parts, without a call of Python for each."""


class AnswerReader:
    """Reads the answers of all plans that answer alike: it is near the processor, whichever of them was asked."""

    __slots__ = ("_cascade", "_classes", "_decision", "_labelled", "_probabilities", "_unpack", "_value")

    def __init__(self, answers: dict[str, Answer], classes: tuple[ClassName, ...]) -> None:
        slices = {name: slice(each.start, each.start + each.size) for name, each in answers.items()}
        self._unpack = Struct(f"={sum(each.size for each in answers.values())}d").unpack_from
        self._labelled, self._classes = "label" in answers, classes
        self._probabilities, self._value, self._decision = map(slices.get, ("probabilities", "value", "decision"))
        self._cascade = answers[CASCADE].start if CASCADE in answers else None

    def read_one(self, view: memoryview, start: int) -> Prediction:
        """Return what the numbers from a byte of a frame on say."""
        answer = self._unpack(view, start)
        value = answer[self._value] if self._value else None
        return Prediction(
            self._classes[int(answer[0])] if self._labelled else None,
            answer[self._probabilities] if self._probabilities else None,
            value[0] if value and len(value) == 1 else value,
            answer[self._decision] if self._decision else None,
            None if self._cascade is None else bool(answer[self._cascade]),
        )

    def read(self, answers: npt.NDArray[np.float64]) -> list[Prediction]:
        """Return the predictions that answers say, a row of numbers each."""
        labels: Iterable[ClassName | None] = repeat(None, len(answers))
        if self._labelled:
            labels = map(self._classes.__getitem__, answers[:, 0].astype(np.int64).tolist())
        probabilities, decisions = (_tuples(answers, part) for part in (self._probabilities, self._decision))
        values: Iterable[Any] = _tuples(answers, self._value)
        if self._value and self._value.stop - self._value.start == 1:
            values = answers[:, self._value.start].tolist()
        cascades: Iterable[bool | None] = repeat(None, len(answers))
        if self._cascade is not None:
            cascades = answers[:, self._cascade].astype(np.bool_).tolist()
        return list(map(_PREDICTION, zip(labels, probabilities, values, decisions, cascades, strict=True)))


def _tuples(answers: npt.NDArray[np.float64], part: slice | None) -> Iterable[tuple[float, ...] | None]:
    return map(tuple, answers[:, part].tolist()) if part else repeat(None, len(answers))


def reader_of(plan: PlanInterface) -> AnswerReader:
    """Return what reads the answers of a plan."""
    return _shared_reader(tuple(plan.answers.items()), plan.classes, tuple(map(type, plan.classes)))


@lru_cache(maxsize=1024)
def _shared_reader(
    answers: tuple[tuple[str, Answer], ...], classes: tuple[ClassName, ...], types: tuple[type, ...]
) -> AnswerReader:
    """Return a reader; the classes' types tell 1 from True."""
    return AnswerReader(dict(answers), classes)
