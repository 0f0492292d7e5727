"""Where a task's inputs come from: the app's own source, a file of recorded inputs, or invented ones."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from itertools import cycle
from pathlib import Path
from typing import Any, Protocol

from walle.protocol.documents import Manifest

Inputs = Mapping[str, Any]


class InputSource(Protocol):
    """The inputs of a task's next run; None if there is nothing to run on now."""

    def __call__(self, task: str, manifest: Manifest) -> Inputs | None: ...


class RecordedInputs:
    """Inputs from JSON Lines files, over and over: `{"inputs": {...}}` per line, what else it has is not looked at."""

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self._lines = {task: cycle(_read(path)) for task, path in paths.items()}

    def __call__(self, task: str, manifest: Manifest) -> Inputs | None:
        return next(self._lines[task]) if task in self._lines else None


def _read(path: Path) -> list[Inputs]:
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    if not lines or not all(isinstance(line, dict) and isinstance(line.get("inputs"), dict) for line in lines):
        raise ValueError(f'{path}: expected a JSON object with "inputs" per line')
    return [line["inputs"] for line in lines]


class InventedInputs:
    """Inputs of the declared types, drawn at random: enough to exercise a task, not to judge its answers."""

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw

    def __call__(self, task: str, manifest: Manifest) -> Inputs:
        return {name: self._value(declared) for name, declared in manifest.values["inputs"].items()}

    def _value(self, declared: Mapping[str, Any]) -> Any:
        kind = declared.get("type")
        if kind == "tensor":
            return self._tensor(iter(declared["shape"]), str(declared.get("dtype", "float32")))
        low, high = declared.get("min", 0), declared.get("max", 1)
        simple = {
            "number": self._draw.uniform(low, high),
            "integer": self._draw.randint(int(low), int(high)),
            "boolean": self._draw.random() < 0.5,
            "text": " ".join(self._draw.choices(_WORDS, k=6)),
            "list": [],
            "object": {},
        }
        return simple.get(str(kind))

    def _tensor(self, shape: Iterator[int], dtype: str) -> Any:
        size = next(shape, None)
        if size is None:
            return self._draw.random() if dtype.startswith("float") else self._draw.randint(0, 1)
        rest = list(shape)
        return [self._tensor(iter(rest), dtype) for _ in range(size if size >= 0 else 1)]


_WORDS = ("good", "bad", "fast", "slow", "small", "item", "page", "price", "blue", "again")
