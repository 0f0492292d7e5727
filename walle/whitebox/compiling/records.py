"""Records as rows: numbers, and the UTF-8 of texts and categories after the steps that Python alone can do exactly."""

from __future__ import annotations

import math
import re
import struct
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from walle.whitebox.compiling.physical import PlanInterface, TextInput
from walle.whitebox.kernels.codes import MISSING, PLAIN, PREPARED, PREPARED_ASCII

MAX_BYTES: Final = 1 << 20
"""The most bytes of a text or category."""
ENCODING: Final = ("utf-8", "surrogatepass")
PADDING: Final = 16
"""So many bytes behind a text may be read."""
_SPACES: Final = re.compile(r"\s\s+")


class RecordRefused(ValueError):
    """A record is not what a pipeline takes: which one of its batch, which field, and what was expected of it."""

    def __init__(self, index: int, field: str, expected: str) -> None:
        super().__init__(f"record {index}, field {field}: expected {expected}")
        self.index = index
        self.field = field
        self.expected = expected


@dataclass(frozen=True)
class Batch:
    """Records as rows, one behind the other, and what is answered for them.

    `indices` are those of the records that were not refused, `rows` (their number x words, i64) what they say, `texts`
    the bytes that their cells point to, `longest` the most bytes of one. `answers` (their number x words, i64) begin
    with -1, or the word of the instruction that refused the record. `refused` are those that are none, in their order.
    """

    indices: Sequence[int]
    rows: npt.NDArray[np.int64]
    texts: bytes
    longest: int
    answers: npt.NDArray[np.int64]
    refused: tuple[RecordRefused, ...]

    def __len__(self) -> int:
        return len(self.indices)


def strip_accents(text: str, form: str) -> str:
    """Return a text without accents and other marks, as scikit-learn strips them."""
    decomposed = unicodedata.normalize("NFKD", text)
    if form == "ascii":
        return decomposed.encode("ascii", "ignore").decode("ascii")
    return "".join(each for each in decomposed if not unicodedata.combining(each))


def collapse_spaces(text: str) -> str:
    """Return a text with a space for each run of several.

    All spaces but one are characters that are not printable, so that most texts are seen to have no run in one glance.
    """
    return text if text.isprintable() and "  " not in text else _SPACES.sub(" ", text)


STEPS: Final[dict[str, Callable[[str, str], str]]] = {
    "lowercase": lambda text, _: text.lower(),
    "strip_accents": strip_accents,
    "collapse_spaces": lambda text, _: collapse_spaces(text),
}


def encode_text(text: str, steps: Sequence[tuple[str, str]]) -> tuple[bytes, int]:
    """Return the UTF-8 after its steps of a text that is not plain ASCII, whose steps are left to the kernel."""
    for operator, form in steps:
        text = STEPS[operator](text, form)
    return text.encode(*ENCODING), PREPARED_ASCII if text.isascii() else PREPARED


def join_cells(records: Iterable[list[tuple[bytes, int]]]) -> tuple[npt.NDArray[np.int64], bytes, int]:
    """Return the words of records' cells in their rows (cells x 3), the bytes these point to, and the most of one."""
    cells = [cell for record in records for cell in record]
    joined = b"".join([*(text for text, _ in cells), bytes(PADDING)])
    sizes = np.array([len(text) for text, _ in cells], np.int64)
    table = np.empty((len(cells), 3), np.int64)
    table[:, 0] = np.frombuffer(joined, np.uint8).ctypes.data + np.cumsum(sizes) - sizes
    table[:, 1], table[:, 2] = sizes, [kind for _, kind in cells]
    return table, joined, int(sizes.max(initial=0))


class RecordReader:
    """Reads the records of one plan. A record is a mapping from columns to values, a sequence of values, or a single
    value.
    """

    def __init__(self, plan: PlanInterface) -> None:
        self._names = tuple(each.name for each in plan.columns)
        self._types = {each.name: each.type for each in plan.columns}
        self._numbers = dict(plan.numbers)
        self._cells = plan.cells
        self._pick = itemgetter(*plan.numbers) if len(plan.numbers) > 1 else None
        self._may_miss = any(plan.numbers.values())
        self._pack = struct.Struct(f"={len(plan.numbers)}d").pack_into
        self.has_cells = bool(plan.cells)
        self.pack_cells = struct.Struct(f"={3 * len(plan.cells)}q").pack_into
        """Writes the words of all cells of a row from a byte of a buffer on."""
        self.number_bytes = 8 * len(plan.numbers)

    def as_mapping(self, record: Any, index: int) -> Mapping[str, Any]:
        """Return a record by its columns."""
        if isinstance(record, str) and len(self._names) == 1:
            return {self._names[0]: record}
        if isinstance(record, Mapping):
            return record
        if isinstance(record, list | tuple):
            if len(record) != len(self._names):
                raise RecordRefused(index, "", f"{len(self._names)} values, one for each column")
            return dict(zip(self._names, record, strict=True))
        if len(self._names) != 1:
            raise RecordRefused(index, "", f"an object with the fields {', '.join(self._names)}")
        return {self._names[0]: record}

    def write_numbers(self, record: Mapping[str, Any], row: memoryview, start: int, index: int) -> None:
        """Write the numbers of a record from a byte of a buffer on."""
        if self._pick:
            try:
                values = self._pick(record)
                if self._may_miss:
                    values = [math.nan if value is None else value for value in values]
                self._pack(row, start, *values)
                return
            except (struct.error, KeyError, TypeError, OverflowError):
                pass
        self._pack(row, start, *[self.read_number(record, name, index) for name in self._numbers])

    def read_number(self, record: Mapping[str, Any], name: str, index: int) -> float:
        """Return a number of a record, NaN if it is missing."""
        value = record.get(name, record)
        if value is None:
            return math.nan
        try:
            if value is not record and not isinstance(value, str | bytes):
                return float(value)
        except (TypeError, ValueError, OverflowError):
            pass
        raise RecordRefused(index, name, self.expected(name))

    def expected(self, name: str) -> str:
        """Return what is expected of a column."""
        match self._types[name]:
            case "number" if self._numbers[name]:
                return "a finite number, or null if it is missing"
            case "number":
                return "a finite number, which must not be missing"
            case "category":
                return "a text, or null if it is missing"
            case _:
                return f"a text of at most {MAX_BYTES} bytes"

    def read_cells(self, record: Mapping[str, Any], index: int) -> list[tuple[bytes, int]]:
        """Return the UTF-8 of each cell of a record, and what it is."""
        return [self._cell(record, each, index) for each in self._cells]

    def _cell(self, record: Mapping[str, Any], cell: TextInput, index: int) -> tuple[bytes, int]:
        value = record.get(cell.column, record)
        if isinstance(value, str):
            found = (value.encode(), PLAIN) if value.isascii() else encode_text(value, cell.steps)
            if len(found[0]) <= MAX_BYTES:
                return found
        elif self._types[cell.column] == "category" and (value is None or value != value):  # noqa: PLR0124 - a NaN
            return b"", MISSING
        raise RecordRefused(index, cell.column, self.expected(cell.column))

    def find_wrong_number(self, numbers: Sequence[float], index: int) -> RecordRefused:
        """Return why a record was refused for its numbers."""
        for (name, may_miss), value in zip(self._numbers.items(), numbers, strict=True):
            if math.isinf(value) or (math.isnan(value) and not may_miss):
                return RecordRefused(index, name, self.expected(name))
        raise AssertionError("a record was refused for numbers that are right")
