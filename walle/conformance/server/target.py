"""The server under test, as the checks use it: requests, devices enrolled for the purpose, and the answers to them."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import httpx

from walle.conformance.checks import Skipped, expect
from walle.protocol import headers as wire
from walle.protocol.documents import Assignment, Manifest
from walle.protocol.errors import HeaderMalformed, ProtocolError
from walle.protocol.headers import AppHeader, CheckIn, DeviceHeader, Offer, Profile
from walle.protocol.signing import TrustedRoots

PREFIX: Final = "/walle/v1"
TASK: Final = "conformance/check"
"""The task in reports and profiles of these checks, a name that nobody should use for a task."""
_MOST_ROOTS: Final = 1024


@dataclass(frozen=True)
class Options:
    """The configuration of the checks. `root` is the root of trust of the app, None to trust the first one.

    `statement` is an envelope of facts from the app's backend, for exclusive files; `removed` a task that devices
    should remove; `riding` the address of a business service with the check-in middleware; `gateway_key` a key for the
    relay. What is None is not checked.
    """

    server: str
    app: str
    app_key: str | None = field(default=None, repr=False)
    app_version: str = "1.0.0"
    facts: Mapping[str, Any] = field(default_factory=dict)
    root: bytes | None = None
    statement: Mapping[str, Any] | None = None
    removed: str | None = None
    riding: str | None = None
    gateway_key: str | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Enrolled:
    """A device that the checks enrolled."""

    device: str
    credential: str = field(repr=False)


class Target:
    """One server for the length of one run. `client` is an httpx client that follows no redirects."""

    def __init__(self, options: Options, client: httpx.AsyncClient) -> None:
        base = options.server.rstrip("/")
        self.options, self.client = options, client
        self.base = base if base.endswith(PREFIX) else base + PREFIX
        self._wrote: Counter[str] = Counter()
        self._devices: dict[str, Enrolled] = {}
        self._offers: list[Offer] | None = None
        self._roots: TrustedRoots | None = None
        self._manifests: dict[str, Manifest] = {}

    @property
    def wrote(self) -> list[str]:
        """Return what these checks left on the server, for people."""
        return [f"{count} {what}" for what, count in self._wrote.items()]

    def url(self, address: str) -> str:
        """Return the absolute form of an address in an offer."""
        return str(httpx.URL(self.base + "/").join(address))

    async def request(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Send a request to a path of the protocol, or to an absolute address."""
        return await self.client.request(method, path if "://" in path else self.base + path, **more)

    # -- enrolment

    async def enrol(self, **changes: Any) -> httpx.Response:
        """Enrol with the app key; a change to None removes a member. Raises Skipped if a limit prevents it."""
        body = {"app": self.options.app, "key": self.options.app_key, **changes}
        response = await self.request("POST", "/enrol", json={k: v for k, v in body.items() if v is not None})
        if response.status_code == httpx.codes.TOO_MANY_REQUESTS:
            expect_refused(response, 429, "enrolment-limited")
            after = response.headers.get("retry-after", "")
            expect(after.isdecimal() and int(after) >= 1, "Retry-After: seconds, 1 or more", after or "none")
            raise Skipped(f"the server limits enrolments: try again in {after} s, or raise the app's limit")
        return response

    async def device(self, name: str = "first") -> Enrolled:
        """Return the device of that name, enrolled at first use; `stated` enrols with the backend's statement."""
        if self.options.app_key is None and self.options.statement is None:
            raise Skipped("a device cannot be enrolled without --app-key")
        if name not in self._devices:
            stated = {"statement": self.options.statement} if name == "stated" else {}
            self._devices[name] = self.enrolled(await self.enrol(**stated))
        return self._devices[name]

    def enrolled(self, response: httpx.Response) -> Enrolled:
        """Return the device in a response to an enrolment. Raises Skipped if there is none."""
        try:
            answer = response.json()
            device = Enrolled(str(answer["device"]), str(answer["credential"]))
        except (ValueError, KeyError, TypeError) as error:
            raise Skipped(f"no device could be enrolled: the answer was {response.status_code}") from error
        self._wrote["enrolments"] += 1
        return device

    # -- check-ins

    def headers(self, device: Enrolled, *, number: int = 0, profile: Profile | None = None) -> dict[str, str]:
        """Return the headers of a check-in."""
        app = AppHeader(self.options.app, {"app_version": self.options.app_version, **self.options.facts})
        who = DeviceHeader(device.device, device.credential, number)
        return CheckIn(who, app, profile or {}).headers()

    async def check_in(self, headers: Mapping[str, str | bytes], method: str = "GET") -> httpx.Response:
        lines = [(name.encode(), text.encode() if isinstance(text, str) else text) for name, text in headers.items()]
        return await self.request(method, "/checkin", headers=lines)

    async def offered(self, device: Enrolled, *, number: int = 0, profile: Profile | None = None) -> list[Offer]:
        """Return a device's offers. Raises Skipped if the check-in is refused or the offers are malformed."""
        response = await self.check_in(self.headers(device, number=number, profile=profile))
        if response.status_code != 204:
            raise Skipped(f"the check-in was answered {response.status_code}")
        try:
            return wire.read_offers(response.headers.get(wire.OFFERS, "").encode("latin-1"))
        except HeaderMalformed as error:
            raise Skipped(f"what is offered cannot be read: {error}") from error

    async def offers(self) -> list[Offer]:
        """Return the offers of the first device. Raises Skipped if there are none."""
        if self._offers is None:
            self._offers = await self.offered(await self.device())
        if not self._offers:
            version = self.options.app_version
            raise Skipped(f"a new device of app version {version} is offered nothing: release a task to it")
        return self._offers

    async def installation(self) -> Offer:
        """Return an offer to install something."""
        for offer in await self.offers():
            if offer.action == "install":
                return offer
        raise Skipped("nothing is offered to be installed")

    def assignment(self, offer: Offer) -> Assignment:
        try:
            return Assignment.from_payload(offer.assignment)
        except ProtocolError as error:
            raise Skipped(f"the assignment cannot be read: {error}") from error

    # -- trust

    async def roots(self) -> TrustedRoots:
        """Return the end of the chain of roots. Raises Skipped if the chain is broken."""
        if self._roots is None:
            self._roots = await self._walked()
        return self._roots

    async def _walked(self) -> TrustedRoots:
        first = self.options.root or (await self.request("GET", "/roots/1.json")).content
        try:
            trusted = TrustedRoots(first)
            for version in range(trusted.version + 1, _MOST_ROOTS):
                response = await self.request("GET", f"/roots/{version}.json")
                if response.status_code != 200:
                    break
                trusted.update(response.content)
        except ProtocolError as error:
            raise Skipped(f"the chain of roots does not hold: {error}") from error
        return trusted

    async def manifest(self, offer: Offer) -> Manifest:
        """Return the verified manifest of an offer. Raises Skipped if it is invalid."""
        if offer.task not in self._manifests:
            if offer.url is None:
                raise Skipped(f"the offer of {offer.task} does not say where its manifest is")
            response = await self.request("GET", self.url(offer.url))
            try:
                payload = (await self.roots()).verify("manifest", response.content)
                self._manifests[offer.task] = Manifest.from_payload(payload)
            except ProtocolError as error:
                raise Skipped(f"the manifest of {offer.task} cannot be read: {error}") from error
        return self._manifests[offer.task]

    # -- features

    def count_features(self, count: int) -> None:
        """Note features that were acknowledged."""
        self._wrote["features"] += count

    # -- reports

    async def report(self, device: Enrolled, reports: list[Any]) -> httpx.Response:
        response = await self.post_reports(self.headers(device), json.dumps({"reports": reports}).encode())
        if response.status_code == 200:
            self._wrote["reports without offer tokens"] += len(_accepted(response))
        return response

    async def post_reports(self, headers: Mapping[str, str], body: bytes) -> httpx.Response:
        return await self.request(
            "POST", "/reports", headers={"content-type": "application/json", **headers}, content=body
        )


