"""What carries emulated devices' requests to one of several gateways, and notes what came back.

It knows nothing of releases: it is the devices' own record of what they were told, and when.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import ssl
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from zlib import crc32

import httpx

from walle.protocol.headers import read_offers

_DEVICE = re.compile(r'"([^"]+)"')
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class ReceivedOffer(NamedTuple):
    """An offer as a device received it: requested and received in Unix seconds, and from which gateway."""

    requested: float
    received: float
    gateway: int
    device: str
    task: str
    manifest: str | None
    number: int
    token: str


class Trouble(NamedTuple):
    """A request that was refused or broken off: requested and ended in Unix seconds, what for, and what came."""

    requested: float
    ended: float
    endpoint: str
    what: str


@dataclass
class Record:
    """The requests and answers of all devices. Only their thread writes it; others read."""

    offers: list[ReceivedOffer] = field(default_factory=list)
    sent_reports: dict[str, tuple[str, dict[str, Any]]] = field(default_factory=dict)
    acknowledged: set[tuple[str, str]] = field(default_factory=set)
    refused: list[tuple[str, str]] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    """Reports of failures, by task."""
    troubles: list[Trouble] = field(default_factory=list)


class Wire(httpx.AsyncBaseTransport):
    """A client for keep-alive HTTP/1.1 over plain sockets: so many devices in one process need a light one.

    Every other device always uses the same gateway, the rest use any of them, each time another. With `tls` they are
    servers called localhost that speak TLS.
    """

    def __init__(
        self, ports: Sequence[int], record: Record, rng: random.Random, tls: ssl.SSLContext | None = None
    ) -> None:
        self._ports, self._record, self._rng, self._tls = ports, record, rng, tls
        self._idle: list[list[Streams]] = [[] for _ in ports]

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        found = _DEVICE.match(request.headers.get("walle-device", ""))
        device = found[1] if found else ""
        gateway = self._pick(device)
        body = await request.aread()
        if request.url.path.endswith("/reports"):
            self._note_sent(device, json.loads(body)["reports"])
        endpoint = request.url.path.rsplit("/", 1)[-1] if device else "other"
        requested = time.time()
        timeout = request.extensions["timeout"]["read"]
        try:
            async with asyncio.timeout(timeout):
                head, content = await self._exchange(gateway, request, body)
        except TimeoutError as error:
            self._note_trouble(requested, endpoint, "none in time")
            raise httpx.ReadTimeout(f"no answer within {timeout:g} s") from error
        except (OSError, EOFError, ValueError) as error:
            self._note_trouble(requested, endpoint, "broken off")
            raise httpx.ReadError(str(error) or type(error).__name__) from error
        # There is no newer root of trust: an answer like others.
        if head.status_code >= httpx.codes.BAD_REQUEST and head.status_code != httpx.codes.NOT_FOUND:
            self._record.troubles.append(Trouble(requested, time.time(), endpoint, str(head.status_code)))
        self._record.answers[f"{endpoint} {head.status_code}"] += 1
        if offers := head.headers.get("walle-offers"):
            self._note_offers(device, gateway, requested, offers)
        if endpoint == "reports" and head.status_code == httpx.codes.OK:
            self._note_acknowledged(device, json.loads(content))
        return httpx.Response(head.status_code, headers=head.headers, stream=httpx.ByteStream(content))

    async def aclose(self) -> None:
        for connections in self._idle:
            for _, writer in connections:
                writer.close()

    def _pick(self, device: str) -> int:
        number = crc32(device.encode()) % (2 * len(self._ports)) if device else len(self._ports)
        return number if number < len(self._ports) else self._rng.randrange(len(self._ports))

    async def _exchange(self, gateway: int, request: httpx.Request, body: bytes) -> tuple[httpx.Response, bytes]:
        reader, writer = await self._connection(gateway)
        try:
            writer.write(_written(request, body))
            response = _read_head(await reader.readuntil(b"\r\n\r\n"))
            content = await reader.readexactly(int(response.headers.get("content-length", 0)))
        except BaseException:
            writer.transport.abort()
            raise
        if response.headers.get("connection") == "close":
            writer.close()
        else:
            self._idle[gateway].append((reader, writer))
        return response, content

    async def _connection(self, gateway: int) -> Streams:
        idle = self._idle[gateway]
        while idle:
            reader, writer = idle.pop()
            if not reader.at_eof() and not writer.is_closing():
                return reader, writer
            writer.close()
        name = "localhost" if self._tls else None
        return await asyncio.open_connection("127.0.0.1", self._ports[gateway], ssl=self._tls, server_hostname=name)

    def _note_trouble(self, requested: float, endpoint: str, what: str) -> None:
        self._record.answers[what] += 1
        self._record.troubles.append(Trouble(requested, time.time(), endpoint, what))

    def _note_sent(self, device: str, reports: list[dict[str, Any]]) -> None:
        for report in reports:
            if report["id"] not in self._record.sent_reports:
                self._record.sent_reports[report["id"]] = device, report
                self._record.failures[report["task"]] += report["outcome"] == "failure"

    def _note_offers(self, device: str, gateway: int, requested: float, offers: str) -> None:
        now = time.time()
        for offer in read_offers(offers.encode()):
            assigned = json.loads(offer.assignment)
            manifest, number = assigned["manifest"], assigned["number"]
            received = ReceivedOffer(requested, now, gateway, device, offer.task, manifest, number, offer.token)
            self._record.offers.append(received)

    def _note_acknowledged(self, device: str, answer: dict[str, Any]) -> None:
        self._record.acknowledged |= {(device, id_) for id_ in answer["accepted"]}
        self._record.refused += [(device, str(item)) for item in answer["rejected"]]


def _written(request: httpx.Request, body: bytes) -> bytes:
    lines = [f"{request.method} {request.url.raw_path.decode()} HTTP/1.1".encode()]
    lines += [name + b": " + value for name, value in request.headers.raw]
    return b"\r\n".join([*lines, b"", body])


def _read_head(head: bytes) -> httpx.Response:
    status, *lines = head.decode("latin-1").split("\r\n")
    headers = [tuple(line.split(": ", 1)) for line in lines if line]
    return httpx.Response(int(status[9:12]), headers=headers)
