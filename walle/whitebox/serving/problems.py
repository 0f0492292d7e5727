"""The refusals of a serving process: problem details (RFC 9457) that name record, field and what was expected."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, NamedTuple

RECORD_REFUSED: Final = "record-refused"
MOST_TOLD: Final = 100
"""The most records whose problems one refusal names."""


class RecordProblem(NamedTuple):
    """What is wrong with one record of a request: its position from 0, the field, and what was expected there."""

    record: int
    field: str
    expected: str


@dataclass(eq=False)
class PredictionRefused(Exception):
    """A refusal: HTTP status, stable code, a text that says what was expected, and the records that caused it.

    `retry_after` is the number of seconds after which another attempt makes sense, if that is known.
    """

    status: int
    code: str
    detail: str
    records: tuple[RecordProblem, ...] = ()
    retry_after: float | None = None

    def body(self) -> bytes:
        title = HTTPStatus(self.status).phrase
        told: dict[str, Any] = {
            "type": "about:blank",
            "title": title,
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
        }
        if self.records:
            told["records"] = [each._asdict() for each in self.records[:MOST_TOLD]]
        return json.dumps(told).encode()

    def headers(self) -> list[tuple[bytes, bytes]]:
        """Return the response headers besides those that every response has."""
        headers = [(b"walle-error", self.code.encode())]
        if self.retry_after is not None:
            headers.append((b"retry-after", b"%d" % max(1, math.ceil(self.retry_after))))
        if self.status == HTTPStatus.UNAUTHORIZED:
            headers.append((b"www-authenticate", b'Bearer realm="Walle"'))
        return headers


def refused_records(problems: tuple[RecordProblem, ...]) -> PredictionRefused:
    """Return the refusal of a request without one record that has the right form."""
    first = problems[0]
    field = f", field {first.field!r}" if first.field else ""
    return PredictionRefused(422, RECORD_REFUSED, f"record {first.record}{field}: expected {first.expected}", problems)
