"""The operators of a worker as functions."""

from __future__ import annotations

from tests.placement.processor.problems import HERE
from walle.placement.processor.operators import applying
from walle.placement.processor.specs import HostedSpec, OperatorCode


def test_a_slower_worker_waits_for_what_was_computed_and_for_nothing_else():
    waited, clock = [], iter([1.0, 1.2])
    spec = HostedSpec("split", "map", "default", ("numbers",), (), OperatorCode(HERE, "arithmetic:split"), slowdown=4.0)
    slowed = applying(spec, sleep=waited.append, computed=clock.__next__)
    assert slowed([(4,), (3,)]) == [((0, 4), (1, 40)), ()]
    assert [round(each, 6) for each in waited] == [0.6]
