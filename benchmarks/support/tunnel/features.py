"""What devices upload here: the features of page views in a shop, and texts of a stated size."""

from __future__ import annotations

import base64
import json

import numpy as np

from benchmarks.support.ipv.traffic import Traffic
from walle.protocol.tunnel_messages import write_values


def page_views(count: int, seed: int) -> list[dict[str, object]]:
    """Return the features of as many page views of made-up users, as the example shop/ipv computes them."""
    found: list[dict[str, object]] = []
    while len(found) < count:
        seed += 1
        traffic = Traffic(seed=seed, users=100, seconds=900, stretch=1.0, watermark_s=5.0)
        found += traffic.truth(0.0).values()
    return found[:count]


def text_of(size: int, rng: np.random.Generator) -> dict[str, object]:
    """Return values whose JSON has `size` bytes: a text of random letters, which compression shortens by a quarter."""
    without = len(write_values({"text": ""}))
    letters = base64.b64encode(rng.bytes(size)).decode()[: size - without]
    return {"text": letters}


def sizes(values: list[dict[str, object]]) -> list[int]:
    """Return the bytes of each as JSON."""
    return [len(json.dumps(value, separators=(",", ":"))) for value in values]
