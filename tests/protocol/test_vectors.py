"""Our own code against the vectors that are published for SDKs, and the vectors against their generator."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest

from tests.vectors.generate import FILES, text_of
from tests.vectors.reports import RUNS, TUNNEL
from tests.vectors.tunnel import plain
from walle.conformance.vectors import FOLDER, load
from walle.device.link.backoff import CheckInPacer
from walle.device.link.cloud import read_answer
from walle.device.updates.verify import Sizes, check_assignment, check_manifest, check_variant
from walle.protocol import headers, tunnel_frames
from walle.protocol.canonical import CanonicalError, canonical_digest, canonical_json
from walle.protocol.compression import Dictionary, decompress
from walle.protocol.deferrals import read_deferral, write_deferral
from walle.protocol.documents import Assignment, Manifest
from walle.protocol.errors import HeaderMalformed, ProtocolError
from walle.protocol.reports import Report, ReportMalformed
from walle.protocol.signing import TrustedRoots, open_envelope, utc
from walle.protocol.tunnel_messages import MAX_VALUES, read_values

Vector = dict[str, Any]


def cases(name: str) -> list[Any]:
    """The vectors of a file, each with the members that surround them as its `given`."""
    content = load(name)
    vectors = content["vectors"] if isinstance(content, dict) else content
    given = content if isinstance(content, dict) else {}
    return [pytest.param(vector, given, id=str(vector["name"])) for vector in vectors]


def check(vector: Vector, attempt: Callable[[], Any]) -> Any:
    """What the attempt returns; it must be refused by the vector's code if there is one."""
    if "error" not in vector:
        return attempt()
    with pytest.raises(ProtocolError) as refusal:
        attempt()
    assert refusal.value.code == vector["error"], refusal.value
    return None


@pytest.mark.parametrize("name", FILES)
def test_the_generator_writes_the_files_that_are_published(name: str) -> None:
    assert text_of(name) == (FOLDER / name).read_text("ascii")


def test_no_file_is_without_a_generator() -> None:
    assert {path.name for path in FOLDER.glob("*.json")} == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_names_are_unique(name: str) -> None:
    content = load(name)
    lists = [each for each in content.values() if isinstance(each, list)] if isinstance(content, dict) else [content]
    for vectors in lists:
        names = [vector["name"] for vector in vectors if "name" in vector]
        assert len(set(names)) == len(names)


def header_cases() -> list[Any]:
    return [
        pytest.param(header, vector, id=f"{header} {number}")
        for header, vectors in load("headers.json").items()
        for number, vector in enumerate(vectors)
    ]


def _plain_offer(offer: headers.Offer) -> Vector:
    plain = dict(offer.__dict__)
    plain |= {name: b64encode(plain[name]).decode() for name in ("assignment", "signature")}
    return plain | {"digest": offer.digest.hex() if offer.digest else None}


def _plain_device(raw: bytes) -> Vector:
    header = headers.read_device(raw)
    return {"device": header.device, "credential": header.credential, "number": header.number}


def _plain_app(raw: bytes) -> Vector:
    header = headers.read_app(raw)
    return {"app": header.app, "facts": dict(header.facts)}


def _plain_deferral(raw: bytes) -> Vector | None:
    found = read_deferral(raw)
    return found and {**found._asdict(), "due": sorted(found.due)}


READ: dict[str, Callable[[bytes], Any]] = {
    "Walle-Device": _plain_device,
    "Walle-App": _plain_app,
    "Walle-Profile": lambda raw: {task: digest.hex() for task, digest in headers.read_profile(raw).items()},
    "Walle-Offers": lambda raw: [_plain_offer(offer) for offer in headers.read_offers(raw)],
    "Walle-Deferral": _plain_deferral,
    "Walle-Retry-After": lambda raw: read_answer({"Walle-Retry-After": raw.decode()}).retry_after,  # type: ignore[arg-type]
}
WRITE: dict[str, Callable[[bytes], str]] = {
    "Walle-Device": lambda raw: headers.write_device(headers.read_device(raw)),
    "Walle-Profile": lambda raw: headers.write_profile(headers.read_profile(raw)),
    "Walle-Deferral": lambda raw: write_deferral(*found) if (found := read_deferral(raw)) else "",
    "Walle-Offers": lambda raw: headers.write_offers(headers.read_offers(raw)),
}


