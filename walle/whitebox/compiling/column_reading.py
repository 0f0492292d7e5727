"""Batches from columns: numbers are put into rows all at once, texts and categories one by one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from walle.whitebox.columns import RecordColumns
from walle.whitebox.compiling.physical import PlanInterface
from walle.whitebox.compiling.records import Batch, RecordReader, RecordRefused, join_cells


def parse_columns(plan: PlanInterface, reader: RecordReader, columns: RecordColumns) -> Batch:
    """Return columns as a batch: the same that their records are one by one."""
    refused: dict[int, RecordRefused] = {}
    cells = _read_cells(plan, reader, columns, refused)
    rows = _read_numbers(plan, reader, columns, refused).view(np.int64)
    kept: Sequence[int] = range(len(columns))
    if refused:
        kept = [index for index in kept if index not in refused]
        rows = rows[kept]
    texts, longest = b"", 0
    if plan.cells:
        table, texts, longest = join_cells(cells[index] for index in kept)
        rows = np.concatenate([rows, table.reshape(len(rows), 3 * len(plan.cells))], axis=1)
    answers = np.full((len(rows), plan.answer_words + 1), -1, np.int64)
    return Batch(kept, rows, texts, longest, answers, tuple(refused[index] for index in sorted(refused)))


def _read_cells(
    plan: PlanInterface, reader: RecordReader, columns: RecordColumns, refused: dict[int, RecordRefused]
) -> list[list[tuple[bytes, int]]]:
    """Return the cells of each record; those of one that is refused are not to be used."""
    every = {each.column: columns.values(each.column) for each in plan.cells}
    given = {name: values for name, values in every.items() if values is not None}
    found: list[list[tuple[bytes, int]]] = []
    for index in range(len(columns) if plan.cells else 0):
        record = {name: values[index] for name, values in given.items()}
        try:
            found.append(reader.read_cells(record, index))
        except RecordRefused as error:
            refused[index] = error
            found.append([])
    return found


def _read_numbers(
    plan: PlanInterface, reader: RecordReader, columns: RecordColumns, refused: dict[int, RecordRefused]
) -> npt.NDArray[np.float64]:
    """Return the numbers of each record as its row has them; those of one that is refused are not to be used."""
    wanted = tuple(plan.numbers)
    if wanted == columns.names:
        return np.ascontiguousarray(columns.numbers)
    found = np.zeros((len(columns), len(wanted)))
    for place, name in enumerate(wanted):
        if name in columns.places:
            found[:, place] = columns.numbers[:, columns.places[name]]
            continue
        values = columns.values(name)
        for index in range(len(columns)):
            try:
                record = {} if values is None else {name: values[index]}
                found[index, place] = reader.read_number(record, name, index)
            except RecordRefused as error:
                refused.setdefault(index, error)
    return found
