"""Generated images, spoken questions, and the right answers. Everything follows from a seed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

COLOURS = {"red": (1.0, 0.1, 0.1), "green": (0.1, 1.0, 0.1), "blue": (0.1, 0.1, 1.0), "yellow": (0.9, 0.9, 0.1)}
SHAPES = ("disc", "square", "cross")
NUMBERS = ("1", "2", "3")
ANSWERS = {"colour": tuple(COLOURS), "shape": SHAPES, "many": NUMBERS}
"""The answers to each question, which is known by its last word."""
WORDS = ("please", "tell", "me", "what", "how", "is", "the", "it", "now", *ANSWERS)
SIDE = 128
RATE = 8000
SLOT = 1600
"""Samples of one word: a fifth of a second."""

Image = NDArray[np.uint8]
Sound = NDArray[np.int16]


def image(rng: np.random.Generator) -> tuple[Image, dict[str, str]]:
    """Return a noisy image (SIDE, SIDE, 3) of one to three alike objects, and its answers by question."""
    colour, shape, count = rng.choice(list(COLOURS)), rng.choice(SHAPES), int(rng.integers(1, 4))
    pixels = np.full((SIDE, SIDE, 3), 0.35) + rng.normal(0, 0.05, 3)
    for place in rng.permutation(4)[:count]:
        top, left = (place // 2) * 64 + rng.integers(3, 25), (place % 2) * 64 + rng.integers(3, 25)
        pixels[top : top + 36, left : left + 36][_mask(str(shape))] = COLOURS[str(colour)]
    pixels += rng.normal(0, 0.5, pixels.shape)
    truth = {"colour": str(colour), "shape": str(shape), "many": str(count)}
    return (np.clip(pixels, 0, 1) * 255).astype(np.uint8), truth


def _mask(shape: str) -> NDArray[np.bool_]:
    down, across = np.mgrid[-17.5:18, -17.5:18]
    if shape == "disc":
        return down**2 + across**2 <= 240
    return (abs(down) < 6) | (abs(across) < 6) if shape == "cross" else np.maximum(abs(down), abs(across)) < 14


def tones(word: int) -> tuple[float, float]:
    """Return the two frequencies (Hz) of a word."""
    return 300.0 + 45 * (word % 4), 700.0 + 60 * (word // 4)


def speech(rng: np.random.Generator) -> tuple[Sound, tuple[str, ...]]:
    """Return a spoken question of four words, RATE samples a second, and the words; the last one says what is asked."""
    words = [*rng.choice(len(WORDS) - 3, 3), len(WORDS) - 3 + int(rng.integers(3))]
    time = np.arange(SLOT) / RATE
    parts = []
    for word in words:
        pitch = 1 + rng.normal(0, 0.006)
        low, high = (np.sin(2 * np.pi * pitch * hz * time + rng.uniform(0, 6.3)) for hz in tones(word))
        parts.append((low + high) * np.hanning(SLOT) + rng.normal(0, 3.5, SLOT))
    return (np.clip(np.concatenate(parts) / 16, -1, 1) * 32767).astype(np.int16), tuple(WORDS[each] for each in words)


def requests(seed: int) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield items without end: an image and a question, and the truths of each operator."""
    rng = np.random.default_rng(seed)
    while True:
        pixels, answers = image(rng)
        sound, words = speech(rng)
        yield {"image": pixels, "sound": sound}, {"features": answers, "speech": words, "answer": answers[words[-1]]}


def items() -> Iterator[dict[str, Any]]:
    """Yield items to run on, without end."""
    return (item for item, _ in requests(7))


def validation() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return the 240 items that accuracy is measured on."""
    found = requests(8)
    return [next(found) for _ in range(240)]
