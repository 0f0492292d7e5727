"""Encoders of categories: each column by itself, with the table or the sorted list of its categories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from walle.whitebox.graph import COLUMN
from walle.whitebox.importing.building import Array, Matrix, Table, Value, floats, integers, is_missing
from walle.whitebox.importing.supporting import Supported, words
from walle.whitebox.importing.use import Use
from walle.whitebox.ngram_table import TableImpossible, build_table


@dataclass(frozen=True, slots=True)
class Lookup:
    """One column of categories: the id of what is looked up, and the array that it is looked up in.

    `missing` is the place of the missing category, which is the last one, None if it has none.
    """

    given: str
    arrays: dict[str, Array]
    missing: int | None


def one_hot_encoder(use: Use) -> Value:
    encoder = use.estimator
    parts = []
    for index, lookup in enumerate(_lookups(use)):
        columns = _columns(encoder, index)
        size = encoder._n_features_outs[index]
        if not size:
            continue
        settings = {
            "size": int(size),
            "missing": lookup.missing,
            "unknown_column": _unknown_column(encoder, index, columns),
            "refuse_unknown": encoder.handle_unknown == "error",
        }
        plain = columns == list(range(size))
        arrays = {**lookup.arrays, "columns": None if plain else integers(columns)}
        parts.append(Matrix(use.builder.add("one_hot", [lookup.given], settings, **arrays), int(size)))
    return use.builder.concat(parts)


def _columns(encoder: Any, index: int) -> list[int]:
    """Return the column of each category of one encoded column, -1 where it has none."""
    mapping = _groups(encoder)[index]
    groups = range(len(encoder.categories_[index])) if mapping is None else mapping
    dropped = encoder._drop_idx_after_grouping
    without = None if dropped is None else dropped[index]
    if without is None:
        return [int(group) for group in groups]
    return [-1 if group == without else int(group - (group > without)) for group in groups]


def _groups(encoder: Any) -> list[Any]:
    """Return the group of each category by column; None for a column whose categories are not grouped."""
    grouped = getattr(encoder, "_default_to_infrequent_mappings", None)
    return list(grouped) if grouped else [None] * len(encoder.categories_)


def _unknown_column(encoder: Any, index: int, columns: list[int]) -> int | None:
    if encoder.handle_unknown not in ("infrequent_if_exist", "warn"):
        return None
    infrequent = getattr(encoder, "_infrequent_indices", None)
    if not infrequent or infrequent[index] is None:
        return None
    column = columns[infrequent[index][0]]
    return column if column >= 0 else None


def ordinal_encoder(use: Use) -> Value:
    encoder = use.estimator
    unknown = float(encoder.unknown_value) if encoder.handle_unknown == "use_encoded_value" else None
    parts = []
    for index, lookup in enumerate(_lookups(use)):
        count = len(encoder.categories_[index])
        groups = _groups(encoder)[index]
        codes = floats(range(count) if groups is None else groups)
        if index in encoder._missing_indices:
            # None is a category like others here, NaN is missing.
            codes[encoder._missing_indices[index]] = encoder.encoded_missing_value
        parts.append(_coded(use, lookup, codes, unknown))
    return use.builder.concat(parts)


def target_encoder(use: Use) -> Value:
    encoder = use.estimator
    if encoder.target_type_ == "multiclass":
        raise use.refuse("encodes by a target of more than two classes")
    lookups = list(_lookups(use))
    parts = [
        _coded(use, lookup, floats(codes), float(encoder.target_mean_))
        for lookup, codes in zip(lookups, encoder.encodings_, strict=True)
    ]
    return use.builder.concat(parts)


def _coded(use: Use, lookup: Lookup, codes: Array, unknown: float | None) -> Matrix:
    """Give a column the number of its category, and another one to those that are unknown."""
    refused = unknown is None
    value = None if unknown is None or np.isnan(unknown) else unknown
    settings = {"missing": lookup.missing, "unknown_value": value, "refuse_unknown": refused}
    return Matrix(use.builder.add("ordinal", [lookup.given], settings, **lookup.arrays, codes=codes), 1)


def _lookups(use: Use) -> Iterator[Lookup]:
    """Yield what is looked up for each column that an encoder was trained with."""
    given = use.columns()
    for index, categories in enumerate(use.estimator.categories_):
        values = list(categories)
        missing = [place for place, each in enumerate(values) if is_missing(each)]
        if len(missing) > 1 or (missing and missing[0] != len(values) - 1):
            raise use.refuse(f"has None and NaN among the categories of column {index}")
        known = values[: len(values) - len(missing)]
        place = missing[0] if missing else None
        if all(isinstance(each, str) for each in known):
            yield _texts(use, given, index, known, place)
        elif all(isinstance(each, int | float | np.number) and not isinstance(each, bool) for each in known):
            yield _numbers(use, given, index, known, place)
        else:
            raise use.refuse(f"has categories that are neither all texts nor all numbers in column {index}")


def _texts(use: Use, given: Value, index: int, known: list[str], missing: int | None) -> Lookup:
    if not isinstance(given, Table):
        raise use.refuse("looks for texts among numbers")
    try:
        table = build_table([str(each) for each in known])
    except (TableImpossible, UnicodeEncodeError) as error:
        raise use.refuse(f"has categories of which no dictionary can be made: {error}") from error
    cell = given.cells[index]
    category = use.category(cell)
    use.builder.suggest(COLUMN + cell.name, map(str, known))
    if missing is not None:
        use.builder.blanks[cell.name] = use.estimator.categories_[index][missing]
    return Lookup(category, {"table": table}, missing)


def _numbers(use: Use, given: Value, index: int, known: list[Any], missing: int | None) -> Lookup:
    values = floats(known)
    if np.any(np.diff(values) <= 0):
        raise use.refuse(f"has categories of column {index} that are not in ascending order")
    if isinstance(given, Table):
        number = use.number(given.cells[index])
    else:
        vector = use.matrix()
        number = vector if vector.size == 1 else use.step("select", vector, size=1, indices=integers([index]))
    return Lookup(number.id, {"values": values}, missing)


_CATEGORIES = words("categories min_frequency max_categories")
_EXACT: Final = {"dtype": (np.float64, np.dtype(np.float64))}

CATEGORIES: Final = (
    Supported(
        "OneHotEncoder",
        one_hot_encoder,
        _CATEGORIES | words("drop sparse_output feature_name_combiner"),
        words("handle_unknown"),
        _EXACT,
    ),
    Supported(
        "OrdinalEncoder",
        ordinal_encoder,
        _CATEGORIES,
        words("handle_unknown unknown_value encoded_missing_value"),
        _EXACT,
    ),
    Supported("TargetEncoder", target_encoder, words("categories target_type smooth cv shuffle random_state")),
)
