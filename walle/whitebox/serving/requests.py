"""Requests for predictions in JSON, bounded before they are parsed.

{"record": {"text": "..."}, "caller": "user-1"}
{"records": [{"text": "..."}, ...], "caller": "user-1", "facts": {"country": "de"}}
"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

import msgspec

from walle.protocol.documents import check_facts
from walle.protocol.errors import DocumentMalformed
from walle.whitebox.serving.json_steps import ValueTooLong, decode_in_steps
from walle.whitebox.serving.problems import PredictionRefused, RecordProblem

EXPECTED: Final = 'a JSON object with "record" (an object) or "records" (a list of objects), and "caller"'
_MEMBERS: Final = frozenset(("record", "records", "caller", "facts"))
_COSTLY: Final = (b",", b":", b"[", b"{")


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not part of JSON; a number that is missing is null")


# Made once: json.loads would make a decoder for each body.
_decoder: Final = json.JSONDecoder(parse_constant=_no_number)
_quick: Final = msgspec.json.Decoder()


@dataclass(frozen=True)
class RequestLimits:
    """The most records of a batch, characters of the texts in one record and of that as JSON, and values of a body.

    A body of nothing but brackets would need a hundred times its size in memory, so values are counted before parsing.
    One record is decoded at once, so how long it is, is found before that.
    """

    records: int = 10_000
    record_bytes: int = 1 << 20
    record_json: int = 2 << 20
    values: int = 1_000_000


@dataclass(frozen=True, slots=True)
class PredictionRequest:
    """One request. `records` are as sent: the plan checks them. `caller` is whatever was named, None if nothing was."""

    records: Sequence[Any]
    single: bool
    caller: object = None
    facts: Mapping[str, Any] = field(default_factory=dict)


def read_json(body: bytes, limits: RequestLimits) -> PredictionRequest:
    """Read a request. Raises PredictionRefused: 400 if it is no JSON, 413 if it is too large, 422 otherwise."""
    _check_values(body, limits)
    try:
        said = _decode(body)
    except (ValueError, RecursionError) as error:
        raise _malformed(error) from error
    return _request(said, len(body), limits)


def _decode(body: bytes) -> Any:
    """Return what a body says: msgspec takes a sixth of json's time; what it refuses, json reads or explains."""
    try:
        return _quick.decode(body)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return _decoder.decode(body.decode())


def read_json_in_steps(body: bytes, limits: RequestLimits) -> Generator[None, None, PredictionRequest]:
    """Read a large request as `read_json` does, and yield after each step."""
    _check_values(body, limits)
    try:
        said = yield from decode_in_steps(body.decode(), _decoder, limits.record_json)
    except ValueTooLong as error:
        raise _too_long(error.index, limits) from error
    except (ValueError, RecursionError) as error:
        raise _malformed(error) from error
    return _request(said, len(body), limits)


def _check_values(body: bytes, limits: RequestLimits) -> None:
    if len(body) > limits.values and sum(map(body.count, _COSTLY)) > limits.values:
        raise PredictionRefused(413, "batch-too-large", f"expected at most {limits.values} values in one request")


def _request(said: Any, size: int, limits: RequestLimits) -> PredictionRequest:
    """Return the request that a body of so many bytes says."""
    if not isinstance(said, dict) or ("record" in said) == ("records" in said):
        raise PredictionRefused(422, "body-malformed", f"expected {EXPECTED}")
    if unknown := said.keys() - _MEMBERS:
        names = ", ".join(sorted(map(repr, unknown)))[:200]
        raise PredictionRefused(422, "body-malformed", f"expected {EXPECTED}, found {names} too")
    single = "record" in said
    records = [said["record"]] if single else said["records"]
    if not isinstance(records, list):
        raise PredictionRefused(422, "body-malformed", "records: expected a list of objects")
    check_count(len(records), limits)
    if size > limits.record_bytes:
        _check_lengths(records, limits)
    return PredictionRequest(records, single, said.get("caller"), _facts(said.get("facts")))


def check_count(count: int, limits: RequestLimits) -> None:
    """Raise PredictionRefused unless a batch has at least one record, and at most as many as are allowed."""
    if not count:
        raise PredictionRefused(422, "batch-empty", "records: expected at least one")
    if count > limits.records:
        raise PredictionRefused(413, "batch-too-large", f"records: expected at most {limits.records}, found {count}")


def _check_lengths(records: Sequence[Any], limits: RequestLimits) -> None:
    for index, record in enumerate(records):
        values = record.values() if isinstance(record, dict) else ()
        if sum(len(value) for value in values if isinstance(value, str)) > limits.record_bytes:
            expected = f"at most {limits.record_bytes} bytes"
            problem = RecordProblem(index, "", expected)
            raise PredictionRefused(413, "record-too-large", f"record {index}: expected {expected}", (problem,))


def _too_long(index: int | None, limits: RequestLimits) -> PredictionRefused:
    expected = f"at most {limits.record_json} characters of JSON"
    if index is None:
        return PredictionRefused(413, "record-too-large", f"expected {expected} in one record")
    problem = RecordProblem(index, "", expected)
    return PredictionRefused(413, "record-too-large", f"record {index}: expected {expected}", (problem,))


def _facts(facts: object) -> Mapping[str, Any]:
    if facts is None:
        return {}
    try:
        if not isinstance(facts, dict):
            raise DocumentMalformed("expected an object of texts, numbers and booleans by name")
        check_facts(facts)
    except DocumentMalformed as error:
        raise PredictionRefused(422, "facts-malformed", f"facts: {error}") from error
    return facts


def _malformed(error: Exception) -> PredictionRefused:
    reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]
    return PredictionRefused(400, "body-malformed", f"expected {EXPECTED}: {reason}")