@pytest.mark.parametrize(("vector", "given"), cases("waits.json"))
def test_wait(vector: Vector, given: Vector) -> None:
    for number, bound in ((0.0, "least"), (1.0, "most")):
        pacer = CheckInPacer(interval=vector["interval"], randomness=lambda number=number: number)  # type: ignore[misc]
        for _ in range(vector["failures"]):
            pacer.failed(0.0, vector["retry_after"])
        if not vector["failures"]:
            pacer.answered(0.0, vector["retry_after"])
        assert pacer.wait(0.0) == vector["value"][bound]


@pytest.mark.parametrize(("header", "vector"), header_cases())
def test_header(header: str, vector: Vector) -> None:
    raw = vector["raw"].encode("latin-1")
    value = check(vector, lambda: READ[header](raw))
    if "error" not in vector:
        assert value == vector["value"]
        assert list(value) == list(vector["value"]) if isinstance(value, dict) else True
        if header in WRITE:
            assert WRITE[header](raw) == vector["canonical"]


@pytest.mark.parametrize("vector", load("headers.json")["Walle-App"], ids=lambda vector: vector["raw"][:40])
def test_app_header_written_from_its_value_reads_the_same(vector: Vector) -> None:
    if "error" in vector:
        return
    facts = vector["value"]["facts"]
    if not all(str(fact).isascii() for fact in facts.values()):
        return
    written = headers.write_app(headers.AppHeader("shop", facts))
    assert headers.read_app(written.encode()).facts == facts
    if "@" not in vector["raw"]:
        assert written == vector["canonical"]


@pytest.mark.parametrize(("vector", "given"), cases("canonical.json"))
def test_canonical(vector: Vector, given: Vector) -> None:
    value = json.loads(vector["json"])
    if "error" in vector:
        with pytest.raises(CanonicalError):
            canonical_json(value)
        return
    assert canonical_json(value).decode() == vector["canonical"]
    assert canonical_digest(value) == vector["sha256"] == sha256(vector["canonical"].encode()).hexdigest()


def roots(given: Vector) -> TrustedRoots:
    return TrustedRoots(json.dumps(given["root"]).encode())


@pytest.mark.parametrize(("vector", "given"), cases("envelopes.json"))
def test_envelope(vector: Vector, given: Vector) -> None:
    envelope = json.dumps(vector["envelope"]).encode()
    payload = check(vector, lambda: roots(given).verify(vector["kind"], envelope))
    if "error" not in vector:
        assert payload == b64decode(vector["payload"])
        assert open_envelope(vector["kind"], envelope).pae().hex() == vector["pae_hex"]


