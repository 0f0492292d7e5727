"""What each operator computes, plainly and one record at a time, after docs/pipeline-format.md."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from walle.whitebox.archive.contents import view
from walle.whitebox.graph import Graph, Transformation
from walle.whitebox.ngram_table import look_up


class UnknownCategory(Exception):
    """A category that a transformation refuses."""


def predict(graph: Graph, data: Mapping[str, bytes], record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the outputs of a record: the label's class, and all others as arrays. `data` are arrays by digest."""
    values = evaluate(graph, data, record)
    found = {name: values[each] for name, each in graph.outputs.items()}
    return {name: graph.classes[each] if name == "label" else each for name, each in found.items()}


def evaluate(graph: Graph, data: Mapping[str, bytes], record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what each column and transformation makes of a record, by id."""
    values: dict[str, Any] = {}
    for column in graph.columns:
        value = record[column.name]
        if column.type == "number":
            value = np.array([math.nan if value is None else value], np.float64)
        values[f"column:{column.name}"] = value
    for step in graph.transformations:
        arrays = {name: view(data[each.digest], each) for name, each in step.parameters.items()}
        values[step.id] = _apply(step, [values[each] for each in step.inputs], arrays)
    return values


def _apply(step: Transformation, inputs: list[Any], arrays: dict[str, np.ndarray]) -> Any:
    return _OPERATIONS[step.operator](*inputs, **{**step.settings, **arrays})


def _strip_accents(text: str, form: str) -> str:
    if text.isascii():
        return text
    marked = unicodedata.normalize("NFKD", text)
    if form == "ascii":
        return marked.encode("ascii", "ignore").decode()
    return "".join(each for each in marked if not unicodedata.combining(each))


def _tokenize(text: str, characters: str, shortest: int, stop_words: np.ndarray | None = None) -> list[str]:
    tokens = re.findall({"word": r"\w+", "nonspace": r"\S+"}[characters], text)
    return [each for each in tokens if len(each) >= shortest and (stop_words is None or look_up(stop_words, each) < 0)]


def _of_characters(text: str, low: int, high: int, boundary: bool) -> list[str]:
    if not boundary:
        return [text[at : at + n] for n in range(low, high + 1) for at in range(len(text) - n + 1)]
    found = []
    for word in (f" {each} " for each in text.split()):
        for n in range(low, high + 1):
            found += [word[at : at + n] for at in range(max(1, len(word) - n + 1))]
            if n >= len(word):
                break
    return found


def _of_words(tokens: list[str], low: int, high: int) -> list[str]:
    return [" ".join(tokens[at : at + n]) for n in range(low, high + 1) for at in range(len(tokens) - n + 1)]


def _counts(ngrams: list[str], table: np.ndarray, size: int) -> np.ndarray:
    counts = np.zeros(size)
    for ngram, count in Counter(ngrams).items():
        column = look_up(table, ngram)
        if column >= 0:
            counts[column] += count
    return counts


def murmur3(text: str) -> int:
    """Return MurmurHash3 (x86, 32 bits, seed 0) of a text's UTF-8 bytes as a signed integer."""
    content, state, mask = text.encode(), 0, 0xFFFFFFFF

    def rotated(word: int, by: int) -> int:
        return (word << by | word >> 32 - by) & mask

    def scrambled(block: bytes) -> int:
        return rotated(int.from_bytes(block, "little") * 0xCC9E2D51 & mask, 15) * 0x1B873593 & mask

    whole = len(content) // 4 * 4
    for at in range(0, whole, 4):
        state = (rotated(state ^ scrambled(content[at : at + 4]), 13) * 5 + 0xE6546B64) & mask
    state ^= scrambled(content[whole:]) ^ len(content)
    state = (state ^ state >> 16) * 0x85EBCA6B & mask
    state = (state ^ state >> 13) * 0xC2B2AE35 & mask
    state ^= state >> 16
    return state - (state >> 31 << 32)


def _hashed(ngrams: list[str], size: int, signed: bool) -> np.ndarray:
    counts = np.zeros(size)
    for ngram in ngrams:
        key = murmur3(ngram)
        counts[(2**31 - size) % size if key == -(2**31) else abs(key) % size] += -1 if signed and key < 0 else 1
    return counts


def _index(value: Any, table: np.ndarray | None, values: np.ndarray | None, missing: int | None) -> int | None:
    if value is None or (values is not None and math.isnan(value[0])):
        return missing
    if values is not None:
        found = np.flatnonzero(values == value[0])
        return int(found[0]) if len(found) else None
    column = look_up(table, value)
    return column if column >= 0 else None


def _one_hot(
    value: Any,
    size: int,
    missing: int | None,
    unknown_column: int | None,
    refuse_unknown: bool,
    table: np.ndarray | None = None,
    values: np.ndarray | None = None,
    columns: np.ndarray | None = None,
) -> np.ndarray:
    index = _index(value, table, values, missing)
    if index is None and refuse_unknown:
        raise UnknownCategory(value)
    place = unknown_column if index is None else index if columns is None else columns[index]
    made = np.zeros(size)
    if place is not None and place >= 0:
        made[place] = 1
    return made


def _ordinal(
    value: Any,
    missing: int | None,
    unknown_value: float | None,
    refuse_unknown: bool,
    table: np.ndarray | None = None,
    values: np.ndarray | None = None,
    codes: np.ndarray | None = None,
) -> np.ndarray:
    index = _index(value, table, values, missing)
    if index is None:
        if refuse_unknown:
            raise UnknownCategory(value)
        return np.array([math.nan if unknown_value is None else unknown_value])
    return np.array([index if codes is None else codes[index]], np.float64)


def _impute(
    x: np.ndarray, values: np.ndarray, missing: float | None, indicated: np.ndarray | None = None
) -> np.ndarray:
    gone = np.isnan(x) if missing is None else x == missing
    there = np.where(gone, values, x)
    return there if indicated is None else np.concatenate([there, gone[indicated].astype(np.float64)])


def _affine(x: np.ndarray, clip: list[float] | None, **arrays: np.ndarray) -> np.ndarray:
    x = (x - arrays.get("center", 0)) / arrays.get("divisor", 1) * arrays.get("factor", 1) + arrays.get("offset", 0)
    return x if clip is None else np.clip(x, *clip)


def _tfidf(x: np.ndarray, sublinear: bool, idf: np.ndarray | None = None) -> np.ndarray:
    if sublinear:
        x = np.where(x == 0, 0, np.log(np.where(x == 0, 1, x)) + 1)
    return x if idf is None else x * idf


def _norm(x: np.ndarray, norm: str) -> np.ndarray:
    made = {"l1": np.abs(x).sum(), "l2": math.sqrt((x * x).sum()), "max": np.abs(x).max()}[norm]
    return np.array([made])


def _divide(x: np.ndarray, norm: np.ndarray) -> np.ndarray:
    return x if norm[0] == 0 else x / norm[0]


def _pca(
    x: np.ndarray, components: np.ndarray, mean: np.ndarray | float = 0, divisor: np.ndarray | float = 1
) -> np.ndarray:
    return components @ (x - mean) / divisor


def _leaves(x: np.ndarray, nodes: np.ndarray, roots: np.ndarray, single: bool) -> list[int]:
    if single:
        x = x.astype(np.float32).astype(np.float64)
    thresholds, words, found = nodes.view("<f8").reshape(-1, 2)[:, 0], nodes.view("<u4"), []
    for root in roots:
        node = int(root)
        while nodes[node, 3] != node:
            value, right = x[words[node, 2] & 0x7FFFFFFF], words[node, 2] >> 31
            node = int(nodes[node, 3]) + int(right if math.isnan(value) else value > thresholds[node])
        found.append(node)
    return found


def _tree_features(
    x: np.ndarray,
    size: int,
    single: bool,
    nodes: np.ndarray,
    roots: np.ndarray,
    depths: np.ndarray,
    columns: np.ndarray,
) -> np.ndarray:
    made = np.zeros(size)
    made[columns[_leaves(x, nodes, roots, single)]] = 1
    return made


def _trees(
    x: np.ndarray,
    size: int,
    average: bool,
    single: bool,
    nodes: np.ndarray,
    roots: np.ndarray,
    depths: np.ndarray,
    values: np.ndarray,
    targets: np.ndarray | None = None,
    base: np.ndarray | float = 0,
) -> np.ndarray:
    total = np.zeros(size)
    for tree, leaf in enumerate(_leaves(x, nodes, roots, single)):
        total[slice(None) if targets is None else targets[tree]] += values[leaf] if targets is None else values[leaf, 0]
    return (total / len(roots) if average else total) + base


def _sum(*inputs: np.ndarray, weights: list[float] | None, intercept: np.ndarray | float = 0) -> np.ndarray:
    return sum(x * weight for x, weight in zip(inputs, weights or [1.0] * len(inputs), strict=True)) + intercept


def _vote(*labels: int, weights: list[float] | None) -> int:
    counts: Counter[int] = Counter()
    for label, weight in zip(labels, weights or [1.0] * len(labels), strict=True):
        counts[label] += weight
    return max(sorted(counts), key=counts.__getitem__)


def _softmax(x: np.ndarray) -> np.ndarray:
    shifted = np.exp(x - x.max())
    return shifted / shifted.sum()


def _normalize(x: np.ndarray, norm: str) -> np.ndarray:
    return _divide(x, _norm(x, norm))


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "lowercase": str.lower,
    "strip_accents": _strip_accents,
    "collapse_spaces": lambda text: re.sub(r"\s\s+", " ", text),
    "tokenize": _tokenize,
    "char_ngrams": lambda text, low, high, boundary, size, table: _counts(
        _of_characters(text, low, high, boundary), table, size
    ),
    "word_ngrams": lambda tokens, low, high, size, table: _counts(_of_words(tokens, low, high), table, size),
    "hash_char_ngrams": lambda text, low, high, boundary, size, signed: _hashed(
        _of_characters(text, low, high, boundary), size, signed
    ),
    "hash_word_ngrams": lambda tokens, low, high, size, signed: _hashed(_of_words(tokens, low, high), size, signed),
    "fill": lambda category, value: value if category is None else category,
    "one_hot": _one_hot,
    "ordinal": _ordinal,
    "concat": lambda *inputs: np.concatenate(inputs),
    "select": lambda x, indices: x[indices],
    "impute": _impute,
    "affine": _affine,
    "binarize": lambda x, threshold: (x > threshold).astype(np.float64),
    "map": lambda x, function: getattr(np, function)(x),
    "tfidf": _tfidf,
    "normalize": _normalize,
    "norm": _norm,
    "join_norms": lambda *norms, norm: _norm(np.concatenate(norms), norm),
    "divide": _divide,
    "pca": _pca,
    "kmeans": lambda x, centers: np.sqrt(((x - centers) ** 2).sum(axis=1)),
    "linear": lambda x, weights, intercept=0: weights @ x + intercept,
    "trees": _trees,
    "tree_features": _tree_features,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "softmax": _softmax,
    "complement": lambda x: np.array([1 - x[0], x[0]]),
    "argmax": lambda x: int(np.argmax(x)),
    "argmin": lambda x: int(np.argmin(x)),
    "threshold": lambda x, threshold: int(x[0] > threshold),
    "sum": _sum,
    "vote": _vote,
}
