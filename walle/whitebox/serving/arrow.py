"""Records and answers as Arrow IPC streams: bounded before pyarrow decodes anything that could grow.

A stream may hold columns of numbers, booleans and texts, and nothing that stands for more than its own bytes: no
compression, no dictionaries, no views, no nesting. So what it takes in memory is bounded by the size of the body.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import Any, Final

import pyarrow as pa

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
    records = [record for batch in batches for record in batch.to_pylist()]
    return PredictionRequest(records, single=False)


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
    good = [each if not isinstance(each, RecordProblem) else None for each in answers]
    bad = [each if isinstance(each, RecordProblem) else None for each in answers]
    label = pa.float64() if any(isinstance(each, float | int) for each in plan.classes) else pa.string()
    columns = {
        "label": pa.array([each and each.label for each in good], label),
        "probabilities": pa.array([each and each.probabilities for each in good], pa.list_(pa.float64())),
        "value": pa.array([each and each.value for each in good]),
        "decision": pa.array([each and each.decision for each in good], pa.list_(pa.float64())),
        "problem_field": pa.array([each and each.field for each in bad], pa.string()),
        "problem_expected": pa.array([each and each.expected for each in bad], pa.string()),
    }
    used = {name: column for name, column in columns.items() if column.null_count < len(column)}
    about = {"version": plan.version, "manifest": plan.id, "classes": "\n".join(map(str, plan.classes))}
    batch = pa.record_batch(used).replace_schema_metadata(about)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue())