def test_envelope_keys_sign_with_plain_ed25519() -> None:
    """Independently of securesystemslib: an SDK needs nothing but Ed25519 over the signing input."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    given = load("envelopes.json")
    ids = {key["key_id"]: key for key in given["keys"].values()}
    good = next(vector for vector in given["vectors"] if "error" not in vector)
    (signature,) = good["envelope"]["signatures"]
    key = ids[signature["keyid"]]
    private = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(key["seed"]))
    assert private.public_key().public_bytes_raw().hex() == key["public"]
    assert private.sign(bytes.fromhex(good["pae_hex"])) == b64decode(signature["sig"])


@pytest.mark.parametrize(("vector", "given"), cases("roots.json"))
def test_roots(vector: Vector, given: Vector) -> None:
    reached: list[TrustedRoots] = []

    def walk() -> None:
        reached.append(TrustedRoots(json.dumps(vector["first"]).encode()))
        for following in vector["next"]:
            reached[0].update(json.dumps(following).encode())
        if "now" in vector:
            reached[0].check_expiry(utc(vector["now"]))

    check(vector, walk)
    assert [trusted.version for trusted in reached] == ([vector["version"]] if "version" in vector else [])


@pytest.mark.parametrize(("vector", "given"), cases("assignments.json"))
def test_assignment(vector: Vector, given: Vector) -> None:
    (offer,) = headers.read_offers(vector["offer"].encode())
    trusted = roots(given)
    check(
        vector,
        lambda: check_assignment(offer, trusted, app=given["app"], highest=given["highest"], now=given["now"]),
    )


@pytest.mark.parametrize(("vector", "given"), cases("manifests.json"))
def test_manifest(vector: Vector, given: Vector) -> None:
    assignment = Assignment("shop", given["task"], "install", vector["digest"], 17, 0)
    envelope = json.dumps(vector["envelope"]).encode()
    manifest = check(vector, lambda: check_manifest(envelope, assignment, roots(given), Sizes()))
    if "error" not in vector:
        assert manifest.digest == vector["digest"]


@pytest.mark.parametrize(("vector", "given"), cases("variants.json"))
def test_variant(vector: Vector, given: Vector) -> None:
    in_order = next(v for v in load("manifests.json")["vectors"] if v["digest"] == given["manifest"])
    manifest = Manifest.from_payload(b64decode(in_order["envelope"]["payload"]))
    variant = check(vector, lambda: check_variant(vector["header"], manifest, given["path"], roots(given), Sizes()))
    if "error" not in vector:
        assert {name: getattr(variant, name) for name in vector["value"]} == vector["value"]


@pytest.mark.parametrize(("vector", "given"), cases("reports.json"))
def test_report(vector: Vector, given: Vector) -> None:
    value = vector["report"]
    if "error" not in vector:
        report = Report.from_dict(value).to_dict()
        runs, told = report.pop("runs") or {}, value.get("runs") or {}
        assert {name: report[name] for name in value if name in report and value[name] is not None} == {
            name: value[name] for name in value if name in report and value[name] is not None
        }
        tunnel, said = runs.pop("tunnel", None) or {}, told.get("tunnel") or {}
        assert tunnel == {name: said[name] for name in TUNNEL if name in said}
        assert {name for name in told if name in RUNS and told[name] is not None} <= runs.keys() <= RUNS.keys()
        assert all(told[name] == runs[name] for name in runs if told.get(name) is not None)
        return
    with pytest.raises(ReportMalformed) as refusal:
        Report.from_dict(value)
    assert refusal.value.code == vector["error"]
    assert str(refusal.value).startswith(vector["field"])


def frame_cases() -> list[Any]:
    return [
        pytest.param(side, vector, id=f"{side}: {vector['name']}")
        for side, vectors in load("frames.json").items()
        for vector in vectors
    ]


FRAME_READERS: dict[str, Callable[[bytes], tunnel_frames.Frame]] = {
    "device": tunnel_frames.read_device_frame,
    "cloud": tunnel_frames.read_cloud_frame,
}


@pytest.mark.parametrize(("side", "vector"), frame_cases())
def test_frame(side: str, vector: Vector) -> None:
    message = bytes.fromhex(vector["message_hex"])
    frame = check(vector, lambda: FRAME_READERS[side](message))
    if "error" not in vector:
        assert plain(frame) == vector["value"]
        assert tunnel_frames.write_frame(frame) == message


def test_each_frame_has_a_vector() -> None:
    named = {
        vector["value"]["frame"] for vectors in load("frames.json").values() for vector in vectors if "value" in vector
    }
    assert named == {frame.__name__ for frame in (tunnel_frames.DeviceFrame | tunnel_frames.CloudFrame).__args__}


@pytest.mark.parametrize(("vector", "given"), cases("bodies.json"))
def test_body(vector: Vector, given: Vector) -> None:
    dictionary = Dictionary(b64decode(given["dictionary"]))
    assert dictionary.digest.hex() == given["digest"]
    body = b64decode(vector["body"])
    values = check(vector, lambda: read_values(decompress(vector["encoding"], body, dictionary, MAX_VALUES)))
    if "error" not in vector:
        assert values == vector["value"]


def test_every_header_error_is_a_header_malformed() -> None:
    for _, vectors in load("headers.json").items():
        assert {vector["error"] for vector in vectors if "error" in vector} == {HeaderMalformed.code}


def test_the_readme_names_every_file() -> None:
    text = (FOLDER / "README.md").read_text()
    assert all(f"`{name}`" in text for name in FILES)
