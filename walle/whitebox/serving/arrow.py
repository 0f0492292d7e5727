"""Records and answers as Arrow IPC streams: bounded before pyarrow decodes anything that could grow.

A stream may hold columns of numbers, booleans and texts, and nothing that stands for more than its own bytes: no
compression, no dictionaries, no views, no nesting. So what it takes in memory is bounded by the size of the body.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from walle.whitebox.batch_answers import BatchAnswers
from walle.whitebox.columns import RecordColumns
from walle.whitebox.serving.engine import LoadedPlan, RecordAnswer
from walle.whitebox.serving.problems import PredictionRefused, RecordProblem
from walle.whitebox.serving.requests import PredictionRequest, RequestLimits, check_count

EXPECTED: Final = "an Arrow IPC stream of record batches"
MOST_COLUMNS: Final = 4096
_RECORD_BATCH: Final = "record batch"
_U16: Final = struct.Struct("<H")
_U32: Final = struct.Struct("<I")
_I32: Final = struct.Struct("<i")
_HEADER_FIELD: Final = 2
_COMPRESSION_FIELD: Final = 3


def read_arrow(body: bytes, limits: RequestLimits) -> PredictionRequest:
    """Read a batch. Raises PredictionRefused: 400 if it is no stream, 413 if it is too large, 422 otherwise.

    Columns of the stream are fields of the records; a null is a field that is missing.
    """
    try:
        batches = list(_batches(body, limits))
    except (pa.ArrowException, struct.error, IndexError, OSError, ValueError) as error:
        raise PredictionRefused(400, "body-malformed", f"expected {EXPECTED}: {str(error)[:200]}") from error
    check_count(sum(batch.num_rows for batch in batches), limits)
    columns = {name: _column([batch.column(name) for batch in batches]) for name in batches[0].schema.names}
    return PredictionRequest(RecordColumns.of(columns), single=False)


def _column(parts: Sequence[Any]) -> NDArray[np.float64] | list[str | None]:
    """Return the values of a column: numbers and booleans with NaN, texts with None for a null."""
    if pa.types.is_string(parts[0].type) or pa.types.is_large_string(parts[0].type):
        return [value for part in parts for value in part.to_pylist()]
    numbers = [part.cast(pa.uint8()) if pa.types.is_boolean(part.type) else part for part in parts]
    return np.concatenate([each.to_numpy(zero_copy_only=False).astype(np.float64) for each in numbers])


def _batches(body: bytes, limits: RequestLimits) -> Iterator[Any]:
    messages = pa.ipc.MessageReader.open_stream(body)
    first = _next(messages)
    if first is None or first.type != "schema":
        raise ValueError("it does not begin with a schema")
    schema = pa.ipc.read_schema(first)
    _check_schema(schema)
    rows = 0
    while (message := _next(messages)) is not None:
        if message.type != _RECORD_BATCH:
            raise ValueError(f"expected record batches, found a {message.type}")
        if _is_compressed(message.metadata.to_pybytes()):
            raise PredictionRefused(422, "body-compressed", "expected an Arrow stream whose buffers are not compressed")
        batch = pa.ipc.read_record_batch(message, schema)
        rows += batch.num_rows
        if rows > limits.records:
            raise PredictionRefused(413, "batch-too-large", f"expected at most {limits.records} records")
        batch.validate(full=True)
        yield batch


def _next(messages: Any) -> Any | None:
    try:
        return messages.read_next_message()
    except StopIteration:
        return None


def _check_schema(schema: Any) -> None:
    if len(schema) > MOST_COLUMNS:
        raise PredictionRefused(413, "batch-too-large", f"expected at most {MOST_COLUMNS} columns")
    if not len(schema):
        raise PredictionRefused(422, "schema-refused", "expected at least one column")
    if len(set(schema.names)) != len(schema):
        raise PredictionRefused(422, "schema-refused", "expected columns of different names")
    for column in schema:
        if not _is_simple(column.type):
            expected = "numbers, booleans or texts (utf8, large_utf8), without a dictionary"
            text = f"column {column.name[:80]!r}: expected {expected}, found {str(column.type)[:80]}"
            raise PredictionRefused(422, "schema-refused", text)


def _is_simple(kind: Any) -> bool:
    types = pa.types
    return bool(
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_string(kind)
        or types.is_large_string(kind)
    )


def _is_compressed(metadata: bytes) -> bool:
    """Return whether the metadata of a message (a flatbuffer) says that a record batch is compressed."""
    message = _U32.unpack_from(metadata, 0)[0]
    header = _field(metadata, message, _HEADER_FIELD)
    if header is None:
        return False
    batch = header + _U32.unpack_from(metadata, header)[0]
    return _field(metadata, batch, _COMPRESSION_FIELD) is not None


def _field(buffer: bytes, table: int, number: int) -> int | None:
    """Return where a field of a flatbuffer's table is, None if the table does not have it."""
    vtable = table - _I32.unpack_from(buffer, table)[0]
    if not 0 <= vtable < len(buffer):
        raise ValueError("the metadata points outside itself")
    at = 4 + 2 * number
    if at + 2 > _U16.unpack_from(buffer, vtable)[0]:
        return None
    offset = _U16.unpack_from(buffer, vtable + at)[0]
    return table + offset if offset else None


