"""What the shop recommends after a view of an item's page: good items of the category that the next view may be of."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).parent
LEAST = 0.2
"""The share of the likeliest category below which nothing is recommended; one who knows nothing gives each 0.08."""
MOST = 5

Numbers = NDArray[np.float32]


@cache
def load_shop() -> tuple[Numbers, list[dict[str, Any]]]:
    """The head of the encoder that tells the next category, shape (33, 12), whose last row are the biases; and of each
    category its name and items, the best ones first.
    """
    return np.load(HERE / "category.npy"), json.loads((HERE / "items.json").read_text())


def answer(features: list[dict[str, Any]]) -> list[dict[str, Any] | None]:
    weights, categories = load_shop()
    encodings = np.array([feature["encoding"] for feature in features], np.float32)
    logits = encodings @ weights[:-1] + weights[-1]
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares = odds / odds.sum(axis=1, keepdims=True)
    return [recommended(row, feature["page"], categories) for row, feature in zip(shares, features, strict=True)]


def recommended(shares: Numbers, page: str, categories: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The answer to one view, by the shares of the categories, shape (12,); None where no category stands out."""
    likeliest = int(shares.argmax())
    if shares[likeliest] < LEAST:
        return None
    category = categories[likeliest]
    items = [item for item in category["items"] if f"item/{item}" != page][:MOST]
    return {"category": category["name"], "share": round(float(shares[likeliest]), 3), "items": items}
