"""Vectors of signed documents: envelopes, chains of roots, and what a device checks of offers, manifests, variants."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

from tests.vectors import keys
from tests.vectors.keys import NOW
from walle.protocol.canonical import canonical_digest, canonical_json
from walle.protocol.documents import Assignment, Variant, payload_type
from walle.protocol.headers import Offer, write_offers, write_variant
from walle.protocol.signing import detached, open_envelope, sign

Document = dict[str, Any]
_KEYS = ("root-1", "targets-1", "timestamp-1", "targets-2", "timestamp-2")

MANIFEST: Document = {
    "type": "walle-manifest",
    "format": 1,
    "scenario": "camera",
    "task": "digits",
    "version": "1.0.0",
    "commit": "0" * 40,
    "entry_point": "main:run",
    "inputs": {"image": {"type": "tensor", "dtype": "float32", "shape": [8, 8]}},
    "outputs": {"label": {"type": "integer", "min": 0, "max": 9}},
    "metrics": {},
    "trigger": {"every_s": 5},
    "limits": {"time_ms": 2000, "memory_mb": 256, "output_kb": 64},
    "requires": {},
    "files": [
        {"path": "main.py", "digest": "11" * 32, "size": 123, "kind": "shared"},
        {"path": "defaults/prefs.json", "digest": "22" * 32, "size": 2, "kind": "shared"},
        {"path": "prefs.json", "kind": "exclusive", "template": "{age_band}", "default": "defaults/prefs.json"},
    ],
    "a field of the future": {"is": "ignored"},
}
DIGEST = canonical_digest(MANIFEST)
_ASSIGNMENT = Assignment("shop", "camera/digits", "install", DIGEST, 17, NOW + 3600)
_VARIANT = Variant(DIGEST, "prefs.json", "18-29", "33" * 32, 40)
_TABLE: Document = {
    "type": "walle-table",
    "format": 1,
    "app": "shop",
    "number": 17,
    "published": NOW,
    "interval": 60,
    "bases": {"": {"shared": "https://cdn.example/walle/v1", "exclusive": "https://shop.example/walle/v1"}},
    "entries": [],
    "removals": [],
    "assignments": [],
}


def _root() -> Document:
    return _json(keys.root(1, 1, "root-1"))


def _json(data: bytes) -> Any:
    return json.loads(data)


def _signed(kind: str, document: Document | bytes, *names: str) -> bytes:
    return sign(kind, document, [keys.signer(name) for name in names])


def envelopes() -> Document:
    """Envelopes of each kind under one root; `kind` is what the receiver expects."""
    kinds = {
        "manifest": (MANIFEST, "targets-1", "timestamp-1"),
        "variant": (_VARIANT.to_dict(), "targets-1", "timestamp-1"),
        "assignment": (_ASSIGNMENT.to_dict(), "timestamp-1", "targets-1"),
        "table": (_TABLE, "timestamp-1", "targets-1"),
    }
    vectors = [vector for kind, case in kinds.items() for vector in _of_kind(kind, *case)]
    return {"keys": {name: keys.describe(name) for name in _KEYS}, "root": _root(), "vectors": vectors}


def _of_kind(kind: str, document: Document, right: str, wrong: str) -> list[Document]:
    good = _json(_signed(kind, document, right))
    payload = canonical_json(document)
    tampered = good | {"payload": _b64(payload.replace(b'"format":1', b'"format": 1'))}
    unsigned = good | {"signatures": []}
    claimed = _json(_signed(kind, document, wrong))
    claimed["signatures"][0]["keyid"] = good["signatures"][0]["keyid"]
    retyped = good | {"payloadType": payload_type("facts")}
    other = next(name for name in ("manifest", "assignment") if name != kind)
    cut = json.loads(json.dumps(good))
    cut["signatures"][0]["sig"] = cut["signatures"][0]["sig"][:40]
    return [
        _accepted(f"{kind}", kind, good, payload),
        _accepted(f"{kind}, signed by a stranger too", kind, _json(_signed(kind, document, right, "root-1")), payload),
        _accepted(f"{kind}, a member of the future", kind, good | {"future": 1}, payload),
        _refused(f"{kind} by the wrong role", kind, _json(_signed(kind, document, wrong)), "wrong-signature"),
        _refused(f"{kind} by an unknown key", kind, _json(_signed(kind, document, "targets-2")), "wrong-signature"),
        _refused(f"{kind} by another key under the right id", kind, claimed, "wrong-signature"),
        _refused(f"{kind}, tampered", kind, tampered, "wrong-signature"),
        _refused(f"{kind}, signature cut", kind, cut, "wrong-signature"),
        _refused(f"{kind}, unsigned", kind, unsigned, "unsigned"),
        _refused(f"{kind}, no envelope", kind, document, "unsigned"),
        _refused(f"{kind}, payload type changed", kind, retyped, "unsigned"),
        _refused(f"{kind} in place of {other}", other, good, "unsigned"),
    ]


def _accepted(name: str, kind: str, envelope: Document, payload: bytes) -> Document:
    pae = b"DSSEv1 %d %b %d %b" % (len(payload_type(kind)), payload_type(kind).encode(), len(payload), payload)
    return {"name": name, "kind": kind, "envelope": envelope, "payload": _b64(payload), "pae_hex": pae.hex()}


def _refused(name: str, kind: str, envelope: Document, error: str) -> Document:
    return {"name": name, "kind": kind, "envelope": envelope, "error": error}


def roots() -> list[Document]:
    """Chains: a device trusts `first`, is given each root of `next`, and ends at `version`, refusing the last."""
    first, second = keys.root(1, 1, "root-1"), keys.root(2, 2, "root-1", "root-2")
    third, fourth = keys.root(3, 3, "root-2", "root-3"), keys.root(4, 4, "root-3", "root-4")
    chains = [
        ("nothing new", 1, [], None),
        ("three rotations", 4, [second, third, fourth], None),
        ("the same keys again", 2, [keys.root(2, 1, "root-1")], None),
        ("the order of signatures means nothing", 2, [keys.root(2, 2, "root-2", "root-1")], None),
        ("overlapping root keys", 3, [_overlap(2), _overlap(3)], None),
        ("a version is skipped", 1, [third], "rolled-back"),
        ("the same version again", 1, [first], "rolled-back"),
        ("back to an older one", 2, [second, first], "rolled-back"),
        ("the old signature is missing", 1, [keys.root(2, 2, "root-2")], "wrong-signature"),
        ("the new signature is missing", 1, [keys.root(2, 2, "root-1")], "wrong-signature"),
        ("signed by other roles", 1, [keys.root(2, 2, "targets-1", "timestamp-1", "root-2")], "wrong-signature"),
        ("the third breaks the chain", 3, [second, third, keys.root(4, 4, "root-1", "root-4")], "wrong-signature"),
        ("tampered", 1, [second.replace(b"2100", b"2101")], "wrong-signature"),
        ("not a root", 1, [_signed("manifest", MANIFEST, "targets-1")], "document-malformed"),
        ("no JSON object", 1, [b'"root"'], "document-malformed"),
    ]
    vectors: list[Document] = [
        {"name": name, "first": _json(first), "next": [_json(root) for root in following], "version": version}
        | ({"error": error} if error else {})
        for name, version, following, error in chains
    ]
    unsigned = {"name": "the first does not sign itself", "first": _json(keys.root(1, 1, "root-2")), "next": []}
    expired = {"name": "expired", "first": _json(keys.root(1, 1, "root-1", expires=keys.PAST)), "next": []}
    return [*vectors, unsigned | {"error": "wrong-signature"}, expired | {"version": 1, "now": NOW, "error": "expired"}]


def _overlap(version: int) -> bytes:
    """A rotation as the server makes it: the new key, and the one before beside it."""
    names = (f"root-{version - 1}", f"root-{version}")
    return keys.root(version, version, *names, roots=names)


def assignments() -> Document:
    """Offers to a device of the app `shop` that has seen the number 17."""
    remove = Assignment("shop", "camera/digits", "remove", None, 17, NOW + 3600)
    cases: list[tuple[str, Assignment | bytes, dict[str, Any], str | None]] = [
        ("in order", _ASSIGNMENT, {}, None),
        ("an update", _ASSIGNMENT, {"action": "update"}, None),
        ("a removal", remove, {"action": "remove"}, None),
        ("a higher number", _with(number=18), {}, None),
        ("the last second", _with(expires=NOW), {}, None),
        ("within the tolerance of clocks", _with(expires=NOW - 300), {}, None),
        ("expired", _with(expires=NOW - 301), {}, "expired"),
        ("an old number", _with(number=16), {}, "rolled-back"),
        ("for another app", _with(app="bank"), {}, "mixed"),
        ("for another task", _with(task="camera/faces"), {}, "mixed"),
        ("a removal offered as an installation", remove, {}, "mixed"),
        ("an installation offered as a removal", _ASSIGNMENT, {"action": "remove"}, "mixed"),
        ("signed by the targets role", _ASSIGNMENT, {"signer": "targets-1"}, "wrong-signature"),
        ("signed by an old key", _ASSIGNMENT, {"signer": "timestamp-2"}, "wrong-signature"),
        ("the signature of another", _ASSIGNMENT, {"signature_of": _with(number=18)}, "wrong-signature"),
        ("a manifest as its digest only", _raw(manifest="11" * 31), {}, "document-malformed"),
        ("no manifest to install", _raw(manifest=None), {}, "document-malformed"),
        ("another action", _raw(action="update"), {}, "document-malformed"),
        ("a number in quotes", _raw(number="17"), {}, "document-malformed"),
        ("another format", _raw(format=2), {}, "document-malformed"),
        ("another type", _raw(type="walle-manifest"), {}, "document-malformed"),
        ("no JSON", b"camera/digits", {}, "document-malformed"),
        ("a field of the future", _raw(future=[1]), {}, None),
        ("expired, and of an old number", _with(number=1, expires=1), {}, "expired"),
        ("for another app, and expired", _with(app="bank", expires=1), {}, "mixed"),
    ]
    vectors = [_assignment(*case) for case in cases]
    return {"root": _root(), "app": "shop", "highest": 17, "now": NOW, "vectors": vectors}


def _with(**changes: Any) -> Assignment:
    return Assignment(**(_ASSIGNMENT.__dict__ | changes))


def _raw(**changes: Any) -> bytes:
    return canonical_json(_ASSIGNMENT.to_dict() | changes)


def _assignment(name: str, document: Assignment | bytes, how: dict[str, Any], error: str | None) -> Document:
    payload = document if isinstance(document, bytes) else canonical_json(document.to_dict())
    signed = how.get("signature_of", document)
    envelope = open_envelope("assignment", _signed("assignment", _payload(signed), how.get("signer", "timestamp-1")))
    (signature,) = envelope.signatures.values()
    action = how.get("action", "install")
    offer = Offer("camera/digits", action, payload, bytes.fromhex(signature.signature), signature.keyid, token="t")
    if action != "remove":
        offer = Offer(**(offer.__dict__ | {"url": "/walle/v1/artifacts/0", "digest": bytes(32), "size": 1}))
    return {"name": name, "offer": write_offers([offer])} | ({"error": error} if error else {})


def _payload(document: Assignment | bytes) -> bytes:
    return document if isinstance(document, bytes) else canonical_json(document.to_dict())


def manifests() -> Document:
    """Manifest envelopes fetched for one assignment, which names the manifest of the first vector."""

    def changed(**changes: Any) -> Document:
        return MANIFEST | changes

    def filed(*entries: Any) -> Document:
        return MANIFEST | {"files": list(entries)}

    main: Document = {"path": "main.py", "digest": "11" * 32, "size": 1, "kind": "shared"}
    prefs: Document = {"path": "prefs.json", "kind": "exclusive", "template": "{age_band}"}
    # name, document, digest that the assignment names (None: this very document's), signer, error
    cases: list[tuple[str, Document, str | None, str, str | None]] = [
        ("in order", MANIFEST, DIGEST, "targets-1", None),
        ("another version", changed(version="1.0.1"), DIGEST, "targets-1", "mixed"),
        ("another task", changed(task="faces"), None, "targets-1", "mixed"),
        ("signed by the timestamp role", MANIFEST, DIGEST, "timestamp-1", "wrong-signature"),
        ("no files at all", changed(files=[]), None, "targets-1", None),
        ("a path that leaves", filed(main | {"path": "../main.py"}), None, "targets-1", "document-malformed"),
        ("an absolute path", filed(main | {"path": "/main.py"}), None, "targets-1", "document-malformed"),
        ("a path with spaces", filed(main | {"path": "my main.py"}), None, "targets-1", "document-malformed"),
        ("a path of 201 characters", filed(main | {"path": "p" * 201}), None, "targets-1", "document-malformed"),
        ("a path twice", filed(main, main), None, "targets-1", "document-malformed"),
        ("a file as a folder", filed(main, main | {"path": "main.py/x"}), None, "targets-1", "document-malformed"),
        ("a file without a size", filed({**main, "size": None}), None, "targets-1", "document-malformed"),
        ("a negative size", filed(main | {"size": -1}), None, "targets-1", "document-malformed"),
        ("a size of true", filed(main | {"size": True}), None, "targets-1", "document-malformed"),
        ("an unknown kind", filed(main | {"kind": "secret"}), None, "targets-1", "document-malformed"),
        ("an exclusive file", filed(prefs), None, "targets-1", None),
        ("a template that is no text", filed(prefs | {"template": 1}), None, "targets-1", "document-malformed"),
        ("a default that is no text", filed(prefs | {"default": ["x"]}), None, "targets-1", "document-malformed"),
        ("a default that is not there", filed(prefs | {"default": "x"}), None, "targets-1", "document-malformed"),
        ("no limits", changed(limits=None), None, "targets-1", "document-malformed"),
        ("another type", changed(type="walle-variant"), None, "targets-1", "document-malformed"),
        ("of the kind that every device knows", changed(kind="device"), None, "targets-1", None),
        ("of a kind that no device knows", changed(kind="unheard-of"), None, "targets-1", "kind-unknown"),
        (
            "another task, of a kind that no device knows",
            changed(task="faces", kind="unheard-of"),
            None,
            "targets-1",
            "mixed",
        ),
        ("a kind that is no name", changed(kind="No kind"), None, "targets-1", "document-malformed"),
        ("a kind that is null", changed(kind=None), None, "targets-1", "document-malformed"),
    ]
    vectors = [
        {
            "name": name,
            "digest": assigned or canonical_digest(document),
            "envelope": _json(_signed("manifest", document, signer)),
        }
        | ({"error": error} if error else {})
        for name, document, assigned, signer, error in cases
    ]
    return {"root": _root(), "task": "camera/digits", "vectors": vectors}


def variants() -> Document:
    """`Walle-Variant` of the file `prefs.json` of one manifest."""

    def header(variant: Variant, signer: str = "targets-1") -> str:
        return write_variant(_signed("variant", variant.to_dict(), signer))

    def changed(**changes: Any) -> Variant:
        return Variant(**(_VARIANT.__dict__ | changes))

    good = header(_VARIANT)
    tampered = write_variant(_moved_signature(changed(key="30-49")))
    cases = [
        ("in order", good, None),
        ("of another manifest", header(changed(manifest="44" * 32)), "mixed"),
        ("of another path", header(changed(path="main.py")), "mixed"),
        ("signed by the timestamp role", header(_VARIANT, "timestamp-1"), "wrong-signature"),
        ("tampered", tampered, "wrong-signature"),
        ("no signature", good[: good.index(";s=")], "header-malformed"),
        ("no header", None, "unsigned"),
        ("an empty header", "", "header-malformed"),
        ("a digest cut short", header(changed(digest="33" * 31)), "document-malformed"),
    ]
    value = {"digest": _VARIANT.digest, "size": _VARIANT.size, "key": _VARIANT.key}
    vectors = [
        {"name": name, "header": text} | ({"error": error} if error else {"value": value})
        for name, text, error in cases
    ]
    return {"root": _root(), "manifest": DIGEST, "path": "prefs.json", "vectors": vectors}


def _moved_signature(variant: Variant) -> bytes:
    """Another document under the signature of the good one."""
    good = open_envelope("variant", _signed("variant", _VARIANT.to_dict(), "targets-1"))
    (signature,) = good.signatures.values()
    payload = canonical_json(variant.to_dict())
    return detached("variant", payload, signature.keyid, bytes.fromhex(signature.signature))


def _b64(data: bytes) -> str:
    return b64encode(data).decode()