def write_arrow(plan: LoadedPlan, answers: Sequence[RecordAnswer | RecordProblem]) -> bytes:
    """Return the answers as a stream of one record batch; one that was refused has what was expected."""
    kind = pa.float64() if any(isinstance(each, float | int) for each in plan.classes) else pa.string()
    if isinstance(answers, BatchAnswers):
        columns = _columns_of_arrays(answers, pa.array(plan.classes, kind))
    else:
        columns = _columns_of_records(answers, kind)
    used = {name: column for name, column in columns.items() if column.null_count < len(column)}
    about = {"version": plan.version, "manifest": plan.id, "classes": "\n".join(map(str, plan.classes))}
    batch = pa.record_batch(used).replace_schema_metadata(about)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue())


def _columns_of_records(answers: Sequence[RecordAnswer | RecordProblem], label: Any) -> Mapping[str, Any]:
    good = [each if not isinstance(each, RecordProblem) else None for each in answers]
    bad = [each if isinstance(each, RecordProblem) else None for each in answers]
    return {
        "label": pa.array([each and each.label for each in good], label),
        "probabilities": pa.array([each and each.probabilities for each in good], pa.list_(pa.float64())),
        "value": pa.array([each and each.value for each in good]),
        "decision": pa.array([each and each.decision for each in good], pa.list_(pa.float64())),
        "cascade": pa.array([each and each.cascade for each in good], pa.bool_()),
        **_problem_columns(bad),
    }


def _columns_of_arrays(answers: BatchAnswers, classes: Any) -> Mapping[str, Any]:
    absent = ~answers.is_answered
    columns: dict[str, Any] = {}
    for name in ("label", "probabilities", "value", "decision", "cascade"):
        numbers = answers.part(name)
        if numbers is None:
            continue
        if name == "label":
            places = np.where(absent, 0, numbers[:, 0]).astype(np.int64)
            columns[name] = classes.take(pa.array(places, mask=absent))
        elif name == "cascade":
            columns[name] = pa.array(numbers[:, 0] > 0, mask=absent)
        elif name == "value" and numbers.shape[1] == 1:
            columns[name] = pa.array(np.ascontiguousarray(numbers[:, 0]), mask=absent, from_pandas=False)
        else:
            columns[name] = _lists(numbers, absent)
    return columns | _problem_columns([answers.refused.get(index) for index in range(len(answers))])


def _lists(numbers: NDArray[np.float64], absent: NDArray[np.bool_]) -> Any:
    """Return each row of numbers as a list, null where it is absent."""
    starts = np.arange(len(numbers) + 1, dtype=np.int32) * numbers.shape[1]
    return pa.ListArray.from_arrays(pa.array(starts, pa.int32()), pa.array(numbers.ravel()), mask=pa.array(absent))


def _problem_columns(problems: Sequence[RecordProblem | None]) -> dict[str, Any]:
    return {
        "problem_field": pa.array([each and each.field for each in problems], pa.string()),
        "problem_expected": pa.array([each and each.expected for each in problems], pa.string()),
    }
