"""choose_many against choose, device by device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.release.tables import digest, entry, table
from walle.protocol.headers import short_digest
from walle.release.cohort import BUCKETS
from walle.release.decision import CompiledTable, Decision, DevicePlan, choose
from walle.release.rules import uniform
from walle.release.table import Entry, Mode
from walle.release.vectorized import choose_many, points_of

TASKS = ("camera/digits", "camera/faces")
VERSIONS = ("1.0.0", "1.1.0", "2.0.0")


@st.composite
def entries(draw: Any) -> Entry:
    share = draw(st.sampled_from([0, 1, BUCKETS // 2, BUCKETS - 1, BUCKETS]) | st.integers(0, BUCKETS))
    return entry(
        draw(st.sampled_from(TASKS)),
        draw(st.sampled_from(VERSIONS)),
        release=draw(st.integers(1, 9)),
        rule=uniform(draw(st.lists(st.sampled_from(VERSIONS), min_size=1, unique=True))),
        share=share,
        salt=draw(st.sampled_from([bytes(16), b"\xff" * 16]) | st.binary(min_size=16, max_size=16)),
        mode=draw(st.sampled_from(Mode)),
        control=draw(st.sampled_from([0, BUCKETS - share]) | st.integers(0, BUCKETS - share)),
    )


pairs = st.tuples(st.sampled_from(TASKS), st.sampled_from(VERSIONS))
profiles = st.dictionaries(st.sampled_from([*TASKS, "un/known"]), st.sampled_from(VERSIONS))
devices = st.lists(st.text("abcdefghij0123456789-_", min_size=1, max_size=12), max_size=40)


def one_by_one(plan: DevicePlan, names: list[str]) -> list[Decision]:
    """What choose_many says, put together again for each device."""
    found = [Decision([], []) for _ in names]
    many = choose_many(plan, points_of(names))
    for change, positions in many.changes:
        for position in positions:
            found[position].changes.append(change)
    for held, positions in many.held_back:
        for position in positions:
            found[position].held_back.append(held)
    return found


@pytest.mark.slow
@settings(max_examples=400)
@given(st.lists(entries(), max_size=6), st.sets(pairs, max_size=3), profiles, st.sampled_from(VERSIONS), devices)
def test_many_devices_choose_what_each_would(
    released: list[Entry], withdrawn: set[tuple[str, str]], profile: dict[str, str], app_version: str, names: list[str]
) -> None:
    gone = tuple((task, digest(f"{task} {version}")) for task, version in sorted(withdrawn))
    installed = {task: short_digest(digest(f"{task} {version}")) for task, version in profile.items()}
    plan = CompiledTable(table(released, withdrawn=gone)).plan({"app_version": app_version}, installed)
    assert one_by_one(plan, names) == [choose(plan, name) for name in names]


def test_nobody_and_nothing() -> None:
    assert choose_many(DevicePlan(), points_of(["device-1"])) == ([], [])
    everybody = CompiledTable(table([entry()])).plan({"app_version": "1.0.0"}, {})
    ((change, positions),) = choose_many(everybody, points_of([])).changes
    assert isinstance(change, Entry)
    assert len(positions) == 0


def test_positions_ascend_and_a_control_is_no_treatment() -> None:
    split = CompiledTable(table([entry(share=BUCKETS // 4, control=BUCKETS // 4)])).plan({"app_version": "1.0.0"}, {})
    points = points_of(f"device-{number}" for number in range(4_000))
    ((_, drawn),), ((_, held),) = choose_many(split, points)
    assert np.all(np.diff(drawn) > 0)
    assert np.all(np.diff(held) > 0)
    assert not np.isin(drawn, held).any()
    assert abs(len(drawn) - 1_000) < 150 > abs(len(held) - 1_000)
