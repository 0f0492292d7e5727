"""Rules that push what follows a concatenation through it, to where its parts are made, until nothing needs it.

A part that is pushed through is a long vector, such as the counts of n-grams; short parts that stand side by side stay
concatenated. Parameters are cut by reference (`Parameter.slice`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from walle.whitebox.graph import MAX_TRANSFORMATIONS, Transformation
from walle.whitebox.operators import OPERATORS
from walle.whitebox.oven.draft import Draft

LONG: Final = 64
"""The least size of a vector that is worth a transformation of its own."""
_TAKE_PARTS: Final = ("linear", "norm")
"""What a sum of is made where the parts of a vector come one by one."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Neighbouring inputs of a concatenation, and where they lie in it."""

    inputs: tuple[str, ...]
    start: int
    stop: int


def parts_of(concat: Transformation, sizes: Sequence[int]) -> tuple[_Part, ...]:
    """Return a concatenation as parts: each long input, and each run of short ones; `sizes` are those of the inputs."""
    parts: list[_Part] = []
    start, run = 0, False
    for each, size in zip(concat.inputs, sizes, strict=True):
        short = size < LONG
        if short and run:
            last = parts.pop()
            parts.append(_Part((*last.inputs, each), last.start, start + size))
        else:
            parts.append(_Part((each,), start, start + size))
        start, run = start + size, short
    return tuple(parts)


def _is_worth_it(parts: Sequence[_Part]) -> bool:
    return len(parts) > 1 and any(len(each.inputs) == 1 and each.stop - each.start >= LONG for each in parts)


def _leading_to_models(draft: Draft) -> set[str]:
    """Return the ids of what only linear models and norms take, or what leads to them number by number."""
    steps, consumers = draft.by_id(), draft.consumers()
    leading: set[str] = set()

    def takes_parts(id_: str) -> bool:
        step = steps.get(id_)
        if step is None:
            return False
        if step.operator == "normalize":
            return bool(consumers[id_]) and all(_is_linear(steps, each) for each in consumers[id_])
        return step.operator in _TAKE_PARTS or (OPERATORS[step.operator].elementwise and id_ in leading)

    for step in reversed(draft.graph.transformations):
        if consumers[step.id] and all(takes_parts(each) for each in consumers[step.id]):
            leading.add(step.id)
    return leading


def _is_linear(steps: dict[str, Transformation], id_: str) -> bool:
    return id_ in steps and steps[id_].operator == "linear"


