"""Write features as rows of their table: a few by one INSERT, which can be prepared, many by COPY."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import psycopg
from psycopg import errors

from walle.gateway.feature_checks import storable_time
from walle.gateway.ports import FeatureRefused, ReceivedFeature

REFUSALS: Final = (psycopg.DataError, errors.StatementTooComplex)
"""What PostgreSQL raises for values that it cannot hold."""

_COLUMNS: Final = (
    *("app_id", "device", "spool", "sequence", "task", "version", "manifest", "at", "tracked_at", "received_at"),
    *("answer_by", "raw_bytes", "wire_bytes", '"values"'),
)
_COPY: Final = f"COPY devices_app_feature ({', '.join(_COLUMNS)}) FROM STDIN"
_PLACE: Final = re.compile(r"^COPY devices_app_feature\D*(\d+)", re.MULTILINE)
_INSERT: Final = f"""
INSERT INTO devices_app_feature ({", ".join(_COLUMNS)})
SELECT app, device, decode(spool, 'hex'), sequence, task, version, manifest, at, tracked_at, received_at,
    answer_by, raw_bytes, wire_bytes, written::json
FROM json_to_recordset(%s::json) AS new (
    app bigint, device text, spool text, sequence bigint, task text, version text, manifest text, at timestamptz,
    tracked_at timestamptz, received_at timestamptz, answer_by timestamptz, raw_bytes int, wire_bytes int, written text
)
"""  # noqa: S608 - names of columns


class PlacedFeature(NamedTuple):
    """A feature, its place in the group that it came in, and the primary key of its app."""

    place: int
    app: int
    feature: ReceivedFeature


WriteRows = Callable[[Any, Sequence[PlacedFeature]], None]
"""Writes features with a cursor, in their order."""


def insert_rows(cursor: Any, placed: Sequence[PlacedFeature]) -> None:
    """Write features by one INSERT. Raises UnicodeDecodeError or one of REFUSALS, without saying for which."""
    cursor.execute(_INSERT, [json.dumps([_row(each) for each in placed], ensure_ascii=False)])


def copy_rows(cursor: Any, placed: Sequence[PlacedFeature]) -> None:
    """Write features by COPY. Raises FeatureRefused for the first one that PostgreSQL cannot hold."""
    lines = b"".join(map(_line, placed))
    try:
        with cursor.copy(_COPY) as copy:
            copy.write(lines)
    except REFUSALS as error:
        found = _PLACE.search(error.diag.context or "")
        if found is None:
            raise
        raise FeatureRefused(placed[int(found[1]) - 1].place, str(error.diag.message_primary)) from error


def _row(placed: PlacedFeature) -> dict[str, str | int | None]:
    """Return a feature as an object of _INSERT's JSON; its values are text in there, kept as they were written."""
    feature = placed.feature
    return {
        "app": placed.app,
        "device": feature.device,
        "spool": feature.spool.hex(),
        "sequence": feature.sequence,
        "task": feature.task,
        "version": feature.version,
        "manifest": feature.manifest,
        "at": _time(feature.at),
        "tracked_at": _time(feature.tracked_at),
        "received_at": _time(feature.received_at),
        "answer_by": None if feature.answer_by is None else _time(feature.answer_by),
        "raw_bytes": feature.raw_bytes,
        "wire_bytes": feature.wire_bytes,
        "written": feature.values.decode(),
    }


def _line(placed: PlacedFeature) -> bytes:
    """Return a feature as a line of COPY's text format."""
    feature = placed.feature
    texts = (feature.device, f"\\x{feature.spool.hex()}", str(feature.sequence), feature.task, feature.version)
    times = (_time(feature.at), _time(feature.tracked_at), _time(feature.received_at))
    head = (str(placed.app), *texts, feature.manifest, *times)
    cells = [_cell(text.encode()) for text in head]
    cells.append(b"\\N" if feature.answer_by is None else _time(feature.answer_by).encode())
    cells += (b"%d" % feature.raw_bytes, b"%d" % feature.wire_bytes, _cell(feature.values))
    return b"\t".join(cells) + b"\n"


def _cell(value: bytes) -> bytes:
    escaped = value.replace(b"\\", b"\\\\").replace(b"\t", b"\\t")
    return escaped.replace(b"\n", b"\\n").replace(b"\r", b"\\r")


def _time(seconds: float) -> str:
    return storable_time(seconds).isoformat()
