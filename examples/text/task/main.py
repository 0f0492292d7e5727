"""Is a sentence positive or negative: hashed n-grams of words and letters, weighed by logistic regression."""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from walle.container import Context

BUCKETS = 1 << 17
LETTERS = (3, 4, 5)
WORD = re.compile(r"[\w']+|[!?]")


def features(text: str) -> Iterator[str]:
    """Words, pairs of neighbours, and the runs of 3 to 5 letters inside each word (`<` and `>` mark its ends)."""
    words = WORD.findall(text.lower())
    yield from words
    yield from (f"{first} {second}" for first, second in pairwise(words))
    for marked in (f"<{word}>" for word in words):
        for length in LETTERS:
            yield from (f"#{marked[at : at + length]}" for at in range(len(marked) - length + 1))


def buckets(text: str) -> list[int]:
    """The places of the model's weights that a text switches on. CRC-32 is the same on every machine."""
    return sorted({zlib.crc32(feature.encode()) % BUCKETS for feature in features(text)})


@cache
def load_model(path: Path) -> tuple[NDArray[np.float32], float]:
    """Weights, shape (BUCKETS,), and the bias."""
    with np.load(path) as model:
        return model["weights"], float(model["bias"])


def positive_probability(text: str, weights: NDArray[np.float32], bias: float) -> float:
    on = buckets(text)
    length = math.sqrt(max(len(on), 1))  # so that a long sentence counts no more than a short one
    return 1 / (1 + math.exp(-(float(weights[on].sum()) / length + bias)))


def run(inputs: dict[str, Any], context: Context) -> dict[str, Any]:
    positive = positive_probability(inputs["text"], *load_model(context.path("model.npz")))
    confidence = round(max(positive, 1 - positive), 4)
    context.metric("confidence", confidence)
    return {"label": "positive" if positive > 0.5 else "negative", "confidence": confidence}
