"""Features as a download: newline JSON or Parquet, written piece by piece, so that memory does not grow with them."""

import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from threading import Lock
from types import MappingProxyType
from typing import Any, Final

from django.db import close_old_connections, connection
from rest_framework.exceptions import Throttled, ValidationError

Rows = Sequence[Mapping[str, Any]]
"""Features as REST shows them, with all of their values."""
Writer = Callable[[Iterable[Rows]], Iterator[bytes]]

MOST_EXPORTS: Final = 2
"""How many exports one sender has under way in one web process."""
AGAIN_S: Final = 10
ROW_GROUP: Final = 10_000
"""How many features of a Parquet file are compressed together at most."""
ROW_GROUP_BYTES: Final = 16 << 20
"""How many bytes of values are compressed together, about."""


class OpenExports:
    """Counts the exports under way in this process, by who sent for them."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()
        self._lock = Lock()

    def enter(self, sender: str) -> None:
        """Count one more export of a sender; raises Throttled beyond MOST_EXPORTS."""
        with self._lock:
            if self._open[sender] >= MOST_EXPORTS:
                raise Throttled(AGAIN_S, f"Expected at most {MOST_EXPORTS} exports of yours at a time.")
            self._open[sender] += 1

    def leave(self, sender: str) -> None:
        with self._lock:
            self._open -= Counter([sender])


OPEN_EXPORTS: Final = OpenExports()


class ExportedPieces:
    """The pieces of one export, which counts as under way until it ends or is closed."""

    def __init__(self, pieces: Iterator[bytes], sender: str) -> None:
        OPEN_EXPORTS.enter(sender)
        self._pieces, self._sender, self._is_open = pieces, sender, True

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        try:
            return next(self._pieces)
        except BaseException:
            self.close()
            raise
        finally:
            # A server reads in whichever thread is free, and each thread would keep a connection.
            if not connection.in_atomic_block:
                close_old_connections()

    def close(self) -> None:
        """Stop counting it."""
        if self._is_open:
            self._is_open = False
            OPEN_EXPORTS.leave(self._sender)


def ndjson(groups: Iterable[Rows]) -> Iterator[bytes]:
    """Write features as JSON, one per line."""
    for rows in groups:
        lines = (json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
        if text := "".join(f"{line}\n" for line in lines):
            yield text.encode()


def parquet(groups: Iterable[Rows]) -> Iterator[bytes]:
    """Write features as a Parquet file, whose column `values` holds JSON; raises ValidationError without pyarrow."""
    try:
        # Loaded nowhere else, and only once somebody asks for Parquet: it is large.
        import pyarrow
        from pyarrow.parquet import ParquetWriter
    except ImportError as error:
        raise ValidationError(
            {"format": "Expected ndjson: Parquet takes the package pyarrow on the server."}
        ) from error
    schema = pyarrow.schema([(name, _type(pyarrow, kind)) for name, kind in COLUMNS.items()])
    return _row_groups_written(groups, pyarrow, ParquetWriter, schema)


def _row_groups_written(groups: Iterable[Rows], pyarrow: Any, make_writer: Any, schema: Any) -> Iterator[bytes]:
    sink = _Sink()
    with make_writer(sink, schema, compression="zstd") as writer:
        for rows in _gathered(groups):
            writer.write_batch(pyarrow.RecordBatch.from_pylist([_cells(row) for row in rows], schema=schema))
            yield sink.taken()
    yield sink.taken()


COLUMNS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{"id": "int64", "cursor": "string", "app": "string", "device": "string", "task": "string"},
        **{"version": "string", "rolled_back": "bool_", "at": "time", "tracked_at": "time", "received_at": "time"},
        **{"delay_ms": "float64", "raw_bytes": "int32", "wire_bytes": "int32", "values": "string"},
    }
)
"""The columns of a Parquet file and their types, by the names of pyarrow."""
FORMATS: Final = MappingProxyType({"ndjson": "application/x-ndjson", "parquet": "application/vnd.apache.parquet"})
"""The formats and their media types."""
WRITERS: Final[Mapping[str, Writer]] = MappingProxyType({"ndjson": ndjson, "parquet": parquet})


def _type(pyarrow: Any, kind: str) -> Any:
    return pyarrow.timestamp("us", tz="UTC") if kind == "time" else getattr(pyarrow, kind)()


def _cells(row: Mapping[str, Any]) -> dict[str, Any]:
    times = {name: datetime.fromisoformat(row[name]) for name, kind in COLUMNS.items() if kind == "time"}
    return {**row, **times, "values": json.dumps(row["values"], ensure_ascii=False, separators=(",", ":"))}


def _gathered(groups: Iterable[Rows]) -> Iterator[Rows]:
    """Yield the features of several groups together, as many as belong into a row group."""
    gathered: list[Mapping[str, Any]] = []
    for rows in groups:
        gathered += rows
        if len(gathered) >= ROW_GROUP or sum(row["raw_bytes"] for row in gathered) >= ROW_GROUP_BYTES:
            yield gathered
            gathered = []
    if gathered:
        yield gathered


class _Sink(io.RawIOBase):
    """A file that is only written, and forgets what was taken from it."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._written = 0

    def writable(self) -> bool:
        return True

    def write(self, piece: Any) -> int:
        self._pieces.append(bytes(piece))
        self._written += len(piece)
        return len(piece)

    def tell(self) -> int:
        return self._written

    def taken(self) -> bytes:
        """Return what was written since the last time."""
        taken, self._pieces = b"".join(self._pieces), []
        return taken
