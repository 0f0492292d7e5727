"""Generated reviews: words by Zipf's law, letters of several alphabets, and a sentiment that words carry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

NEGATIVE, POSITIVE = "negative", "positive"
CHARACTERS: Final = 383
"""The mean length of a review."""
_ONSETS: Final = ("", *"bcdfghklmnprstvwz", "ch", "sh", "th", "br", "st", "tr", "pl", "gr")
_VOWELS: Final = (*"aeiou", "ai", "ea", "ou", "io", "é", "ü", "ø")
_VOWEL_ODDS: Final = (*[1.0] * 5, *[0.4] * 4, *[0.03] * 3)
_CODAS: Final = ("", "n", "r", "s", "t", "l", "m", "nd", "st", "lm")
_FOREIGN: Final = ("αβγδελμνοπρστω", "абвгдежиклмнопрсту", "你好世界天地人山水火", "שלוםעברית")
_MARKS: Final = ("\u0301", "\u0308", "\u0303")
_ENDS: Final = (". ", ". ", ". ", "! ", "? ", "... ", " — ", " 👍 ")
_FOREIGN_SHARE, _MARKED_SHARE = 0.02, 0.01
_ZIPF, _ZIPF_SHIFT = 1.05, 2.7
_LEXICON: Final = 800
"""How many words carry sentiment; they lie at all ranks."""


@dataclass(frozen=True)
class Reviews:
    """Texts, and the sentiment that each was written with."""

    texts: list[str]
    labels: NDArray[np.str_]


class Reviewer:
    """Writes reviews with one vocabulary, which its seed decides, as does the polarity of its words."""

    def __init__(self, vocabulary: int, seed: int = 17) -> None:
        rng = np.random.default_rng(seed)
        self.words = np.array(_vocabulary(vocabulary, rng), dtype=object)
        weights = (np.arange(vocabulary) + _ZIPF_SHIFT) ** -_ZIPF
        self._cumulative = np.cumsum(weights / weights.sum())
        lexicon = rng.permutation(vocabulary)[: min(_LEXICON, vocabulary // 4)]
        half = len(lexicon) // 2
        self._polar = {NEGATIVE: np.sort(lexicon[:half]), POSITIVE: np.sort(lexicon[half:])}

    def write(self, count: int, seed: int) -> Reviews:
        """Return so many reviews; how plainly a review says what it means differs from one to the next."""
        rng = np.random.default_rng(seed)
        labels = rng.choice([NEGATIVE, POSITIVE], count)
        lengths = np.clip(rng.lognormal(np.log(CHARACTERS / 9.5), 0.5, count), 3, 400).astype(int)
        plainness = rng.beta(1.5, 1.2, count)
        return Reviews(
            [self._review(*drawn, rng) for drawn in zip(labels, lengths, plainness, strict=True)], np.array(labels)
        )

    def _review(self, label: str, length: int, plainness: float, rng: np.random.Generator) -> str:
        ranks = np.searchsorted(self._cumulative, rng.random(length))
        meant = rng.random(length) < 0.15
        polarity = np.where(rng.random(length) < 0.5 + 0.5 * plainness, label, _opposite(label))
        for each, polar in self._polar.items():
            chosen = meant & (polarity == each)
            ranks[chosen] = polar[(rng.random(int(chosen.sum())) ** 3 * len(polar)).astype(int)]
        return _punctuated(self.words[ranks].tolist(), rng)


def _opposite(label: str) -> str:
    return NEGATIVE if label == POSITIVE else POSITIVE


def _vocabulary(count: int, rng: np.random.Generator) -> list[str]:
    """Different words, the frequent ones short."""
    found: dict[str, None] = {}
    vowels = np.array(_VOWEL_ODDS) / sum(_VOWEL_ODDS)
    while len(found) < count:
        lengths = 1 + rng.poisson(0.4 + 1.6 * np.minimum(1, (len(found) + np.arange(count)) / 3000))
        syllables = zip(
            rng.choice(_ONSETS, lengths.sum()),
            rng.choice(_VOWELS, lengths.sum(), p=vowels),
            rng.choice(_CODAS, lengths.sum()),
            strict=True,
        )
        joined = ("".join(syllable) for syllable in syllables)
        foreign = rng.random((count, 2))
        for length, (kind, which) in zip(lengths, foreign, strict=True):
            found.setdefault(_foreign("".join(islice(joined, int(length))), kind, which), None)
    return list(found)[:count]


def _foreign(word: str, kind: float, which: float) -> str:
    """Return the word in another alphabet, with a combining mark, or as it is; both numbers are in [0, 1)."""
    if kind < _FOREIGN_SHARE:
        letters = _FOREIGN[int(which * len(_FOREIGN))]
        return "".join(letters[(ord(letter) * (place + 7)) % len(letters)] for place, letter in enumerate(word))
    if kind < _FOREIGN_SHARE + _MARKED_SHARE:
        place = 1 + int(which * len(word))
        return word[:place] + _MARKS[len(word) % len(_MARKS)] + word[place:]
    return word


def _punctuated(words: Sequence[str], rng: np.random.Generator) -> str:
    """Sentences of some words each, which begin with a capital."""
    text, place = [], 0
    while place < len(words):
        until = place + int(rng.integers(4, 16))
        sentence = " ".join(words[place:until])
        text.append(sentence[:1].upper() + sentence[1:] + _ENDS[rng.integers(len(_ENDS))])
        place = until
    return "".join(text).rstrip()
