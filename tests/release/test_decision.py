"""plan and choose against a reference that asks, for one device, every question in turn."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any
from zlib import crc32

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.release.tables import digest, entry, table
from tests.vectors.keys import NOW
from walle.protocol.documents import Assignment
from walle.protocol.headers import short_digest
from walle.protocol.kinds import knows
from walle.release.cohort import BUCKETS
from walle.release.decision import CompiledTable, choose
from walle.release.explain import explain_each
from walle.release.rules import uniform
from walle.release.table import Entry, Mode, Table

TASKS = ("camera/digits", "camera/faces", "shop/recommend")
VERSIONS = ("1.0.0", "1.1.0", "2.0.0")
APP_VERSIONS = ("1.0.0", "1.1.0", "2.0.0")
Facts = dict[str, Any]
Profile = dict[str, bytes]


Decided = tuple[set[str], set[int], dict[str, list[int]]]


def naive(table: Table, facts: Facts, profile: Profile, device: str) -> Decided:
    """What a device should give up, be offered and, per task, be held back from, newest first.

    From the words of docs/protocol.md alone, which give tasks no order among each other.
    """
    gives_up = {task for task in profile if task in table.removals}
    offered, held_back = set(), defaultdict(list)
    for task in {*profile, *(one.task for one in table.entries)}:
        installed = profile.get(task)
        is_withdrawn = any(installed == bytes.fromhex(bad)[:12] for name, bad in table.withdrawn if name == task)
        for one in table.entries:
            has_it = installed == bytes.fromhex(one.manifest)[:12]
            if one.task != task or facts.get(one.rule["fact"]) not in one.rule["in"]:
                continue
            if one.kind != "device" and facts.get(f"kind-{one.kind}") is not True:
                continue
            if not one.share and one.mode != Mode.KEEP:
                continue
            if one.mode == Mode.HOLD and is_withdrawn and not has_it:
                continue
            if has_it if one.mode == Mode.KEEP else bucket(one, device) < one.share:
                if one.mode == Mode.OFFER and not has_it:
                    offered.add(one.release)
                break
            if one.mode == Mode.OFFER and not has_it and bucket(one, device) >= BUCKETS - one.control:
                held_back[task].append(one.release)
        else:
            if is_withdrawn:
                gives_up.add(task)
    return gives_up, offered, held_back


def bucket(entry: Entry, device: str) -> int:
    factor, offset = int.from_bytes(entry.salt[:8], "big"), int.from_bytes(entry.salt[8:], "big")
    return (factor * crc32(device.encode()) + offset) % 2**64 // 2**32 * 1_000_000 // 2**32


def decide(table: Table, facts: Facts, profile: Profile, device: str) -> Decided:
    compiled = CompiledTable(table)
    plan = compiled.plan(facts, profile)
    choice = choose(plan, device)
    assert compiled.plan(facts, profile) == plan
    assert bool(plan) or not choice.changes
    offered = {change.release for change in choice.changes if isinstance(change, Entry)}
    gives_up = {*plan.removals, *(change for change in choice.changes if isinstance(change, str))}
    assert len(plan.removals) + len(choice.changes) == len(offered) + len(gives_up)
    for change in choice.changes:
        task, manifest = (change, None) if isinstance(change, str) else (change.task, change.manifest)
        signed = Assignment.from_payload(compiled.assignment(task, manifest).payload)
        assert (signed.task, signed.manifest, signed.number) == (task, manifest, table.number)
    for task in plan.removals:
        assert Assignment.from_payload(compiled.assignment(task, None).payload).action == "remove"
    held_back = defaultdict(list)
    for held in choice.held_back:
        held_back[held.task].append(held.release)
    return gives_up, offered, held_back


shares = st.one_of(st.sampled_from([0, 1, BUCKETS - 1, BUCKETS]), st.integers(0, BUCKETS))
rules = st.one_of(
    st.lists(st.sampled_from(APP_VERSIONS), min_size=1, max_size=3, unique=True).map(uniform),
    st.just({"fact": "region", "in": ["eu", ""]}),
    st.just({"fact": "age", "in": ["30"]}),
)
entries = st.builds(
    lambda task, version, rule, share, mode, control, kind: entry(
        task, version, rule=rule, share=share, mode=mode, control=min(control, BUCKETS - share), kind=kind
    ),
    st.sampled_from(TASKS[:2]),
    st.sampled_from(VERSIONS),
    rules,
    shares,
    st.sampled_from(Mode),
    st.sampled_from([0, 1, BUCKETS // 2, BUCKETS]),
    st.sampled_from(["device", "device", "pipeline", "model"]),
)
# Newest first, as tables are: each with a number, and thereby a salt, of its own.
releases = st.lists(entries, max_size=6).map(
    lambda found: [
        replace(one, release=len(found) - place, salt=entry(release=len(found) - place).salt)
        for place, one in enumerate(found)
    ]
)
facts = st.fixed_dictionaries(
    {"app_version": st.sampled_from(APP_VERSIONS)},
    optional={
        "region": st.sampled_from(["eu", "", "us", True, 1]),
        "age": st.sampled_from(["30", 30, 30.0, True]),
        "kind-pipeline": st.sampled_from([True, True, False, 1, "true"]),
        "kind-model": st.just(True),
        "kind-device": st.just(False),
    },
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


withdrawn = st.lists(
    st.builds(lambda task, version: (task, digest(f"{task} {version}")), *map(st.sampled_from, (TASKS, VERSIONS))),
    max_size=2,
    unique=True,
).map(tuple)


@settings(max_examples=400)
@given(releases, st.sampled_from([(), ("shop/recommend",), ("un/known",)]), withdrawn, facts, profiles, devices)
@example([], (), (), {"app_version": "1.0.0"}, {}, "device-1")
def test_decision_is_the_naive_one(
    entries: list[Entry],
    removals: tuple[str, ...],
    withdrawn: tuple[tuple[str, str], ...],
    facts: Facts,
    profile: Profile,
    device: str,
) -> None:
    removals = tuple(task for task in removals if task not in dict(withdrawn))
    published = table(entries, removals=removals, withdrawn=withdrawn)
    assert decide(published, facts, profile, device) == naive(published, facts, profile, device)


@settings(max_examples=200)
@given(releases, withdrawn, facts, profiles, devices, st.sampled_from(TASKS))
def test_the_explanation_is_the_decision(
    entries: list[Entry],
    withdrawn: tuple[tuple[str, str], ...],
    facts: Facts,
    profile: Profile,
    device: str,
    task: str,
) -> None:
    published = table(entries, withdrawn=withdrawn)
    gives_up, offered, held_back = naive(published, facts, profile, device)
    (found,) = explain_each(CompiledTable(published), facts, profile, device, [task], now=NOW)
    mine = {one.release for one in entries if one.task == task}
    assert (found.change == "install") == bool(offered & mine)
    assert (found.change == "remove") == (task in gives_up)
    assert {one.release for one in found.considered} == mine
    assert [one.release for one in found.considered if one.decides] == [found.release] * (found.release is not None)
    assert not offered & mine or {found.release} == offered & mine
    told = [one.release for one in found.considered if one.reason == "the device is held back as control"]
    assert set(told) >= set(held_back[task])
    strange = {one.release for one in entries if one.task == task and not knows(facts, one.kind)}
    assert {one.release for one in found.considered if "does not support tasks of the kind" in one.reason} == strange


FIRST: Facts = {"app_version": "1.0.0"}
NAMES = [f"device-{number}" for number in range(300)]


def offered(published: Table, profile: Profile, facts: Facts = FIRST) -> dict[str, str]:
    """Device to the manifest that it is offered."""
    compiled = CompiledTable(published)
    plan = compiled.plan(facts, profile)
    chosen = {device: choose(plan, device).changes for device in NAMES}
    return {device: changes[0].manifest for device, changes in chosen.items() if changes}


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
    new, old = entry(version="2.0.0", release=2, share=BUCKETS // 3, mode=Mode.HOLD), entry(version="1.0.0", release=1)
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


def test_who_has_the_version_of_a_release_that_ended_midway_keeps_it() -> None:
    ended, old = entry(version="2.0.0", release=2, share=1, mode=Mode.KEEP), entry(version="1.0.0", release=1)
    assert not offered(table([ended, old]), {"camera/digits": short_digest(ended.manifest)})
    assert set(offered(table([ended, old]), {}).values()) == {old.manifest}
    assert not offered(table([ended]), {})


def test_the_control_group_is_the_other_end_of_the_order_and_keeps_the_older_version() -> None:
    new = entry(version="2.0.0", release=2, share=BUCKETS // 4, control=BUCKETS // 4)
    plan = CompiledTable(table([new, entry(version="1.0.0", release=1)])).plan(FIRST, {})
    held_back = {device for device in NAMES if choose(plan, device).held_back}
    assert 50 < len(held_back) < 100
    assert all(choose(plan, device).changes[0].release == 1 for device in held_back)


def test_a_withdrawn_version_gives_way_to_the_one_before_or_is_removed() -> None:
    good, bad = entry(version="1.0.0"), digest("camera/digits 2.0.0")
    profile = {"camera/digits": short_digest(bad)}
    rolled_back = table([good], withdrawn=(("camera/digits", bad),))
    assert set(offered(rolled_back, profile).values()) == {good.manifest}
    alone = CompiledTable(table([], withdrawn=(("camera/digits", bad),)))
    assert choose(alone.plan({}, profile), "device-1").changes == ["camera/digits"]
    assert not alone.plan({}, {"camera/digits": short_digest(good.manifest)})


def test_a_paused_release_holds_no_device_to_a_withdrawn_version() -> None:
    paused, good = entry(version="3.0.0", release=3, mode=Mode.HOLD), entry(version="1.0.0", release=1)
    bad = digest("camera/digits 2.0.0")
    rolled_back = table([paused, good], withdrawn=(("camera/digits", bad),))
    assert set(offered(rolled_back, {"camera/digits": short_digest(bad)}).values()) == {good.manifest}
    assert not offered(rolled_back, {"camera/digits": short_digest(paused.manifest)})
    assert not offered(rolled_back, {})


@pytest.mark.parametrize(
    ("profile", "is_watched"), [({}, False), ("1.0.0", False), ("2.0.0", True), ("3.0.0", True), ("4.0.0", False)]
)
def test_who_has_a_version_in_a_release_or_a_withdrawn_one_is_watched(profile: Any, is_watched: bool) -> None:
    entries = [entry(version="3.0.0", release=3, share=1, observed=True), entry(version="1.0.0", release=1)]
    compiled = CompiledTable(table(entries, withdrawn=(("camera/digits", digest("camera/digits 2.0.0")),)))
    has = {"camera/digits": short_digest(digest(f"camera/digits {profile}"))} if profile else {}
    plan = compiled.plan(FIRST, has)
    assert plan.is_watched == is_watched
    assert bool(plan.withdrawn) == (profile == "2.0.0")


def test_removals_come_in_the_order_of_the_profile_and_only_for_what_is_there() -> None:
    compiled = CompiledTable(table([], removals=["a/b", "c/d", "e/f"]))
    assert compiled.plan({}, {"e/f": bytes(12), "x/y": bytes(12), "a/b": bytes(12)}).removals == ("e/f", "a/b")
    assert not compiled.plan({}, {"x/y": bytes(12)})


def test_a_kind_is_offered_only_to_devices_that_say_they_know_it() -> None:
    published = table([entry(version="2.0.0", release=2, kind="pipeline"), entry()])
    newer, older = (one.manifest for one in published.entries)
    assert set(offered(published, {}, FIRST).values()) == {older}
    assert set(offered(published, {}, {**FIRST, "kind-pipeline": True}).values()) == {newer}
    (told,) = explain_each(CompiledTable(published), FIRST, {}, "device-1", ["camera/digits"], now=NOW)
    assert [(one.release, one.reason) for one in told.considered] == [
        (2, "the device does not support tasks of the kind pipeline"),
        (1, "the device is selected"),
    ]


def test_bytecode_is_offered_only_to_devices_that_say_they_have_its_interpreter() -> None:
    published = table([entry(version="2.0.0", release=2, interpreter="cpython-312"), entry()])
    newer, older = (one.manifest for one in published.entries)
    assert set(offered(published, {}, FIRST).values()) == {older}
    assert set(offered(published, {}, {**FIRST, "interpreter": "cpython-311"}).values()) == {older}
    assert set(offered(published, {}, {**FIRST, "interpreter": "cpython-312"}).values()) == {newer}


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({}, "its bytecode is for cpython-312, and the device does not say its interpreter"),
        ({"interpreter": "cpython-311"}, "its bytecode is for cpython-312, and the device has cpython-311"),
        ({"interpreter": "cpython-312"}, "the device is selected"),
    ],
)
def test_it_is_explained_why_bytecode_is_not_offered(said: dict[str, str], reason: str) -> None:
    compiled = CompiledTable(table([entry(interpreter="cpython-312")]))
    (told,) = explain_each(compiled, {**FIRST, **said}, {}, "device-1", ["camera/digits"], now=NOW)
    assert [one.reason for one in told.considered] == [reason]


def test_a_device_is_in_all_its_lists_that_rules_ask_for() -> None:
    published = table([entry(release=number, rule={"list": name}) for number, name in ((2, "testers"), (1, "staff"))])
    lists = {"testers": ["both", "one"], "staff": ["both"], "unasked": ["both"]}
    compiled = CompiledTable(published, lists)
    assert compiled.lists_of("both") == {"testers", "staff"}
    assert compiled.lists_of("one") == {"testers"}
    assert compiled.lists_of("none") is None


@pytest.mark.parametrize(
    ("changes", "deferral", "change", "reason"),
    [
        ({"open_until": NOW - 1}, "", "none", "the device is selected, but its time window is closed"),
        ({"open_until": NOW}, "", "install", "the device is selected"),
        ({"defer_s": 60}, "in-call", "install", "the device is selected, and puts it off (in-call)"),
        ({}, "in-call", "install", "the device is selected"),
        (
            {"pace": 7}, "", "install",
            "the device is selected, and is offered it as far as the pace of 7 offers per second allows",
        ),
    ],
)  # fmt: skip
def test_an_explanation_says_what_stands_between_a_device_and_its_version(
    changes: dict[str, Any], deferral: str, change: str, reason: str
) -> None:
    compiled = CompiledTable(table([entry(**changes)]), offers=False)
    (told,) = explain_each(compiled, FIRST, {}, "device-1", ["camera/digits"], now=NOW, deferral=deferral)
    assert (told.change, told.considered[0].reason) == (change, reason)


def test_what_replaces_a_withdrawn_version_is_explained_without_window_pace_and_deferral() -> None:
    bad = digest("camera/digits 2.0.0")
    published = table([entry(open_until=NOW - 1, pace=1, defer_s=60)], withdrawn=(("camera/digits", bad),))
    having = {"camera/digits": short_digest(bad)}
    (told,) = explain_each(
        CompiledTable(published), FIRST, having, "device-1", ["camera/digits"], now=NOW, deferral="in-call"
    )
    assert (told.change, told.considered[0].reason) == ("install", "the device is selected")


def test_a_table_without_assignments_decides_the_same_and_offers_nothing() -> None:
    published = table([entry()])
    bare = CompiledTable(replace(published, assignments=()), offers=False)
    assert choose(bare.plan(FIRST, {}), "device-1") == choose(CompiledTable(published).plan(FIRST, {}), "device-1")