def _accepted(response: httpx.Response) -> list[Any]:
    try:
        return list(response.json()["accepted"])
    except (ValueError, KeyError, TypeError):
        return []


def is_now(seconds: object, *, after: float) -> bool:
    """Return whether a value is a time in Unix seconds at least this many seconds from now."""
    return isinstance(seconds, int) and not isinstance(seconds, bool) and seconds >= time.time() + after


def expect_refused(response: httpx.Response, status: int, *codes: str) -> None:
    """Check for a problem as in docs/protocol.md: status, one of the codes in body and Walle-Error, and no caching."""
    code, said = response.headers.get(wire.ERROR), describe(response)
    expect((response.status_code, code in codes) == (status, True), f"{status} {' or '.join(codes)}", said)
    kind = response.headers.get("content-type", "").partition(";")[0]
    expect(kind == "application/problem+json", f"{code} as application/problem+json", kind or "no content type")
    try:
        problem = response.json()
    except ValueError:
        problem = None
    members = {"type": str, "title": str, "status": int, "code": str, "detail": str}
    sound = isinstance(problem, dict) and all(isinstance(problem.get(name), kind) for name, kind in members.items())
    expect(sound, f"a problem with {', '.join(members)}", response.text[:200])
    expect((problem["status"], problem["code"]) == (status, code), "the same status and code in body and head", problem)
    expect("no-store" in response.headers.get("cache-control", ""), "Cache-Control: no-store on a problem", said)


def describe(response: httpx.Response) -> str:
    """Return status and code of a response, for people."""
    code = response.headers.get(wire.ERROR)
    return f"{response.status_code} {code}" if code else f"{response.status_code} without Walle-Error"
