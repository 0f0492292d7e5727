"""The HTTP endpoints of the simulated cloud."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from walle.protocol import headers as wire
from walle.protocol.errors import CredentialRefused, HeaderMalformed

if TYPE_CHECKING:
    from walle.conformance.client.repository import RecordedRequest, ReferenceRepository

Send = Callable[[dict[str, Any]], Awaitable[None]]
_PREFIX: Final = "/walle/v1"
_FUTURE: Final = {"walle_future": '"x";of="a later version"'}


class Refused(Exception):
    """The request is refused with a status and a code."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(code)
        self.status, self.code = status, code


async def answer(repository: ReferenceRepository, scope: dict[str, Any], receive: Any, send: Send) -> None:
    from walle.conformance.client.repository import RecordedRequest

    headers = {name.decode(): value.decode("latin-1") for name, value in scope["headers"]}
    request = RecordedRequest(scope["path"], headers, await _body(receive), time.monotonic())
    repository.requests.append(request)
    path = request.path.removeprefix(_PREFIX)
    if repository.status is not None:
        return await _send(send, repository.status, b"")
    if any(path.endswith(hidden) for hidden in repository.hidden):
        return await _send(send, 404, b"", walle_error="artifact-missing")
    for beginning, (status, extra) in repository.failures.items():
        if path.startswith(beginning):
            return await _send(send, status, b"", **extra)
    for beginning, gate in repository.gates.items():
        if path.startswith(beginning) and not beginning.startswith("/artifacts"):
            gate.arrived.set()
            await gate.open.wait()
    try:
        await _ROUTES.get(path.split("/")[1], _business)(repository, path, request, send)
    except Refused as refused:
        await _send_problem(send, refused)


async def _body(receive: Any) -> bytes:
    data: bytes = b""
    while True:
        message = await receive()
        data += message.get("body", b"")
        if not message.get("more_body"):
            return data


async def _send(send: Send, status: int, body: bytes, **headers: str) -> None:
    await _start(send, status, {"content-length": str(len(body)), **headers})
    await send({"type": "http.response.body", "body": body})


