"""Connected devices that verify what they are offered and do nothing else, many in one process.

They check in by HTTP when they are told to, and keep a tunnel open. An offer is verified as the device package does it;
devices of one process share the verification of what is the same for all of them, for real ones have processors of
their own. No files are fetched besides the manifest.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from array import array
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from typing import Final

import httpx

from benchmarks.support.tunnel.client import LeanTunnel, open_tunnel
from walle.device.emulator.light import SharedRoots
from walle.device.link import reports
from walle.device.storage.state import Installation
from walle.device.updates.verify import Sizes, check_assignment, check_manifest
from walle.gateway.checkin import RawCheckIn
from walle.protocol.documents import Assignment, Manifest
from walle.protocol.headers import AppHeader, CheckIn, DeviceHeader, Offer, read_offers, short_digest, write_profile
from walle.protocol.tunnel_frames import Frame, Offers, Profile, Received

_TOKEN: Final = re.compile(rb';t="([^"]*)"')
_NOBODY: Final = RawCheckIn(b"", b"", b"")
_AT_ONCE: Final = 100
"""How many devices of a process open their tunnels at the same time."""


@dataclass(frozen=True)
class ConnectedFleet:
    """Devices of one app on one server; `root` is the root of trust, and each device has its credential."""

    port: int
    app: str
    app_version: str
    task: str
    root: bytes
    credentials: dict[str, str]

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/walle/v1"


class Verified:
    """Verifies offers of one task, each that differs from others in more than its token once."""

    def __init__(self, fleet: ConnectedFleet, client: httpx.AsyncClient) -> None:
        self._fleet, self._client = fleet, client
        self._roots = SharedRoots(fleet.root)
        self._offers: dict[bytes, tuple[Offer, Assignment]] = {}
        self._manifests: dict[str, Manifest] = {}
        self._fetching = asyncio.Lock()

    async def read(self, value: bytes, highest: int) -> tuple[Installation, int] | None:
        """Return what an offer header has a device install, None for a removal, with the token as the device's own.

        Raises what the device package raises for an offer that it refuses.
        """
        token = _TOKEN.search(value)
        shared = value[: token.start()] + value[token.end() :] if token else value
        if shared not in self._offers:
            (offer,) = read_offers(value)
            now = time.time()
            assignment = check_assignment(offer, self._roots, app=self._fleet.app, highest=highest, now=now)
            self._offers[shared] = offer, assignment
        offer, assignment = self._offers[shared]
        if assignment.action == "remove":
            return None
        manifest = await self._manifest(offer, assignment)
        own = token[1].decode() if token else None
        number = assignment.number
        return Installation(offer.task, manifest.version, manifest.digest, "", number, own, time.time()), number

    async def _manifest(self, offer: Offer, assignment: Assignment) -> Manifest:
        digest = str(assignment.manifest)
        if digest not in self._manifests:
            async with self._fetching:
                if digest not in self._manifests:
                    url = httpx.URL(f"{self._fleet.address}/").join(str(offer.url))
                    envelope = (await self._client.get(url)).raise_for_status().content
                    self._manifests[digest] = check_manifest(envelope, assignment, self._roots, Sizes())
        return self._manifests[digest]


@cache
def _profile(task: str, manifest: str) -> bytes:
    return write_profile({task: short_digest(manifest)}).encode()


class Device:
    """One device; `installed` is what it has, and `since` when it had that (Unix seconds)."""

    def __init__(self, name: str, fleet: ConnectedFleet, verified: Verified) -> None:
        self.name, self._fleet, self._verified = name, fleet, verified
        self.installed: Installation | None = None
        self.since = 0.0
        self.told = 0.0
        """When the last offers came by the tunnel."""
        self.offer_bytes = 0
        self._number = 0
        self._tunnel: LeanTunnel | None = None
        self._work: asyncio.Task[None] | None = None

    def headers(self) -> dict[str, str]:
        """Return the headers of a check-in."""
        fleet = self._fleet
        profile = {fleet.task: short_digest(self.installed.manifest)} if self.installed else {}
        device = DeviceHeader(self.name, fleet.credentials[self.name], self._number)
        return CheckIn(device, AppHeader(fleet.app, {"app_version": fleet.app_version}), profile).headers()

    async def check_in(self, client: httpx.AsyncClient) -> None:
        """Check in by HTTP, and do what is offered."""
        answer = (await client.get(f"{self._fleet.address}/checkin", headers=self.headers())).raise_for_status()
        if value := answer.headers.get("walle-offers", "").encode():
            await self._change(value)

    async def connect(self) -> None:
        """Open the tunnel. Raises TunnelRefused."""
        headers = {name.lower(): value.encode() for name, value in self.headers().items()}
        raw = RawCheckIn(headers["walle-device"], headers["walle-app"], headers.get("walle-profile", b""))
        self._tunnel = await open_tunnel(self._fleet.port, lambda: LeanTunnel(raw, taken=self._take))
        await self._tunnel.greet(self._fleet.task, bytes(12))

    def report(self, outcome: str) -> dict[str, object]:
        """Return the report of a run of what is installed."""
        assert self.installed is not None, "a device reports of what it has installed"
        report = reports.about(self.installed, "run", at=time.time(), duration_ms=5.0)
        return (report if outcome == "success" else reports.failed(report, "ValueError", "too large")).to_dict()

    def _take(self, frame: Frame) -> None:
        if isinstance(frame, Offers) and self._tunnel is not None:
            self.told, self.offer_bytes = time.time(), len(frame.value)
            self._tunnel.send(Received(frame.number))
            self._work = asyncio.create_task(self._change(frame.value))

    async def _change(self, value: bytes) -> None:
        found = await self._verified.read(value, self._number)
        if found is None:
            self.installed = None
        else:
            self.installed, self._number = found
        self.since = time.time()
        if self._tunnel is not None:
            self._tunnel.send(Profile(_profile(self._fleet.task, self.installed.manifest) if self.installed else b""))


class Crowd:
    """The devices of one process."""

    def __init__(self, fleet: ConnectedFleet) -> None:
        self._client = httpx.AsyncClient(timeout=60.0, limits=httpx.Limits(max_connections=8))
        verified = Verified(fleet, self._client)
        self._fleet = fleet
        self.devices = {name: Device(name, fleet, verified) for name in fleet.credentials}
        self._bare: list[LeanTunnel] = []
        self._pushed = array("d")

    async def check_in(self) -> None:
        """Have every device check in once by HTTP."""
        await self._each(lambda device: device.check_in(self._client), 8)

    async def connect(self) -> None:
        """Open every device's tunnel."""
        await self._each(Device.connect, _AT_ONCE)

    async def connect_bare(self, port: int) -> None:
        """Open a WebSocket for every device to a server that only pushes (benchmarks.support.withdrawal.bare)."""
        for _ in self.devices:
            tunnel = await open_tunnel(port, lambda: LeanTunnel(_NOBODY, taken=self._note_push))
            await tunnel.accepted
            self._bare.append(tunnel)

    def _note_push(self, frame: Frame) -> None:
        self._pushed.append(time.time())

    def pushed(self) -> list[float]:
        """Return when each push of the bare server came since the last call."""
        found, self._pushed = list(self._pushed), array("d")
        return found

    async def report(self, outcomes: dict[str, str]) -> float:
        """Send one run's report of each of these devices, one after the other; return when the last was sent."""
        sent = 0.0
        for name, outcome in outcomes.items():
            device = self.devices[name]
            body = json.dumps({"reports": [device.report(outcome)]})
            sent = time.time()
            answer = await self._client.post(f"{self._fleet.address}/reports", content=body, headers=device.headers())
            if len(answer.raise_for_status().json()["accepted"]) != 1:
                raise RuntimeError(f"expected the report to be accepted, found {answer.text}")
        return sent

    def have(self, version: str) -> int:
        """Return how many devices have a version."""
        installed = [device.installed for device in self.devices.values()]
        return sum(found is not None and found.version == version for found in installed)

    def times(self) -> dict[str, tuple[float, float]]:
        """Return by device when the last offers came by its tunnel, and since when it has what it has."""
        return {name: (device.told, device.since) for name, device in self.devices.items()}

    def offer_bytes(self) -> int:
        """Return the most bytes of offers that came by a tunnel at once."""
        return max(device.offer_bytes for device in self.devices.values())

    async def _each(self, work: Callable[[Device], Awaitable[None]], at_once: int) -> None:
        gate = asyncio.Semaphore(at_once)

        async def one(device: Device) -> None:
            async with gate:
                await work(device)

        await asyncio.gather(*map(one, self.devices.values()))
