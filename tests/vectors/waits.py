"""Vectors of the times between check-ins."""

from __future__ import annotations

from typing import Any

DAY = 86_400


def waits() -> list[dict[str, Any]]:
    """Straight from the words in docs/protocol.md, not from the code under test.

    `failures` counts the check-ins in a row that failed, 0 after an answer; `retry_after` is what the server asked for,
    null where it did not; `interval` is that from enrolment.
    """
    return [
        *(_answered(60, asked, asked) for asked in (1, 15, 54, 66, 3600, DAY)),
        _answered(3600, 60, 60),
        _answered(60, 31_536_000, DAY),
        {**_vector("answered, nothing asked", 0, None, 60), "value": {"least": 60, "most": 75}},
        *(_failed(failures, most) for failures, most in ((1, 1), (2, 2), (3, 4), (9, 256), (10, 300), (40, 300))),
        {**_vector("failed 1 in a row, asked for 40", 1, 40, 60), "value": {"least": 40, "most": 50}},
        {**_vector("failed 10 in a row, asked for 40", 10, 40, 60), "value": {"least": 40, "most": 300}},
        {**_vector("failed 1 in a row, asked for a year", 1, 31_536_000, 60), "value": {"least": DAY, "most": 108_000}},
    ]


def _answered(interval: int, asked: int, wait: int) -> dict[str, Any]:
    name = f"answered, asked for {asked} at an interval of {interval}"
    return {**_vector(name, 0, asked, interval), "value": {"least": wait, "most": wait}}


def _failed(failures: int, most: int) -> dict[str, Any]:
    return {**_vector(f"failed {failures} in a row", failures, None, 60), "value": {"least": 0, "most": most}}


def _vector(name: str, failures: int, asked: int | None, interval: int) -> dict[str, Any]:
    return {"name": name, "failures": failures, "retry_after": asked, "interval": interval}
