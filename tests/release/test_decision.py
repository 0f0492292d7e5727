"""plan and choose against a reference that asks, for one device, every question in turn."""

from __future__ import annotations

from typing import Any
from zlib import crc32

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.release.tables import digest, entry, table
from walle.protocol.documents import Assignment
from walle.protocol.headers import short_digest
from walle.release.cohort import BUCKETS
from walle.release.decision import CompiledTable, choose
from walle.release.rules import uniform
from walle.release.table import Entry, Table

TASKS = ("camera/digits", "camera/faces", "shop/recommend")
VERSIONS = ("1.0.0", "1.1.0", "2.0.0")
APP_VERSIONS = ("1.0.0", "1.1.0", "2.0.0")
Facts = dict[str, Any]
Profile = dict[str, bytes]


def naive(table: Table, facts: Facts, profile: Profile, device: str) -> tuple[list[str], list[Entry]]:
    """What a device should give up and what it should be offered, from the words of docs/protocol.md alone."""
    gives_up = [task for task in profile if task in table.removals]
    offered = []
    for task in dict.fromkeys(one.task for one in table.entries):
        mine = [one for one in table.entries if one.task == task and takes(one, facts, device)]
        if mine and not mine[0].paused and profile.get(task) != bytes.fromhex(mine[0].manifest)[:12]:
            offered.append(mine[0])
    return gives_up, offered


def takes(entry: Entry, facts: Facts, device: str) -> bool:
    factor, offset = int.from_bytes(entry.salt[:8], "big"), int.from_bytes(entry.salt[8:], "big")
    number = (factor * crc32(device.encode()) + offset) % 2**64 // 2**32 * 1_000_000 // 2**32
    return facts.get(entry.rule["fact"]) in entry.rule["in"] and number < entry.share


def decide(table: Table, facts: Facts, profile: Profile, device: str) -> tuple[list[str], list[Entry]]:
    compiled = CompiledTable(table)
    plan = compiled.plan(facts, profile)
    chosen = choose(plan, device)
    assert compiled.plan(facts, profile) == plan
    assert bool(plan) or not chosen
    for offered in chosen:
        signed = Assignment.from_payload(compiled.assignment(offered.task, offered.manifest).payload)
        assert (signed.task, signed.manifest, signed.number) == (offered.task, offered.manifest, table.number)
    for task in plan.removals:
        assert Assignment.from_payload(compiled.assignment(task, None).payload).action == "remove"
    return list(plan.removals), chosen


shares = st.one_of(st.sampled_from([0, 1, BUCKETS - 1, BUCKETS]), st.integers(0, BUCKETS))
rules = st.one_of(
    st.lists(st.sampled_from(APP_VERSIONS), min_size=1, max_size=3, unique=True).map(uniform),
    st.just({"fact": "region", "in": ["eu", ""]}),
    st.just({"fact": "age", "in": ["30"]}),
)
entries = st.builds(
    lambda release, task, version, rule, share, paused: entry(
        task, version, release=release, rule=rule, share=share, paused=paused
    ),
    st.integers(1, 9),
    st.sampled_from(TASKS[:2]),
    st.sampled_from(VERSIONS),
    rules,
    shares,
    st.booleans(),
)
facts = st.fixed_dictionaries(
    {"app_version": st.sampled_from(APP_VERSIONS)},
    optional={"region": st.sampled_from(["eu", "", "us", True, 1]), "age": st.sampled_from(["30", 30, 30.0, True])},
)
installed = st.one_of(
    st.builds(
        lambda task, version: (task, short_digest(digest(f"{task} {version}"))),
        *map(st.sampled_from, (TASKS, VERSIONS)),
    ),
    st.tuples(st.sampled_from([*TASKS, "un/known"]), st.binary(min_size=12, max_size=12)),
)
profiles = st.lists(installed, max_size=4).map(dict)
devices = st.integers(0, 50).map("device-{}".format)


