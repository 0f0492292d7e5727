"""The table: written and read back, and every fault refused before a gateway could stumble over it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.protocol.strategies import json_values
from tests.release.tables import BASES, digest, entry, table
from tests.vectors import keys
from walle.protocol.canonical import canonical_json
from walle.protocol.documents import Assignment
from walle.protocol.errors import DocumentMalformed
from walle.protocol.signing import TrustedRoots, detached, sign
from walle.release.decision import CompiledTable, choose
from walle.release.rules import RuleMalformed
from walle.release.table import Bases, Mode, Table

TABLE = table(
    [
        entry(version="2.0.0", release=2, share=250_000, control=50_000, pace=200, observed=True, open_until=keys.NOW),
        entry(version="1.0.0", mode=Mode.HOLD),
        entry("shop/recommend", exclusive=True, rule={"fact": "region", "in": ["eu"]}, kind="pipeline"),
        entry("shop/rank", interpreter="cpython-312"),
    ],
    removals=["old/task"],
    withdrawn=(("camera/digits", digest("bad")),),
    bases={**BASES, "eu": Bases("https://cdn.eu.example", "https://eu.example/walle/v1")},
)
DOCUMENT = TABLE.to_dict()


def read(document: Any) -> CompiledTable:
    return CompiledTable(Table.from_payload(json.dumps(document).encode()))


def test_round_trip() -> None:
    assert Table.from_payload(canonical_json(DOCUMENT)) == TABLE
    assert read(DOCUMENT).table == TABLE


def test_the_kind_that_every_device_knows_is_not_written() -> None:
    assert [one.get("kind") for one in DOCUMENT["entries"]] == [None, None, "pipeline", None]
    assert read(_changed("entries", 0, {"kind": "device"})).table == TABLE


def test_no_interpreter_is_written_where_the_source_is_shipped() -> None:
    assert [one.get("interpreter", "source") for one in DOCUMENT["entries"]] == ["source"] * 3 + ["cpython-312"]


def test_an_empty_table_is_sound() -> None:
    assert not read(table().to_dict()).plan({}, {})


def test_every_target_has_one_assignment_that_verifies() -> None:
    trusted = TrustedRoots(keys.root(1, 1, "root-1"))
    found = {}
    for signed in TABLE.assignments:
        envelope = detached("assignment", signed.payload, signed.key_id, signed.signature)
        assignment = Assignment.from_payload(trusted.verify("assignment", envelope))
        found[assignment.task, assignment.manifest] = assignment
    assert len(found) == len(TABLE.assignments) == 6
    assert {assignment.number for assignment in found.values()} == {17}
    assert {assignment.app for assignment in found.values()} == {"shop"}
    assert found["old/task", None].action == found["camera/digits", None].action == "remove"


def test_entries_of_one_manifest_share_its_assignment() -> None:
    assert len(table([entry(release=1), entry(release=2)]).assignments) == 1


def test_a_table_signed_again_says_the_same() -> None:
    assert TABLE.signed(keys.signer("timestamp-1"), keys.NOW + 7 * 86_400) == TABLE


def test_unknown_members_are_ignored_everywhere() -> None:
    document = json.loads(json.dumps(DOCUMENT)) | {"future": 1}
    for place in (document["bases"][""], document["entries"][0], document["assignments"][0]):
        place["future"] = {"a": 1}
    assert read(document).table == TABLE


WRONG: dict[str, list[Any]] = {
    "type": ["walle-manifest", None, 1],
    "format": [2, "1", True],
    "app": ["Shop", None, "a" * 41],
    "number": [0, -1, "17", 1.5, True, None],
    "published": ["now", None, 1.5],
    "interval": [0, -5, "60", None],
    "bases": [[], None, {}, {"eu": DOCUMENT["bases"]["eu"]}, {"": None}, {"": {"shared": "x"}}, {"": {"shared": 1}}],
    "entries": [{}, None, [None], [[]], ["x"]],
    "removals": [{}, None, [1], ["digits"], [["old/task"]]],
    "withdrawn": [{}, None, [1], [["old/task"]], [["old/task", "ab"]], [["task", digest("a")]], [[1, digest("a")]]],
    "assignments": [{}, None, [None], [], [{"payload": "e30=", "signature": "", "key_id": "k"}]],
}
WRONG_ENTRY: dict[str, list[Any]] = {
    "release": ["1", None, True],
    "stage": ["1", None],
    "task": ["digits", None, 1],
    "manifest": ["ab", None, digest("another")],
    "envelope_digest": ["ab", None],
    "envelope_size": [-1, "1", None, 1.5],
    "exclusive": [1, None, "yes"],
    "rule": [None, [], {}, {"fact": "a", "in": []}],
    "share": [-1, 1_000_001, "1", None, 0.5, True],
    "salt": ["", "ab", "zz" * 16, "ab" * 65, None, 7],
    "mode": ["stop", None, 1],
    "control": [-1, 750_001, "1", None],
    "pace": [0, -1, "1", 1.5, True],
    "observed": [None, 0, "no"],
    "open_until": [-1, "now", 1.5],
    "kind": [None, "", "No kind", 1, ["device"]],
    "interpreter": [None, "", "CPython 3.12", 312, ["cpython-312"]],
}
WRONG_BASE = ['https://a.example/"x', "https://a.example/\\", "https://ä.example", "a b", "", "x" * 401, None, 1]
WRONG_ASSIGNMENT: dict[str, list[Any]] = {"payload": ["", "?", None, 1], "signature": ["?", None], "key_id": [None, 1]}


def faults() -> list[Any]:
    cases: list[tuple[str, Any]] = []
    for name, values in WRONG.items():
        cases += [(f"{name}={value!r:.40}", DOCUMENT | {name: value}) for value in values]
    for name, values in WRONG_ENTRY.items():
        for value in values:
            cases.append((f"entry.{name}={value!r:.40}", _changed("entries", 0, {name: value})))
    for name, values in WRONG_ASSIGNMENT.items():
        for value in values:
            cases.append((f"assignment.{name}={value!r:.40}", _changed("assignments", 0, {name: value})))
    for value in WRONG_BASE:
        bases = {"": {"shared": value, "exclusive": "https://shop.example"}}
        cases.append((f"base={value!r:.40}", DOCUMENT | {"bases": bases}))
    for names in (DOCUMENT, DOCUMENT["entries"][0]):
        for name in sorted(names.keys() - {"pace", "open_until"}):
            whole = names is DOCUMENT
            cases.append((f"without {name}", _without(name) if whole else _changed("entries", 0, {}, drop=name)))
    return [pytest.param(document, id=name) for name, document in cases]


def _without(name: str) -> dict[str, Any]:
    return {key: value for key, value in DOCUMENT.items() if key != name}


def _changed(name: str, position: int, change: dict[str, Any], drop: str | None = None) -> dict[str, Any]:
    items = list(DOCUMENT[name])
    items[position] = {key: value for key, value in {**items[position], **change}.items() if key != drop}
    return DOCUMENT | {name: items}


@pytest.mark.parametrize("document", faults())
def test_each_fault_is_refused_and_named(document: dict[str, Any]) -> None:
    with pytest.raises((DocumentMalformed, RuleMalformed), match="expected"):
        read(document)


@pytest.mark.parametrize(("name", "value"), [("share", 0), ("control", 0), ("envelope_size", 0), ("pace", 1)])
def test_the_least_that_a_number_may_be_is_taken(name: str, value: int) -> None:
    assert getattr(read(_changed("entries", 0, {name: value})).table.entries[0], name) == value


@pytest.mark.parametrize(
    "assignments",
    [
        TABLE.assignments[:-1],
        TABLE.assignments[1:],
        replace(TABLE, number=16).signed(keys.signer("timestamp-1"), 1).assignments,
        replace(TABLE, app="bank").signed(keys.signer("timestamp-1"), 1).assignments,
    ],
    ids=["one missing", "another missing", "of another number", "of another app"],
)
def test_assignments_that_do_not_belong_are_refused(assignments: Any) -> None:
    with pytest.raises(DocumentMalformed, match=r"table\.assignments"):
        CompiledTable(replace(TABLE, assignments=assignments))


def test_a_task_is_released_or_removed_but_not_both() -> None:
    with pytest.raises(DocumentMalformed, match="not both"):
        CompiledTable(table([entry()], removals=["camera/digits"]))


@settings(max_examples=150)
@given(st.data())
def test_one_value_replaced_by_any_json(data: st.DataObject) -> None:
    """Refused, or a table from which every check-in can be answered."""
    document = json.loads(json.dumps(DOCUMENT))
    place: Any = document
    while True:
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else list(range(len(place)))))
        if not isinstance(place[key], (dict, list)) or not place[key] or data.draw(st.booleans()):
            place[key] = data.draw(json_values)
            break
        place = place[key]
    try:
        compiled = read(document)
    except (DocumentMalformed, RuleMalformed):
        return
    plan = compiled.plan({"app_version": "1.0.0", "region": "eu"}, {"old/task": bytes(12)})
    for chosen in choose(plan, "device-1").changes:
        assert compiled.assignment(chosen.task, chosen.manifest)


@settings(max_examples=60)
@given(st.one_of(st.binary(max_size=60), json_values.map(lambda value: json.dumps(value).encode())))
@example(b"[" * 100_000)
@example(b'{"type":"walle-table","format":1}')
def test_arbitrary_bytes_are_malformed(payload: bytes) -> None:
    with pytest.raises(DocumentMalformed):
        Table.from_payload(payload)


def test_the_envelope_of_a_table_is_checked_against_the_assignments_role() -> None:
    trusted = TrustedRoots(keys.root(1, 1, "root-1"))
    envelope = sign("table", DOCUMENT, [keys.signer("timestamp-1")])
    assert Table.from_payload(trusted.verify("table", envelope)) == TABLE