class _Pushing:
    """One pass over a draft from its columns down, in which transformations are replaced by several."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.leading = _leading_to_models(draft)
        self.steps = draft.by_id()
        self._sizes = {id_: draft.size(id_) for id_ in draft.types}
        self._taken = set(self.steps)
        self._numbers: Counter[str] = Counter()
        self._groups: dict[tuple[str, ...], str] = {}
        self._room = MAX_TRANSFORMATIONS - len(self.steps)
        self.done: list[Transformation] = []
        self.changed = False

    def keep(self, step: Transformation) -> None:
        """Go on with a transformation as it is now."""
        self.steps[step.id] = step
        self.done.append(step)

    def parts(self, id_: str) -> tuple[_Part, ...]:
        """Return the parts through which what takes an input may be pushed; none if it should not be.

        It should not where a pipeline would become one of too many transformations.
        """
        concat = self.steps.get(id_)
        if concat is None or concat.operator != "concat" or id_ not in self.leading:
            return ()
        parts = parts_of(concat, [self._sizes[each] for each in concat.inputs])
        return parts if _is_worth_it(parts) and 2 * len(parts) <= self._room else ()

    def push(self, step: Transformation, parts: Sequence[_Part]) -> list[str]:
        """Do a transformation part by part, and return the ids of what comes of them."""
        self.changed = True
        made = []
        for part in parts:
            cut = {name: each.slice(part.start, part.stop) for name, each in step.parameters.items()}
            id_ = self.fresh(step.id)
            self.keep(replace(step, id=id_, inputs=(self._joined(part, step.inputs[0]),), parameters=cut))
            self._sizes[id_] = part.stop - part.start
            made.append(id_)
        return made

    def _joined(self, part: _Part, concat: str) -> str:
        """Return the id of a part: an input of the concatenation, or a shorter concatenation of several."""
        if len(part.inputs) == 1:
            return part.inputs[0]
        if part.inputs not in self._groups:
            id_ = self._groups[part.inputs] = self.fresh(concat)
            self._sizes[id_] = part.stop - part.start
            self.keep(Transformation(id_, "concat", part.inputs))
        return self._groups[part.inputs]

    def fresh(self, id_: str) -> str:
        """Return an id that nothing has, for what comes from the transformation with an id."""
        while True:
            name = f"{id_[:80]}+{self._numbers[id_[:80]]}"
            self._numbers[id_[:80]] += 1
            if name not in self._taken:
                self._taken.add(name)
                self._room -= 1
                return name

    def draft_now(self) -> Draft:
        return self.draft.with_transformations(self.done) if self.changed else self.draft


def push_elementwise(draft: Draft) -> Draft:
    """Push what is done to each number by itself through concatenations on the way to a linear model."""
    pushing = _Pushing(draft)
    for step in draft.graph.transformations:
        elementwise = OPERATORS[step.operator].elementwise and step.id in pushing.leading
        parts = pushing.parts(step.inputs[0]) if elementwise else ()
        pushing.keep(Transformation(step.id, "concat", tuple(pushing.push(step, parts))) if parts else step)
    return pushing.draft_now()


def delay_normalization(draft: Draft) -> Draft:
    """Divide the scores of linear models by the norm, instead of the concatenation that they take.

    The product with weights and the norm are then both made of parts.
    """
    pushing = _Pushing(draft)
    for step in draft.graph.transformations:
        normalize = pushing.steps.get(step.inputs[0]) if step.operator == "linear" else None
        if normalize and normalize.operator == "normalize" and pushing.parts(normalize.inputs[0]):
            for each in _delayed(pushing, step, normalize):
                pushing.keep(each)
            pushing.changed = True
        else:
            pushing.keep(step)
    return pushing.draft_now()


def _delayed(pushing: _Pushing, model: Transformation, normalize: Transformation) -> Iterator[Transformation]:
    raw, norm = pushing.fresh(model.id), pushing.fresh(normalize.id)
    weights = {"weights": model.parameters["weights"]}
    yield Transformation(raw, "linear", normalize.inputs, {}, weights)
    yield Transformation(norm, "norm", normalize.inputs, dict(normalize.settings))
    if "intercept" not in model.parameters:
        yield Transformation(model.id, "divide", (raw, norm))
        return
    divided = pushing.fresh(model.id)
    yield Transformation(divided, "divide", (raw, norm))
    intercept = {"intercept": model.parameters["intercept"]}
    yield Transformation(model.id, "sum", (divided,), {"weights": None}, intercept)


def push_linear(draft: Draft) -> Draft:
    """Push linear models and norms through concatenations: a sum of the models of the parts, a norm of their norms."""
    pushing = _Pushing(draft)
    for step in draft.graph.transformations:
        parts = pushing.parts(step.inputs[0]) if step.operator in _TAKE_PARTS else ()
        if not parts:
            pushing.keep(step)
        elif step.operator == "norm":
            made = pushing.push(step, parts)
            pushing.keep(Transformation(step.id, "join_norms", tuple(made), dict(step.settings)))
        else:
            intercept = {name: each for name, each in step.parameters.items() if name == "intercept"}
            weights = {"weights": step.parameters["weights"]}
            made = pushing.push(replace(step, parameters=weights), parts)
            pushing.keep(Transformation(step.id, "sum", tuple(made), {"weights": None}, intercept))
    return pushing.draft_now()
