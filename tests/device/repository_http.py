"""The HTTP face of the repository simulator."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from walle.protocol import headers as wire
from walle.protocol.errors import CredentialRefused

if TYPE_CHECKING:
    from tests.device.repository import Repository

PREFIX = "/walle/v1"


async def answer(repository: Repository, scope: dict[str, Any], receive: Any, send: Any) -> None:
    path = scope["path"].removeprefix(PREFIX)
    headers = {name.decode(): value.decode("latin-1") for name, value in scope["headers"]}
    repository.requests.append((scope["path"], headers))
    body = await _body(receive)
    if repository.status is not None:
        return await _send(send, repository.status, b"")
    if any(path.endswith(hidden) for hidden in repository.hidden):
        return await _send(send, 404, b"")
    first = path.split("/")[1]
    await _ROUTES.get(first, _business)(repository, path, headers, body, send)


async def _body(receive: Any) -> bytes:
    data = b""
    while True:
        message = await receive()
        data += message.get("body", b"")
        if not message.get("more_body"):
            return data


async def _send(send: Any, status: int, body: bytes, **headers: str) -> None:
    lines = {"content-length": str(len(body)), **{name.replace("_", "-"): value for name, value in headers.items()}}
    encoded = [(name.encode(), value.encode()) for name, value in lines.items()]
    await send({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": body})


def _who(repository: Repository, headers: dict[str, str]) -> str:
    device = wire.read_device(headers.get("walle-device", "").encode())
    if device.device in repository.revoked:
        error = CredentialRefused("revoked")
        error.code = "device-revoked"
        raise error
    repository.keyring.read_credential(device.credential, device.device, repository.clock())
    return device.device


async def _check_in(repository: Repository, path: str, headers: dict[str, str], body: bytes, send: Any) -> None:
    await _send(send, 204 if path == "/checkin" else 200, b"", **_check_in_headers(repository, headers))


async def _business(repository: Repository, path: str, headers: dict[str, str], body: bytes, send: Any) -> None:
    """Any other path is a request of the app's own, with the check-in riding on it."""
    extra = _check_in_headers(repository, headers) if "walle-device" in headers else {}
    await _send(send, 200, b"business", **extra)


def _check_in_headers(repository: Repository, headers: dict[str, str]) -> dict[str, str]:
    try:
        device = _who(repository, headers)
    except CredentialRefused as error:
        return {"walle_error": error.code}
    wire.read_app(headers["walle-app"].encode())
    profile = wire.read_profile(headers.get("walle-profile", "").encode())
    answer = {}
    if repository.retry_after is not None:
        answer["walle_retry_after"] = str(repository.retry_after)
    if offers := repository.offers(device, profile):
        answer["walle_offers"] = wire.write_offers(offers)
    return answer


async def _own_check_in(repository: Repository, path: str, headers: dict[str, str], body: bytes, send: Any) -> None:
    try:
        _who(repository, headers)
    except CredentialRefused as error:
        return await _send(send, 401, b"", walle_error=error.code)
    await _check_in(repository, path, headers, body, send)


async def _enrol(repository: Repository, path: str, headers: dict[str, str], body: bytes, send: Any) -> None:
    request = json.loads(body)
    if "statement" in request:
        payload = json.loads(__import__("base64").b64decode(request["statement"]["payload"]))
        device, facts = payload["device"], payload["facts"]
    elif request.get("key") != "app-key":
        return await _send(send, 403, b"", walle_error="app-key-refused")
    else:
        device, facts = _known(repository, request) or f"device-{next(repository.new_ids)}", {}
    expires = int(repository.clock()) + 86400
    credential = repository.keyring.issue_credential(device, expires, facts)
    await _send(send, 200, json.dumps({"device": device, "credential": credential}).encode())


def _known(repository: Repository, request: dict[str, Any]) -> str | None:
    device, credential = request.get("device"), request.get("credential")
    known = device and repository.keyring.proves_identity(credential, device)
    return device if known else None


async def _report(repository: Repository, path: str, headers: dict[str, str], body: bytes, send: Any) -> None:
    try:
        _who(repository, headers)
    except CredentialRefused as error:
        return await _send(send, 401, b"", walle_error=error.code)
    received = json.loads(body)["reports"]
    known = {report["id"] for report in repository.reports}
    taken = [report for report in received if report["id"] not in repository.rejected]
    repository.reports += [report for report in taken if report["id"] not in known]
    rejected = [{"id": r["id"], "code": repository.rejected[r["id"]]} for r in received if r not in taken]
    answer = {"accepted": [report["id"] for report in taken], "rejected": rejected}
    await _send(send, 200, json.dumps(answer).encode())


async def _root(repository: Repository, path: str, headers: dict[str, str], body: bytes, send: Any) -> None:
    root = repository.roots.get(int(path.split("/")[2].removesuffix(".json")))
    await _send(send, 200 if root else 404, root or b"")


async def _artifact(repository: Repository, path: str, headers: dict[str, str], body: bytes, send: Any) -> None:
    data = repository.blobs.get(path.split("/")[2])
    if data is None:
        return await _send(send, 404, b"")
    await _send_range(repository, data, f'"{path.split("/")[2]}"', headers, send)


async def _exclusive(repository: Repository, path: str, headers: dict[str, str], body: bytes, send: Any) -> None:
    token, _, file = path.removeprefix("/exclusive/").partition("/")
    device, manifest = token.rsplit(".", 1)
    found = repository.variant(device, manifest, file)
    if found is None:
        return await _send(send, 404, b"")
    data, statement = found
    await _send_range(repository, data, '"variant"', headers, send, walle_variant=statement)


async def _send_range(
    repository: Repository, data: bytes, etag: str, headers: dict[str, str], send: Any, **extra: str
) -> None:
    start = 0
    asked = headers.get("range", "")
    if repository.ranges and asked.startswith("bytes=") and headers.get("if-range") == etag:
        start = int(asked.removeprefix("bytes=").removesuffix("-"))
        extra["content_range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
    body = data[start:]
    lines = {"content-length": str(len(body)), "etag": etag, **extra}
    encoded = [(name.replace("_", "-").encode(), value.encode()) for name, value in lines.items()]
    await send({"type": "http.response.start", "status": 206 if start else 200, "headers": encoded})
    sent = body if repository.cut is None else body[: repository.cut]
    await send({"type": "http.response.body", "body": sent, "more_body": len(sent) < len(body)})
    if len(sent) < len(body):
        raise ConnectionAbortedError("cut off, as asked")


_ROUTES = {
    "checkin": _own_check_in,
    "enrol": _enrol,
    "reports": _report,
    "roots": _root,
    "artifacts": _artifact,
    "exclusive": _exclusive,
}
