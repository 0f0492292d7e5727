"""Signed documents: fields and types; anything else is DocumentMalformed, whatever the bytes."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.protocol.strategies import json_values
from tests.vectors.documents import MANIFEST
from walle.protocol.canonical import canonical_json
from walle.protocol.documents import (
    MAX_FACTS_BYTES,
    Assignment,
    DocumentFields,
    FactsStatement,
    Manifest,
    Variant,
    is_digest,
)
from walle.protocol.errors import DocumentMalformed

ASSIGNMENT = Assignment("shop", "camera/digits", "install", "ab" * 32, 17, 1_800_003_600)
VARIANT = Variant("ab" * 32, "prefs.json", "18-29", "cd" * 32, 40)
FACTS = FactsStatement("shop", "device-1", {"age_band": "18-29", "vip": True, "score": 0.5}, 1_800_003_600)
KINDS: dict[type[Any], dict[str, Any]] = {
    Manifest: MANIFEST,
    Assignment: ASSIGNMENT.to_dict(),
    Variant: VARIANT.to_dict(),
    FactsStatement: FACTS.to_dict(),
}
every_kind = pytest.mark.parametrize(
    ("kind", "document"), KINDS.items(), ids=lambda value: getattr(value, "__name__", "")
)


@pytest.mark.parametrize("document", [ASSIGNMENT, VARIANT, FACTS], ids=lambda document: type(document).__name__)
def test_round_trip(document: Any) -> None:
    assert type(document).from_payload(canonical_json(document.to_dict())) == document


def test_manifest_keeps_its_bytes_and_what_it_does_not_know() -> None:
    payload = json.dumps(MANIFEST, indent=1).encode()
    manifest = Manifest.from_payload(payload)
    assert manifest.payload == payload
    assert manifest.name == "camera/digits"
    assert manifest.values["a field of the future"] == {"is": "ignored"}
    assert [entry.kind for entry in manifest.files] == ["shared", "shared", "exclusive"]
    assert manifest.files[2].template == "{age_band}"


def test_removal_has_no_manifest() -> None:
    removal = Assignment("shop", "camera/digits", "remove", None, 1, 2)
    assert Assignment.from_payload(canonical_json(removal.to_dict())) == removal
    named = removal.to_dict() | {"manifest": "not even a digest"}
    assert Assignment.from_payload(canonical_json(named)).manifest is None


@every_kind
def test_each_field_of_another_type_is_refused_or_ignored(kind: type[Any], document: dict[str, Any]) -> None:
    """By field: a required one is named in the refusal."""
    spare = {"a field of the future", "commit", "entry_point", "metrics", "trigger"}
    for name in document.keys() - spare:
        wrong = {"a": []} if not isinstance(document[name], dict) else [1]
        with pytest.raises(DocumentMalformed, match=name if name not in ("type", "format") else "expected"):
            kind.from_payload(canonical_json(document | {name: wrong}))
        without = {key: value for key, value in document.items() if key != name}
        with pytest.raises(DocumentMalformed):
            kind.from_payload(canonical_json(without))


@every_kind
@pytest.mark.parametrize("version", [True, 1.0, "1", 2, None])
def test_another_format_is_refused(kind: type[Any], document: dict[str, Any], version: object) -> None:
    with pytest.raises(DocumentMalformed, match="format 1"):
        kind.from_payload(canonical_json(document | {"format": version}))


@every_kind
@settings(max_examples=60)
@given(data=st.data())
def test_one_value_replaced_by_any_json_is_read_or_malformed(
    kind: type[Any], document: dict[str, Any], data: st.DataObject
) -> None:
    changed = json.loads(json.dumps(document))
    place: Any = changed
    while isinstance(place, (dict, list)) and place:
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else list(range(len(place)))))
        if not isinstance(place[key], (dict, list)) or not place[key] or data.draw(st.booleans()):
            place[key] = data.draw(json_values)
            break
        place = place[key]
    with contextlib.suppress(DocumentMalformed):
        kind.from_payload(json.dumps(changed).encode())


@pytest.mark.parametrize(
    ("value", "high", "expected"),
    [
        (0, None, "expected at least 1, found 0"),
        (0, 9, "expected 1 to 9, found 0"),
        (10, 9, "expected 1 to 9, found 10"),
    ],
)
def test_a_number_out_of_its_limits_is_refused_with_them(value: int, high: int | None, expected: str) -> None:
    with pytest.raises(DocumentMalformed, match=f"^table.interval: {expected}$"):
        DocumentFields("table", {"interval": value}).number("interval", 1, high)


def test_a_number_at_its_limits_is_read() -> None:
    fields = DocumentFields("table", {"low": 1, "high": 9})
    assert (fields.number("low", 1, 9), fields.number("high", 1, 9)) == (1, 9)


def test_a_field_of_another_type_is_refused_with_the_types_expected() -> None:
    fields = DocumentFields("manifest", {"commit": 5})
    with pytest.raises(DocumentMalformed, match=r"^manifest\.commit: expected str or null, found 5$"):
        fields.get("commit", (str, type(None)))


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60)
@given(payload=st.one_of(st.binary(max_size=60), json_values.map(lambda value: json.dumps(value).encode())))
@example(payload=b"[" * 100_000)
@example(payload=b"9" * 10_000)
@example(payload=b"\xff\xfe{\x00")
@example(payload=b'{"type":"walle-assignment","type":"walle-manifest"}')
def test_arbitrary_bytes_are_malformed(kind: type[Any], payload: bytes) -> None:
    with pytest.raises(DocumentMalformed):
        kind.from_payload(payload)


@pytest.mark.parametrize(
    "facts",
    [
        {"a": None},
        {"a": [1]},
        {"a": {}},
        {"a": float("nan")},
        {"a": float("inf")},
        {"a": "\0"},
        {"\0": 1},
        {"a": "\ud800"},
        {"a": "x" * MAX_FACTS_BYTES},
        {f"fact{number}": number for number in range(100)},
    ],
    ids=repr,
)
def test_facts_that_no_credential_can_carry_are_refused(facts: dict[str, Any]) -> None:
    """They came to light as an internal error, or as a credential that the server then refused itself."""
    with pytest.raises(DocumentMalformed, match=r"facts\.facts"):
        FactsStatement.from_payload(json.dumps(FACTS.to_dict() | {"facts": facts}).encode())


def test_the_largest_facts_are_accepted() -> None:
    facts = {"a": "x" * (MAX_FACTS_BYTES - len('{"a":""}'))}
    assert FactsStatement.from_payload(canonical_json(FACTS.to_dict() | {"facts": facts})).facts == facts


@pytest.mark.parametrize("value", ["", "a" * 63, "A" * 64, "g" * 64, "a" * 65, "a" * 63 + "\n", None, 7, b"a" * 64])
def test_what_is_no_digest(value: object) -> None:
    assert not is_digest(value)