async def _start(send: Send, status: int, headers: Mapping[str, str]) -> None:
    lines = [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": lines})


async def _send_problem(send: Send, refused: Refused) -> None:
    title = HTTPStatus(refused.status).phrase
    problem = {"type": "about:blank", "title": title, "status": refused.status, "code": refused.code, "detail": title}
    body = json.dumps(problem).encode()
    more = {"content_type": "application/problem+json", "cache_control": "no-store", "walle_error": refused.code}
    await _send(send, refused.status, body, **more)


def who(repository: ReferenceRepository, headers: Mapping[str, str]) -> str:
    try:
        wire.read_app(headers.get("walle-app", "").encode("latin-1"))
        device = wire.read_device(headers.get("walle-device", "").encode("latin-1"))
    except HeaderMalformed as error:
        repository.malformed.append(str(error))
        raise Refused(400, error.code) from error
    if device.device in repository.revoked:
        raise Refused(401, "device-revoked")
    try:
        repository.keyring.read_credential(device.credential, device.device, repository.clock())
    except CredentialRefused as error:
        raise Refused(401, error.code) from error
    return device.device


async def _check_in(repository: ReferenceRepository, path: str, request: RecordedRequest, send: Send) -> None:
    await _send(send, 204, b"", **_check_in_headers(repository, request.headers))


async def _business(repository: ReferenceRepository, path: str, request: RecordedRequest, send: Send) -> None:
    """Answer any other path as a request of the app's own that carries the check-in."""
    try:
        extra = _check_in_headers(repository, request.headers) if "walle-device" in request.headers else {}
    except Refused as refused:
        extra = {"walle_error": refused.code}
    await _send(send, 200, b"business", **extra)


def _check_in_headers(repository: ReferenceRepository, headers: Mapping[str, str]) -> dict[str, str]:
    device = who(repository, headers)
    try:
        profile = wire.read_profile(headers.get("walle-profile", "").encode("latin-1"))
    except HeaderMalformed as error:
        repository.malformed.append(str(error))
        raise Refused(400, error.code) from error
    answer = dict(_FUTURE) if repository.future else {}
    if repository.retry_after is not None:
        answer["walle_retry_after"] = str(repository.retry_after)
    if offers := repository.offers(device, profile):
        answer["walle_offers"] = repository.rewrite(wire.write_offers(offers))
    return answer


async def _enrol(repository: ReferenceRepository, path: str, request: RecordedRequest, send: Send) -> None:
    body = json.loads(request.body)
    if "statement" in body:
        payload = json.loads(base64.b64decode(body["statement"]["payload"]))
        device, facts = payload["device"], payload["facts"]
    elif body.get("key") != "app-key":
        raise Refused(403, "app-key-refused")
    else:
        device, facts = _known(repository, body) or f"device-{next(repository.new_ids)}", None
    expires = int(repository.clock()) + 86400
    answer: dict[str, Any] = {
        "device": device,
        "credential": repository.keyring.issue_credential(device, expires, facts),
    }
    if repository.interval is not None:
        answer |= {"expires": expires, "interval": repository.interval}
    if repository.future:
        answer["future"] = {"is": "ignored"}
    await _send(send, 200, json.dumps(answer).encode(), content_type="application/json")


def _known(repository: ReferenceRepository, body: Mapping[str, Any]) -> str | None:
    device, credential = body.get("device"), body.get("credential")
    known = device and credential and repository.keyring.proves_identity(credential, device)
    return str(device) if known else None


async def _report(repository: ReferenceRepository, path: str, request: RecordedRequest, send: Send) -> None:
    who(repository, request.headers)
    received = json.loads(request.body)["reports"]
    if repository.poison & {report["id"] for report in received}:
        raise Refused(400, "body-malformed")
    known = {report["id"] for report in repository.reports}
    accepted = [report for report in received if report["id"] not in repository.rejected]
    repository.reports += [report for report in accepted if report["id"] not in known]
    rejected = [{"id": r["id"], "code": repository.rejected[r["id"]]} for r in received if r not in accepted]
    answer = {"accepted": [report["id"] for report in accepted], "rejected": rejected}
    await _send(send, 200, json.dumps(answer).encode(), content_type="application/json")


async def _root(repository: ReferenceRepository, path: str, request: RecordedRequest, send: Send) -> None:
    root = repository.roots.get(int(path.split("/")[2].removesuffix(".json")))
    if root is None:
        raise Refused(404, "root-unknown")
    await _send(send, 200, root)


async def _artifact(repository: ReferenceRepository, path: str, request: RecordedRequest, send: Send) -> None:
    data = repository.blobs.get(path.split("/")[2])
    if data is None:
        raise Refused(404, "artifact-missing")
    await _send_range(repository, data, f'"{path.split("/")[2]}"', request, send)


async def _exclusive(repository: ReferenceRepository, path: str, request: RecordedRequest, send: Send) -> None:
    token, _, file = path.removeprefix("/exclusive/").partition("/")
    device, manifest = token.rsplit(".", 1)
    found = repository.variant(device, manifest, file)
    if found is None:
        raise Refused(404, "variant-missing")
    data, statement = found
    extra = {} if statement is None else {"walle_variant": statement}
    await _send_range(repository, data, '"variant"', request, send, **extra)


async def _send_range(
    repository: ReferenceRepository, data: bytes, etag: str, request: RecordedRequest, send: Send, **extra: str
) -> None:
    start, range_header = 0, request.headers.get("range", "")
    if repository.ranges and range_header.startswith("bytes=") and request.headers.get("if-range") == etag:
        start = int(range_header.removeprefix("bytes=").removesuffix("-"))
        if start >= len(data):
            raise Refused(416, "range-not-satisfiable")
        extra["content_range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
    body = data[start:]
    await _start(send, 206 if start else 200, {"content-length": str(len(body)), "etag": etag, **extra})
    gate = next((gate for path, gate in repository.gates.items() if request.path.startswith(_PREFIX + path)), None)
    if gate is not None and len(body) > 1:
        await send({"type": "http.response.body", "body": body[: len(body) // 2], "more_body": True})
        repository.served.append((request.path, start, len(body) // 2))
        start, body = start + len(body) // 2, body[len(body) // 2 :]
        gate.arrived.set()
        await gate.open.wait()
    cut = repository.cuts.pop(0) if repository.cuts and repository.cuts[0] < len(body) else repository.cut
    sent = body if cut is None else body[:cut]
    repository.served.append((request.path, start, len(sent)))
    await send({"type": "http.response.body", "body": sent, "more_body": len(sent) < len(body)})
    if len(sent) < len(body):
        raise ConnectionAbortedError("cut off, as asked")


_ROUTES: Final[Mapping[str, Callable[..., Awaitable[None]]]] = {
    "checkin": _check_in,
    "enrol": _enrol,
    "reports": _report,
    "roots": _root,
    "artifacts": _artifact,
    "exclusive": _exclusive,
}
