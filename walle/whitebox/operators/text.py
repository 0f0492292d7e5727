"""Operators over text: what scikit-learn's vectorizers do before and while they count n-grams."""

from __future__ import annotations

from typing import Final

from walle.schema import Number, OneOfTexts, Value
from walle.whitebox.operators.operator import Bound, Call, Flow, Operator, ParameterSpec
from walle.whitebox.types import MAX_SIZE, TEXT, TOKENS, TextType, TokensType, ValueType, VectorType

MAX_NGRAM: Final = 64
BOOLEAN: Final = Value("true or false", lambda value: isinstance(value, bool))
SIZE: Final = Number(1, MAX_SIZE, integer=True)
TABLE: Final = ParameterSpec("<u8", 1, "a dictionary (walle.whitebox.ngram_table)")

_LENGTHS: Final = {"low": Number(1, MAX_NGRAM, integer=True), "high": Number(1, MAX_NGRAM, integer=True)}


def _text_to_text(call: Call) -> ValueType | None:
    return TEXT if call.takes(TextType) else None


def _text_to_tokens(call: Call) -> ValueType | None:
    return TOKENS if call.takes(TextType) else None


def _counts_of(kind: type[ValueType], call: Call) -> ValueType | None:
    if not call.takes(kind):
        return None
    low, high = call.settings["low"], call.settings["high"]
    if low > high:
        call.refuse("settings.high", f"at least low, {low}", str(high))
        return None
    return VectorType(call.settings["size"], sparse=True)


def _counts_of_characters(call: Call) -> ValueType | None:
    return _counts_of(TextType, call)


def _counts_of_words(call: Call) -> ValueType | None:
    return _counts_of(TokensType, call)


TEXT_OPERATORS: Final = (
    Operator("lowercase", "all characters as lower-case letters", Flow.ONE_TO_ONE, Bound.MEMORY, _text_to_text),
    Operator(
        "strip_accents",
        "accents and other marks removed",
        Flow.ONE_TO_ONE,
        Bound.MEMORY,
        _text_to_text,
        settings={"form": OneOfTexts(("unicode", "ascii"))},
    ),
    Operator(
        "collapse_spaces",
        "each run of two or more white spaces as one space",
        Flow.ONE_TO_ONE,
        Bound.MEMORY,
        _text_to_text,
    ),
    Operator(
        "tokenize",
        "the longest runs of characters of a class",
        Flow.ONE_TO_MANY,
        Bound.MEMORY,
        _text_to_tokens,
        settings={"characters": OneOfTexts(("word", "nonspace")), "shortest": Number(1, 1000, integer=True)},
        parameters={"stop_words": ParameterSpec(TABLE.dtype, TABLE.rank, "a dictionary of left out tokens", False)},
    ),
    Operator(
        "char_ngrams",
        "how often each n-gram of characters of a dictionary occurs",
        Flow.ONE_TO_MANY,
        Bound.MEMORY,
        _counts_of_characters,
        settings={**_LENGTHS, "boundary": BOOLEAN, "size": SIZE},
        parameters={"table": TABLE},
    ),
    Operator(
        "word_ngrams",
        "how often each n-gram of tokens of a dictionary occurs",
        Flow.ONE_TO_MANY,
        Bound.MEMORY,
        _counts_of_words,
        settings={**_LENGTHS, "size": SIZE},
        parameters={"table": TABLE},
    ),
    Operator(
        "hash_char_ngrams",
        "how often n-grams of characters occur, at places given by their hash",
        Flow.ONE_TO_MANY,
        Bound.MEMORY,
        _counts_of_characters,
        settings={**_LENGTHS, "boundary": BOOLEAN, "size": SIZE, "signed": BOOLEAN},
    ),
    Operator(
        "hash_word_ngrams",
        "how often n-grams of tokens occur, at places given by their hash",
        Flow.ONE_TO_MANY,
        Bound.MEMORY,
        _counts_of_words,
        settings={**_LENGTHS, "size": SIZE, "signed": BOOLEAN},
    ),
)
