"""Vectorizers of texts, taken apart into what they do one after the other, so that what they share is computed once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from walle.whitebox.importing.building import Matrix, Value, floats
from walle.whitebox.importing.supporting import Supported, words
from walle.whitebox.importing.use import Use
from walle.whitebox.ngram_table import TableImpossible, build_table

_WORD_PATTERN: Final = re.compile(r"(?:\(\?u\))?\\b(?P<single>(?:\\w)*)\\w\+\\b")
_COUNTED_PATTERN: Final = re.compile(r"(?:\(\?u\))?\\b\\w\{(?P<least>[1-9][0-9]{0,2}),\}\\b")
_NONSPACE_PATTERNS: Final = (r"(?u)\S+", r"\S+")


def count_vectorizer(use: Use) -> Value:
    return _counts(use)


def tfidf_vectorizer(use: Use) -> Value:
    return _weighted(use, _counts(use), use.estimator._tfidf)


def tfidf_transformer(use: Use) -> Value:
    return _weighted(use, use.matrix(), use.estimator)


def hashing_vectorizer(use: Use) -> Value:
    """Signs do not matter where only presence counts, and would take each other off."""
    vectorizer = use.estimator
    signed = vectorizer.alternate_sign and not vectorizer.binary
    counts = _ngrams(use, "hash_", vectorizer.n_features, {"signed": bool(signed)}, {})
    return _normalized(use, _presence(use, counts), vectorizer.norm)


def _counts(use: Use) -> Matrix:
    vocabulary = _vocabulary(use)
    use.builder.suggest(use.text(), vocabulary)
    table = _table(use, vocabulary)
    return _presence(use, _ngrams(use, "", len(vocabulary), {}, {"table": table}))


def _vocabulary(use: Use) -> Mapping[str, int]:
    if not hasattr(use.estimator, "vocabulary_"):
        if use.estimator.vocabulary is None:
            raise use.refuse("has no vocabulary, for it is not trained")
        use.estimator._validate_vocabulary()
    return {str(term): int(column) for term, column in use.estimator.vocabulary_.items()}


def _table(use: Use, terms: Mapping[str, int]) -> Any:
    try:
        return build_table(list(terms), list(terms.values()))
    except (TableImpossible, UnicodeEncodeError) as error:
        raise use.refuse(f"has terms of which no dictionary can be made: {error}") from error


def _ngrams(use: Use, prefix: str, size: int, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> Matrix:
    """Count n-grams of words or characters, by a table or by hash."""
    vectorizer, add = use.estimator, use.builder.add
    low, high = (int(each) for each in vectorizer.ngram_range)
    lengths = {"low": low, "high": high}
    text = _plain(use, use.text())
    match vectorizer.analyzer:
        case "word":
            tokens = add("tokenize", [text], _token_settings(use), stop_words=_stop_words(use))
            made = add(f"{prefix}word_ngrams", [tokens], {**lengths, "size": size, **settings}, **arrays)
        case "char":
            text = add("collapse_spaces", [text])
            made = _char_ngrams(use, prefix, text, {**lengths, "boundary": False, "size": size, **settings}, arrays)
        case "char_wb":
            made = _char_ngrams(use, prefix, text, {**lengths, "boundary": True, "size": size, **settings}, arrays)
        case other:
            raise use.refuse(f"has an analyzer of its own ({_name(other)}), which is code")
    return Matrix(made, size)


def _char_ngrams(use: Use, prefix: str, text: str, settings: Mapping[str, Any], arrays: Mapping[str, Any]) -> str:
    return use.builder.add(f"{prefix}char_ngrams", [text], settings, **arrays)


def _plain(use: Use, text: str) -> str:
    """Lower-case letters first, accents then, as scikit-learn does."""
    if use.estimator.lowercase:
        text = use.builder.add("lowercase", [text])
    form = use.estimator.strip_accents
    if form is None or form is False:
        return text
    if form not in ("unicode", "ascii"):
        raise use.refuse(f"has a strip_accents of its own ({_name(form)}), which is code")
    return use.builder.add("strip_accents", [text], {"form": form})


def _token_settings(use: Use) -> dict[str, Any]:
    pattern = use.estimator.token_pattern
    if pattern in _NONSPACE_PATTERNS:
        return {"characters": "nonspace", "shortest": 1}
    if found := _WORD_PATTERN.fullmatch(pattern or ""):
        return {"characters": "word", "shortest": len(found["single"]) // 2 + 1}
    if found := _COUNTED_PATTERN.fullmatch(pattern or ""):
        return {"characters": "word", "shortest": int(found["least"])}
    known = r"(?u)\b\w\w+\b, with any number of \w, or \S+"
    raise use.refuse(f"has the token_pattern {pattern!r}; only {known} can be imported")


def _stop_words(use: Use) -> Any:
    left_out = use.estimator.get_stop_words()
    return _table(use, {word: index for index, word in enumerate(sorted(left_out))}) if left_out else None


def _presence(use: Use, counts: Matrix) -> Matrix:
    return use.step("binarize", counts, {"threshold": 0.0}) if use.estimator.binary else counts


def _weighted(use: Use, counts: Matrix, weights: Any) -> Matrix:
    """Weight counts by the terms, as a trained TfidfTransformer does."""
    idf = floats(weights.idf_) if hasattr(weights, "idf_") else None
    if weights.sublinear_tf or idf is not None:
        counts = use.step("tfidf", counts, {"sublinear": bool(weights.sublinear_tf)}, idf=idf)
    return _normalized(use, counts, weights.norm)


def _normalized(use: Use, vector: Matrix, norm: str | None) -> Matrix:
    return vector if norm is None else use.step("normalize", vector, {"norm": norm})


def _name(value: object) -> str:
    return str(getattr(value, "__name__", None) or repr(value))[:60]


_READING = words("encoding decode_error")
_ANALYSIS = words("analyzer ngram_range lowercase strip_accents token_pattern stop_words binary")
_CODE: Final = {"input": ("content",), "preprocessor": (None,), "tokenizer": (None,)}
_VOCABULARY = words("max_df min_df max_features vocabulary")
_EXACT: Final = {"dtype": (np.float64, np.dtype(np.float64))}
_COUNTS: Final = {"dtype": (np.int64, np.float64, np.dtype(np.int64), np.dtype(np.float64))}

TEXT: Final = (
    Supported("CountVectorizer", count_vectorizer, _READING | _VOCABULARY, _ANALYSIS, {**_CODE, **_COUNTS}),
    Supported(
        "TfidfVectorizer",
        tfidf_vectorizer,
        _READING | _VOCABULARY | words("smooth_idf"),
        _ANALYSIS | words("norm use_idf sublinear_tf"),
        {**_CODE, **_EXACT},
    ),
    Supported("TfidfTransformer", tfidf_transformer, words("smooth_idf"), words("norm use_idf sublinear_tf")),
    Supported(
        "HashingVectorizer",
        hashing_vectorizer,
        _READING,
        _ANALYSIS | words("n_features alternate_sign norm"),
        {**_CODE, **_EXACT},
    ),
)
