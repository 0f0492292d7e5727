"""Sources of a task's inputs: the app itself, a file of recorded inputs, or generated ones."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Mapping
from itertools import cycle
from pathlib import Path
from typing import Any, Protocol

from walle.protocol.documents import Manifest

Inputs = Mapping[str, Any]


class InputSource(Protocol):
    """Returns the inputs of a task's next run by name; None if there is nothing to run it on now."""

    def __call__(self, task: str, manifest: Manifest) -> Inputs | None: ...


class RecordedInputs:
    """Inputs from JSON Lines files, repeated endlessly. Each line is `{"inputs": {...}}`; other keys are ignored.

    Raises ValueError if a file is empty or a line has another form.
    """

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self._lines = {task: cycle(_read(path)) for task, path in paths.items()}

    def __call__(self, task: str, manifest: Manifest) -> Inputs | None:
        return next(self._lines[task]) if task in self._lines else None


def _read(path: Path) -> list[Inputs]:
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    if not lines or not all(isinstance(line, dict) and isinstance(line.get("inputs"), dict) for line in lines):
        raise ValueError(f'{path}: expected a JSON object with "inputs" per line')
    return [line["inputs"] for line in lines]


class RandomInputs:
    """Random inputs of the declared types: enough to exercise a task, not to judge its outputs."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def __call__(self, task: str, manifest: Manifest) -> Inputs:
        return self.of(manifest.values["inputs"])

    def of(self, fields: Mapping[str, Mapping[str, Any]]) -> Inputs:
        """Return random values of declared fields, by name."""
        return {name: self._value(declared) for name, declared in fields.items()}

    def _value(self, declared: Mapping[str, Any]) -> Any:
        kind = str(declared.get("type"))
        if kind == "tensor":
            return self._tensor(tuple(declared["shape"]), str(declared.get("dtype", "float32")))
        low, high = _bounds(declared)
        generators: dict[str, Callable[[], Any]] = {
            "number": lambda: self._rng.uniform(low, high),
            "integer": lambda: self._rng.randint(math.ceil(low), math.floor(high)),
            "boolean": lambda: self._rng.random() < 0.5,
            "text": lambda: " ".join(self._rng.choices(_WORDS, k=6)),
            "list": list,
            "object": dict,
        }
        return generators[kind]()

    def _tensor(self, shape: tuple[int, ...], dtype: str) -> Any:
        if shape:
            size = shape[0] if shape[0] >= 0 else 1
            return [self._tensor(shape[1:], dtype) for _ in range(size)]
        number = self._rng.random()
        return number if dtype.startswith("float") else number < 0.5 if dtype == "bool" else round(number)


def _bounds(declared: Mapping[str, Any]) -> tuple[float, float]:
    """Return the declared bounds. A missing one is 1 away from the other; without either they are 0 and 1."""
    low = declared.get("min", declared.get("max", 1) - 1)
    return low, declared.get("max", low + 1)


_WORDS = ("good", "bad", "fast", "slow", "small", "item", "page", "price", "blue", "again")
