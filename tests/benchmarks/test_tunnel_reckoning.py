"""What pipeline_faults finds: features that are lost, stored twice, changed, or left on a device."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.support.tunnel_faults.proxy import Ledger, SpoolName
from benchmarks.support.tunnel_faults.reckoning import CHECKS, StoredFeature, Tracked, violations
from walle.protocol.tunnel_frames import RAW, Feature
from walle.protocol.tunnel_messages import write_values

NAME = SpoolName("device-1", bytes(8))
OTHER = SpoolName("device-1", bytes(7) + b"\1")


def values(number: int) -> dict[str, Any]:
    return {"n": number, "values": [0.5, number]}


def sent(ledger: Ledger, sequence: int, *, number: int | None = None, name: SpoolName = NAME) -> None:
    body = write_values(values(sequence if number is None else number))
    ledger.feature(name, Feature(sequence, 1, 0, 0, RAW, body, 0))


def row(sequence: int, *, number: int | None = None, name: SpoolName = NAME) -> StoredFeature:
    return StoredFeature.of(name, sequence, values(sequence if number is None else number))


@pytest.fixture
def ledger() -> Ledger:
    """Three features were sent, of which two are acknowledged."""
    ledger = Ledger()
    for sequence in (1, 2, 3):
        sent(ledger, sequence)
    ledger.acknowledge(NAME, 2)
    return ledger


def found(ledger: Ledger, rows: list[StoredFeature], waiting: int = 0) -> dict[str, int]:
    result = violations(ledger, rows, {"device-1": waiting}, {})
    assert result.keys() == CHECKS.keys()
    return {check: len(each) for check, each in result.items() if each}


def test_what_is_acknowledged_must_be_there_and_the_rest_may(ledger: Ledger) -> None:
    assert found(ledger, [row(1), row(2)]) == {}
    assert found(ledger, [row(1), row(2), row(3)]) == {}
    assert found(ledger, [row(2), row(3)]) == {"missing": 1}
    assert found(ledger, []) == {"missing": 2}


def test_what_was_sent_again_is_one_feature(ledger: Ledger) -> None:
    sent(ledger, 2)
    assert found(ledger, [row(1), row(2)]) == {}
    ledger.acknowledge(NAME, 1)
    assert ledger.acknowledged[NAME] == 2
    assert ledger.acknowledgements == {"device-1": 1}


def test_nothing_may_be_there_twice(ledger: Ledger) -> None:
    sent(ledger, 1, name=OTHER)
    assert found(ledger, [row(1), row(2), row(2)]) == {"twice": 2}
    assert found(ledger, [row(1), row(2), row(1, name=OTHER)]) == {"twice": 1}, "the same feature in another spool"


def test_nothing_may_change(ledger: Ledger) -> None:
    assert found(ledger, [row(1), row(2, number=5)]) == {"changed": 1}
    assert found(ledger, [row(1), row(2), row(4)]) == {"changed": 1}, "one that nobody sent"
    sent(ledger, 3, number=9)
    assert found(ledger, [row(1), row(2)]) == {"changed": 1}, "another feature under the same sequence"


def test_a_device_must_not_give_up_what_is_sound(ledger: Ledger) -> None:
    ledger.skip(NAME, 4)
    sent(ledger, 4)
    ledger.acknowledge(NAME, 4)
    assert found(ledger, [row(1), row(2), row(4)]) == {"given_up": 1}
    assert found(ledger, [row(1), row(2), row(3), row(4)]) == {}, "it was stored, though not acknowledged"
    assert found(ledger, [row(1), row(3), row(4)]) == {"missing": 1}, "what was acknowledged may not go"


@pytest.mark.parametrize("waiting", [3, -1])
def test_devices_must_end_with_nothing_left(ledger: Ledger, waiting: int) -> None:
    assert found(ledger, [row(1), row(2)], waiting) == {"waiting": 1}


@pytest.mark.parametrize(
    ("stored", "lost"),
    [
        (range(10), []),
        ([0, 1, 2, 5, 6, 7, 8, 9], []),  # 3 and 4 were in the memory of a process that was killed
        ([0, 2, 3, 4, 5, 6, 7, 8, 9], [1]),
        ([0, 1, 2, 3, 4, 5, 6, 8, 9], [7]),
        ([0, 1, 2, 3, 4, 5, 6, 7], [8, 9]),  # the last process ended by itself
        ([5, 6, 7, 8, 9], []),
    ],
)
def test_only_the_last_that_a_killed_process_tracked_may_be_missing(
    ledger: Ledger, stored: list[int], lost: list[int]
) -> None:
    rows = [row(number + 1, number=number) for number in stored]
    found = violations(ledger, rows, {}, {"device-1": Tracked(10, [0, 5])})
    assert found["lost"] == [f"device-1 feature {number}" for number in lost]


def test_a_process_that_tracked_nothing_loses_nothing() -> None:
    assert Tracked(10, [0, 5, 5, 10]).lost(set(range(10))) == []
    assert Tracked(10, [0, 5, 5, 10]).lost({0, 1, 2, 5, 6}) == []
