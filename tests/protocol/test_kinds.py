"""Kinds of tasks: which a device says it knows."""

from __future__ import annotations

import pytest

from walle.protocol.kinds import facts_of, knows


@pytest.mark.parametrize(
    ("facts", "kind", "known"),
    [
        ({}, "device", True),
        ({}, "cloud", False),
        ({"kind-cloud": True}, "cloud", True),
        ({"kind-cloud": True}, "other", False),
        ({"kind-cloud": "true"}, "cloud", False),
        ({"kind-cloud": 1}, "cloud", False),
    ],
)
def test_a_device_knows_its_own_kind_and_those_that_it_says_are_true(
    facts: dict[str, object], kind: str, known: bool
) -> None:
    assert knows(facts, kind) is known


def test_what_a_device_claims_is_what_is_known_of_it() -> None:
    assert facts_of({"device", "cloud", "browser"}) == {"kind-browser": True, "kind-cloud": True}
    assert knows(facts_of({"cloud"}), "cloud")
