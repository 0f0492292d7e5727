"""Classes of runs: few, whatever devices claim."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.release.run_classes import OTHER, PERFORMANCE, SYSTEMS, VM_ENDS, device_class, vm_end_class


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"os": "android", "performance": "mid"}, ("android", "mid")),
        ({"os": "android"}, ("android", "")),
        ({}, ("", "")),
        ({"os": "mine", "performance": "best"}, (OTHER, OTHER)),
        ({"os": 7, "performance": None}, (OTHER, "")),
    ],
)
def test_devices_by_what_they_say(facts: dict[str, object], expected: tuple[str, str]) -> None:
    assert device_class(facts) == expected


@pytest.mark.parametrize(
    ("cause", "expected"),
    [("idle", "idle"), ("killed:SIGKILL", "killed"), ("replaced", "replaced"), ("closed", "closed"), ("bored", OTHER)],
)
def test_ends_of_vms_without_their_signal(cause: str, expected: str) -> None:
    assert vm_end_class(cause) == expected


@given(st.text(), st.text(), st.text())
def test_nobody_invents_a_class(system: str, performance: str, cause: str) -> None:
    found = device_class({"os": system, "performance": performance})
    assert found.os in {*SYSTEMS, OTHER, ""}
    assert found.performance in {*PERFORMANCE, OTHER, ""}
    assert vm_end_class(cause) in {*VM_ENDS, OTHER, ""}
