"""The device client of `walle.device` for `walle conformance`: the contract is in docs/conformance.md.

    walle conformance "python examples/conformance/client.py"

Its command line is the contract already; what is added here is inputs for the tasks, and answers to the vectors.
"""

from __future__ import annotations

import json
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any

from walle.device import __main__ as device
from walle.device.link.backoff import CheckInPacer
from walle.device.link.cloud import read_answer
from walle.device.updates.verify import Sizes, check_assignment, check_manifest, check_variant
from walle.protocol import deferrals, headers, tunnel_frames
from walle.protocol.compression import Dictionary, decompress
from walle.protocol.documents import Assignment, Manifest
from walle.protocol.errors import ProtocolError
from walle.protocol.signing import TrustedRoots, utc
from walle.protocol.tunnel_messages import MAX_VALUES, read_values
from walle.release.cohort import Cohort, device_point

Question = dict[str, Any]
Answer = dict[str, Any]
TASKS = ("conformance/probe", "conformance/other")


def main() -> int:
    if "--vectors" in sys.argv[1:]:
        for line in sys.stdin:
            print(json.dumps(answer(json.loads(line))), flush=True)
        return 0
    sys.argv += [word for task in TASKS for word in ("--inputs", f"{task}=random")]
    return device.main()


def answer(question: Question) -> Answer:
    """What our code makes of a vector."""
    read = READERS.get(question["file"])
    if read is None:
        return {"unsupported": True}
    try:
        return read(question)
    except ProtocolError as error:
        return {"error": error.code}


def read_header(question: Question) -> Answer:
    raw = question["raw"].encode("latin-1")
    read = HEADER_READERS.get(question["header"])
    return {"value": read(raw)} if read else {"unsupported": True}


def plain_app(said: headers.AppHeader) -> Answer:
    return {"app": said.app, "facts": dict(said.facts)}


def read_retry_after(raw: bytes) -> float | None:
    import httpx

    return read_answer(httpx.Headers({headers.RETRY_AFTER: raw.decode("latin-1")})).retry_after


def plain_deferral(said: deferrals.Deferral | None) -> Answer | None:
    return {**said._asdict(), "due": sorted(said.due)} if said else None


def plain(offer: headers.Offer) -> Answer:
    coded = {"assignment": b64encode(offer.assignment).decode(), "signature": b64encode(offer.signature).decode()}
    return {**offer.__dict__, **coded, "digest": offer.digest.hex() if offer.digest else None}


HEADER_READERS: dict[str, Callable[[bytes], Any]] = {
    headers.DEVICE: lambda raw: headers.read_device(raw)._asdict(),
    headers.APP: lambda raw: plain_app(headers.read_app(raw)),
    headers.PROFILE: lambda raw: {task: digest.hex() for task, digest in headers.read_profile(raw).items()},
    headers.OFFERS: lambda raw: [plain(offer) for offer in headers.read_offers(raw)],
    deferrals.DEFERRAL: lambda raw: plain_deferral(deferrals.read_deferral(raw)),
    headers.RETRY_AFTER: read_retry_after,
}


def roots_of(question: Question) -> TrustedRoots:
    return TrustedRoots(json.dumps(question["root"]).encode())


def read_envelope(question: Question) -> Answer:
    payload = roots_of(question).verify(question["kind"], json.dumps(question["envelope"]).encode())
    return {"payload": b64encode(payload).decode()}


def walk_roots(question: Question) -> Answer:
    trusted = TrustedRoots(json.dumps(question["first"]).encode())
    try:
        for root in question["next"]:
            trusted.update(json.dumps(root).encode())
        if "now" in question:
            trusted.check_expiry(utc(question["now"]))
    except ProtocolError as error:
        return {"version": trusted.version, "error": error.code}
    return {"version": trusted.version}


def read_assignment(question: Question) -> Answer:
    (offer,) = headers.read_offers(question["offer"].encode())
    known = {name: question[name] for name in ("app", "highest", "now")}
    check_assignment(offer, roots_of(question), **known)
    return {}


def read_manifest(question: Question) -> Answer:
    assignment = Assignment("shop", question["task"], "install", question["digest"], 17, 0)
    check_manifest(json.dumps(question["envelope"]).encode(), assignment, roots_of(question), Sizes())
    return {}


def read_variant(question: Question) -> Answer:
    manifest = Manifest.from_payload(b64decode(question["manifest"]["payload"]))
    variant = check_variant(question["header"], manifest, question["path"], roots_of(question), Sizes())
    return {"value": {"digest": variant.digest, "size": variant.size, "key": variant.key}}


def draw(question: Question) -> Answer:
    cohort = Cohort(bytes.fromhex(question["salt_hex"]))
    return {"bucket": cohort.bucket(device_point(question["device"]))}


def wait(question: Question) -> Answer:
    """The bounds of the wait: what comes of the least and of the greatest random number."""
    least, most = (round(_wait(question, number)) for number in (0.0, 1.0))
    return {"value": {"least": least, "most": most}}


def _wait(question: Question, number: float) -> float:
    pacer = CheckInPacer(interval=question["interval"], randomness=lambda: number)
    for _ in range(question["failures"]):
        pacer.failed(0.0, question["retry_after"])
    if not question["failures"]:
        pacer.answered(0.0, question["retry_after"])
    return pacer.wait(0.0)


def read_frame(question: Question) -> Answer:
    if question["side"] == "device":
        return {"message_hex": tunnel_frames.write_frame(frame_of(dict(question["frame"]))).hex()}
    frame = tunnel_frames.read_cloud_frame(bytes.fromhex(question["message_hex"]))
    fields = {
        f"{name}_hex" if isinstance(value, bytes) else name: value.hex() if isinstance(value, bytes) else value
        for name, value in frame._asdict().items()
    }
    return {"value": {"frame": type(frame).__name__, **fields}}


def frame_of(said: Answer) -> tunnel_frames.Frame:
    made = getattr(tunnel_frames, said.pop("frame"))
    fields = {
        name.removesuffix("_hex"): bytes.fromhex(value) if name.endswith("_hex") else value
        for name, value in said.items()
    }
    return made(**fields)


def read_body(question: Question) -> Answer:
    dictionary = Dictionary(b64decode(question["dictionary"]))
    body = b64decode(question["body"])
    return {"value": read_values(decompress(question["encoding"], body, dictionary, MAX_VALUES))}


READERS: dict[str, Callable[[Question], Answer]] = {
    "headers.json": read_header,
    "envelopes.json": read_envelope,
    "roots.json": walk_roots,
    "assignments.json": read_assignment,
    "manifests.json": read_manifest,
    "variants.json": read_variant,
    "cohort.json": draw,
    "waits.json": wait,
    "frames.json": read_frame,
    "bodies.json": read_body,
}

if __name__ == "__main__":
    sys.exit(main())
