"""Files of records for pipelines: JSON Lines, CSV with a header, or texts, one a line."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

from walle.cli.errors import WrongUsage
from walle.whitebox.graph import Graph

RecordValue = str | float | None
Record = dict[str, RecordValue]

MOST_RECORDS: Final = 100_000
_LONGEST_CELL: Final = 16 << 20
_WORDS: Final = {"text": "a text", "number": "a number, or null", "category": "a text, or null"}


def read_records(path: Path, graph: Graph, most: int = MOST_RECORDS) -> list[Record]:
    """Return the records of a file, at most so many, each with the pipeline's columns alone. Raises WrongUsage."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = _ROWS.get(path.suffix.lower(), _texts)(file, graph)
            found = [_record(row, graph, f"{path}:{number}") for number, row in islice(rows, most)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise WrongUsage(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    if not found:
        raise WrongUsage(f"expected records in {path}, found none")
    return found


def read_labels(path: Path, name: str, most: int = MOST_RECORDS) -> list[str]:
    """Return what records of a file of CSV or JSON Lines have under a name, as text. Raises WrongUsage."""
    if path.suffix.lower() not in _ROWS:
        raise WrongUsage(f"expected records with {name} in .csv or .jsonl, found {path.name}")
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file) if path.suffix.lower() == ".csv" else (row for _, row in _json_lines(file))
            found = [row.get(name) for row in islice(rows, most)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise WrongUsage(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    missing = next((number for number, each in enumerate(found, 1) if each is None), None)
    if missing is not None:
        raise WrongUsage(f"{path}: record {missing}: expected {name}, the label, found none")
    return [str(each) for each in found]


def read_record(text: str, graph: Graph) -> Record:
    """Return the record that a JSON object is. Raises WrongUsage."""
    return _record(_parsed(text, "the record"), graph, "the record")


def read_objects(path: Path | None, text: str | None = None) -> list[Mapping[str, Any]]:
    """Return the JSON objects of a file of JSON Lines, or the one of a text, as they are. Raises WrongUsage."""
    if path is None:
        return [_parsed(text or "", "the record")]
    if path.suffix.lower() == ".csv":
        raise WrongUsage(f"expected JSON Lines, found {path}: only the pipeline says which cells are numbers")
    try:
        with path.open(encoding="utf-8") as file:
            return [row for _, row in islice(_json_lines(file), MOST_RECORDS)]
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUsage(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error


def _texts(file: Any, graph: Graph) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if [column.type for column in graph.columns] != ["text"]:
        names = ", ".join(column.name for column in graph.columns)
        raise WrongUsage(f"expected records in .csv or .jsonl, as the pipeline takes {names}")
    name = graph.columns[0].name
    for number, line in enumerate(file, 1):
        yield number, {name: line.rstrip("\r\n")}


def _json_lines(file: Any, graph: Graph | None = None) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(file, 1):
        if line.strip():
            yield number, _parsed(line, f"line {number}")


def _parsed(text: str, where: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise WrongUsage(f"expected JSON in {where}: {error}") from error
    if not isinstance(found, dict):
        raise WrongUsage(f"expected a JSON object in {where}, found {text.strip()[:40]}")
    return found


def _rows(file: Any, graph: Graph) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Cells of numbers and categories that are empty are missing."""
    csv.field_size_limit(_LONGEST_CELL)
    kinds = {column.name: column.type for column in graph.columns}
    reader = csv.DictReader(file)
    for row in reader:
        yield reader.line_num, {name: _cell(value, kinds.get(name)) for name, value in row.items() if name in kinds}


def _cell(text: str | None, kind: str | None) -> str | float | None:
    if kind == "text":
        return text
    if not text:
        return None
    try:
        return float(text) if kind == "number" else text
    except ValueError:
        return text


_ROWS: Final = {".csv": _rows, ".jsonl": _json_lines, ".ndjson": _json_lines}


def _record(row: Mapping[str, Any], graph: Graph, where: str) -> Record:
    return {column.name: _value(row, column.name, column.type, where) for column in graph.columns}


def _value(row: Mapping[str, Any], name: str, kind: str, where: str) -> RecordValue:
    if name not in row:
        raise WrongUsage(f"{where}: expected {name}, {_WORDS[kind]}, found {', '.join(map(str, row)) or 'nothing'}")
    value: RecordValue = row[name]
    match kind:
        case "text":
            fits = isinstance(value, str)
        case "category":
            fits = value is None or isinstance(value, str)
        case _:
            fits = value is None or (isinstance(value, int | float) and not isinstance(value, bool))
            value = float(value) if fits and value is not None else value
            value = None if isinstance(value, float) and math.isnan(value) else value
    if not fits:
        raise WrongUsage(f"{where}: expected {name} to be {_WORDS[kind]}, found {str(value)[:40]!r}")
    return value
