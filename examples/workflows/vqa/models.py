"""The models, on numpy alone: random convolutions with trained heads, and banks of filters for speech."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scenes import ANSWERS, RATE, SLOT, WORDS, tones

Vector = NDArray[np.float32]
CONVOLUTIONS = {"tiny": (8, 8, 3), "small": (4, 24, 5), "large": (2, 64, 9)}
"""By model of images: every how many pixels it looks at, filters, and their side."""
SPEECH = {"fast": (400, 1), "exact": (SLOT, 41)}
"""By model of speech: samples of a word that it looks at, and the pitches that it tries."""


@cache
def filters(model: str) -> Vector:
    """Return the filters (side * side * 3, count) of a model: seeded, without a mean, of unit length."""
    _, count, side = CONVOLUTIONS[model]
    found = np.random.default_rng(5).normal(size=(side * side * 3, count))
    coarse = found.reshape(side, side, 3, count).mean((0, 1), keepdims=True)
    found = (0.4 * found.reshape(side, side, 3, count) + coarse * side).reshape(side * side * 3, count)
    return (found / np.linalg.norm(found, axis=0)).astype(np.float32)


def image_vector(pixels: NDArray[np.uint8], model: str) -> Vector:
    """Return the features of an image: mean, deviation and greatest of the answers of each filter, in each quarter."""
    step, _, side = CONVOLUTIONS[model]
    small = pixels.astype(np.float32).reshape(128 // step, step, 128 // step, step, 3).mean((1, 3)) / 255 - 0.35
    windows = sliding_window_view(small, (side, side), axis=(0, 1)).transpose(0, 1, 3, 4, 2)
    rows, columns = windows.shape[:2]
    answers = np.maximum(windows.reshape(rows * columns, -1) @ filters(model), 0).reshape(rows, columns, -1)
    quarters = [part for half in np.array_split(answers, 2) for part in np.array_split(half, 2, axis=1)]
    flat = [part.reshape(-1, part.shape[2]) for part in quarters]
    found = [*(part.mean(0) for part in flat), *(part.std(0) for part in flat), *(part.max(0) for part in flat)]
    return np.sort(np.stack(found).reshape(3, 4, -1), axis=1).ravel()


def features(model: str) -> Callable[[Sequence[NDArray[np.uint8]]], list[Vector]]:
    """Load a model of images."""
    filters(model)
    return lambda images: [image_vector(each, model) for each in images]


def speech(model: str) -> Callable[[Sequence[NDArray[np.int16]]], list[tuple[str, ...]]]:
    """Load a model of speech: each word is the one whose tones, at any of some pitches, are in the sound."""
    length, pitches = SPEECH[model]
    begin = (SLOT - length) // 2
    time = np.arange(length)[:, None] / RATE
    spread = np.linspace(-0.015, 0.015, pitches) if pitches > 1 else np.zeros(1)
    hz = np.array([[[tone * (1 + shift) for shift in spread] for tone in tones(word)] for word in range(len(WORDS))])
    wave = np.exp(-2j * np.pi * time * hz.ravel()).astype(np.complex64)
    wave *= np.hanning(length)[:, None].astype(np.float32)

    def words(sounds: Sequence[NDArray[np.int16]]) -> list[tuple[str, ...]]:
        found = []
        for sound in sounds:
            slots = sound.reshape(-1, SLOT)[:, begin : begin + length].astype(np.float32)
            energy = abs(slots @ wave).reshape(len(slots), len(WORDS), 2, pitches)
            best = energy.sum(2).max(2).argmax(1)
            found.append(tuple(WORDS[each] for each in best))
        return found

    return words


@cache
def heads() -> dict[str, Vector]:
    """Return the trained weights, by model of images and question: (features + 1, answers)."""
    with np.load(Path(__file__).with_name("heads.npz")) as stored:
        return {name: stored[name].astype(np.float32) for name in stored.files}


def said(vector: Vector, question: str) -> str:
    """Return the most likely answer to a question; the length of the vector tells which model made it."""
    model = next(name for name, (_, count, _) in CONVOLUTIONS.items() if 12 * count == len(vector))
    scores = np.append(vector, 1) @ heads()[f"{model}-{question}"]
    return ANSWERS[question][int(scores.argmax())]


def answer(model: str) -> Callable[[Sequence[Any]], list[str]]:
    """Load what answers. `keyword` listens to the last word only, `sentence` to any that asks for something."""
    heads()

    def answered(pairs: Sequence[tuple[Vector, tuple[str, ...]]]) -> list[str]:
        found = []
        for vector, words in pairs:
            listened = words[-1:] if model == "keyword" else words[::-1]
            question = next((each for each in listened if each in ANSWERS), None if model == "keyword" else "colour")
            found.append(said(vector, question) if question else "")
        return found

    return answered