@settings(max_examples=300)
@given(
    st.lists(entries, max_size=6), st.sampled_from([(), ("shop/recommend",), ("un/known",)]), facts, profiles, devices
)
@example([], (), {"app_version": "1.0.0"}, {}, "device-1")
def test_decision_is_the_naive_one(
    entries: list[Entry], removals: tuple[str, ...], facts: Facts, profile: Profile, device: str
) -> None:
    published = table(entries, removals=removals)
    assert decide(published, facts, profile, device) == naive(published, facts, profile, device)


FIRST: Facts = {"app_version": "1.0.0"}
NAMES = [f"device-{number}" for number in range(300)]


def offered(published: Table, profile: Profile, facts: Facts = FIRST) -> dict[str, str]:
    """Device to the manifest that it is offered."""
    compiled = CompiledTable(published)
    plan = compiled.plan(facts, profile)
    return {device: chosen[0].manifest for device in NAMES if (chosen := choose(plan, device))}


@given(st.integers(0, BUCKETS), st.integers(0, BUCKETS))
@settings(max_examples=40)
def test_growing_a_share_only_adds_devices(one: int, other: int) -> None:
    small, large = sorted((one, other))
    assert offered(table([entry(share=small)]), {}).keys() <= offered(table([entry(share=large)]), {}).keys()


def test_a_share_of_none_and_of_all() -> None:
    assert not offered(table([entry(share=0)]), {})
    assert offered(table([entry(share=BUCKETS)]), {}).keys() == set(NAMES)


def test_the_newer_release_goes_first_and_the_older_serves_the_rest() -> None:
    new, old = entry(version="2.0.0", release=2, share=BUCKETS // 3), entry(version="1.0.0", release=1)
    found = offered(table([new, old]), {})
    assert found.keys() == set(NAMES)
    assert set(found.values()) == {new.manifest, old.manifest}
    assert {device for device, manifest in found.items() if manifest == new.manifest} == set(offered(table([new]), {}))


def test_a_device_of_the_new_cohort_is_not_offered_the_old_version_back() -> None:
    new, old = entry(version="2.0.0", release=2, share=BUCKETS // 3), entry(version="1.0.0", release=1)
    has_new = {"camera/digits": short_digest(new.manifest)}
    found = offered(table([new, old]), has_new)
    assert set(found) == set(NAMES) - set(offered(table([new]), {}))  # a rollback for those who should not have it
    assert set(found.values()) == {old.manifest}


def test_while_paused_the_cohort_keeps_what_it_has() -> None:
    new, old = entry(version="2.0.0", release=2, share=BUCKETS // 3, paused=True), entry(version="1.0.0", release=1)
    cohort = set(offered(table([entry(version="2.0.0", release=2, share=BUCKETS // 3)]), {}))
    for profile in ({}, {"camera/digits": short_digest(new.manifest)}, {"camera/digits": bytes(12)}):
        found = offered(table([new, old]), profile)
        assert set(found) == set(NAMES) - cohort
        assert set(found.values()) == {old.manifest}


def test_the_same_manifest_released_twice_is_not_offered_to_who_has_it() -> None:
    again = [entry(release=2, share=BUCKETS // 2), entry(release=1)]
    assert not offered(table(again), {"camera/digits": short_digest(again[0].manifest)})


def test_facts_of_another_type_do_not_match() -> None:
    numbered = entry(rule={"fact": "age", "in": ["30"]})
    for age in (30, 30.0, True, None):
        assert not offered(table([numbered]), {}, {"app_version": "1.0.0", "age": age})
    assert offered(table([numbered]), {}, {"app_version": "1.0.0", "age": "30"})


def test_kinds_of_devices_do_not_fill_memory() -> None:
    """Facts are claims: a hostile device may invent a new one each time."""
    compiled = CompiledTable(table([entry()]))
    for number in range(25_000):
        compiled.plan({"app_version": f"9.{number}"}, {})
    assert len(compiled._eligible) <= 10_000
    assert compiled.plan(FIRST, {})


def test_removals_come_in_the_order_of_the_profile_and_only_for_what_is_there() -> None:
    compiled = CompiledTable(table([], removals=["a/b", "c/d", "e/f"]))
    assert compiled.plan({}, {"e/f": bytes(12), "x/y": bytes(12), "a/b": bytes(12)}).removals == ("e/f", "a/b")
    assert not compiled.plan({}, {"x/y": bytes(12)})
