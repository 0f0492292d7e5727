"""A device and the real gateway, with nothing simulated between them but the control plane's database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path

import httpx
import pytest

from tests.device.conftest import TASK, Bench
from tests.gateway.serving import serving
from tests.gateway.simulator import APP_KEY, Clock, Cloud, make_application, make_gateway
from tests.release.tables import entry
from tests.support.waiting import ANSWER_S
from tests.vectors import keys
from walle.artifacts import LocalStore
from walle.conformance.client.repository import manifest_fields
from walle.device.assembly import AssembledDevice
from walle.device.facts import Facts
from walle.device.link.cloud import CloudClient as Gateway
from walle.device.link.enrolment import Enrolment
from walle.device.link.transport import AsyncWalleTransport
from walle.device.running.runner import Execution
from walle.device.storage.disk import Disk
from walle.device.storage.store import DeviceStore
from walle.gateway.middleware import CheckInMiddleware
from walle.protocol.canonical import canonical_json
from walle.protocol.signing import sign


class Releases:
    """Puts versions into the simulated control plane as a release does."""

    def __init__(self, cloud: Cloud, folder: Path) -> None:
        self.cloud, self.gateway = cloud, make_gateway(cloud, Clock())
        self._store = LocalStore(folder / "artifacts")
        self._count = 0

    async def publish(self) -> None:
        """A new table, which the gateway has read."""
        self.cloud.publish(announce=False)
        await self.gateway.tables.refresh()

    async def release(self, version: str, files: dict[str, bytes], *, exclusive: list[dict] = (), **fields) -> str:
        """Releases a version of the task to everyone, whose manifest has these fields; its digest."""
        shared = [{"path": path, "kind": "shared", **self._put(data)} for path, data in sorted(files.items())]
        entries = shared + [{"kind": "exclusive", **file} for file in exclusive]
        payload = canonical_json(manifest_fields(TASK, version, entries) | fields)
        envelope = self._put(sign("manifest", payload, [keys.signer("targets-1")]))
        self._count += 1
        self.cloud.entries[:] = [
            entry(
                TASK,
                version,
                release=self._count,
                manifest=sha256(payload).hexdigest(),
                envelope_digest=envelope["digest"],
                envelope_size=envelope["size"],
                exclusive=bool(exclusive),
            )
        ]
        await self.publish()
        return sha256(payload).hexdigest()

    def _put(self, data: bytes) -> dict:
        stored = self._store.put(data)
        return {"digest": stored.digest, "size": stored.size}


@pytest.fixture
async def releases(tmp_path) -> Releases:
    return Releases(Cloud(), tmp_path)


@pytest.fixture
async def address(releases, tmp_path) -> AsyncIterator[str]:
    async with serving(make_application(releases.gateway, releases.cloud, tmp_path)) as address:
        yield address


@pytest.fixture
async def device(address, releases, tmp_path) -> AsyncIterator[AssembledDevice]:
    async with httpx.AsyncClient(timeout=ANSWER_S) as client:
        with DeviceStore(tmp_path / "device", disk=Disk(sync=False)) as store:
            yield make_device(store, address, client, releases.cloud.roots[1])


def make_device(store: DeviceStore, address: str, client: httpx.AsyncClient, root: bytes, **more) -> AssembledDevice:
    options = {"enrolment": Enrolment("shop", app_key=APP_KEY), "executor": Bench(), "interval": 0.05, **more}
    return AssembledDevice(
        store,
        Gateway(address, client),
        facts=Facts("shop", "1.0.0", "android", "14", region="eu"),
        requirements=lambda manifest: [],
        inputs=lambda task, manifest: {"x": 1},
        initial_root=root,
        clock=lambda: float(keys.NOW),
        **options,
    )


def received(cloud: Cloud) -> list[tuple[str, str, str | None, bool]]:
    """Kind, version and error class of the reports that arrived, and whether their offer token held."""
    return [
        (r.report.kind, r.report.version, r.report.error_class, r.offer is not None) for r in cloud.reports.values()
    ]


def version(device: AssembledDevice) -> str | None:
    current = device.store.task(TASK).current
    return current.version if current else None


async def test_a_release_reaches_the_device_and_its_reports_are_evidence(device, releases):
    await releases.release("1.0.0", {"main.py": b"one", "lib/model": b"m" * 100_000})
    await device.agent.once()
    assert version(device) == "1.0.0"
    assert received(releases.cloud) == [("install", "1.0.0", None, True), ("run", "1.0.0", None, True)]
    assert len(device.store.outbox) == 0


async def test_updates_rollbacks_and_removals(device, releases):
    for number, code in (("1.0.0", b"one"), ("2.0.0", b"two"), ("1.0.0", b"one")):
        await releases.release(number, {"main.py": code})
        await device.agent.once()
        assert version(device) == number
    releases.cloud.entries.clear()
    releases.cloud.removals.append(TASK)
    await releases.publish()
    await device.agent.once()
    assert version(device) is None
    assert ("remove", "1.0.0", None, True) in received(releases.cloud)


async def test_an_exclusive_file_for_the_facts_that_the_backend_signed(address, releases, tmp_path):
    exclusive = [{"path": "prefs.json", "template": "{age_band}", "default": "default.json"}]
    files = {"main.py": b"one", "default.json": b"default"}
    digest = await releases.release("1.0.0", files, exclusive=exclusive)
    releases.cloud.add_variant(tmp_path, digest, "prefs.json", "young", b"for the young")
    for name, band, content in (("a", "young", b"for the young"), ("b", "old", b"default")):
        statement = releases.cloud.statement(name, {"age_band": band})
        async with httpx.AsyncClient(timeout=ANSWER_S) as client:
            with DeviceStore(tmp_path / name, disk=Disk(sync=False)) as store:
                enrolment = Enrolment("shop", statement=lambda statement=statement: statement)
                device = make_device(store, address, client, releases.cloud.roots[1], enrolment=enrolment)
                await device.agent.once()
                bundle = store.installs.bundle(store.task(TASK).current.folder)
                assert (bundle / "prefs.json").read_bytes() == content
                assert store.state.credential.device == name


async def test_a_device_that_slept_through_three_rotations_recovers_with_its_id(device, releases):
    await releases.release("1.0.0", {"main.py": b"one"})
    await device.agent.once()
    own_id = device.store.state.credential.device
    for _ in range(3):
        releases.cloud.rotate_device_key()
    cloud = releases.cloud
    for number in (2, 3, 4):
        cloud.roots[number] = keys.root(number, 1, "root-1")
    await releases.release("2.0.0", {"main.py": b"two"})
    await device.agent.once()
    assert version(device) == "2.0.0"
    assert device.store.state.credential.device == own_id
    assert len(device.store.roots()) == 4


async def test_a_revoked_device_is_turned_away(device, releases):
    await device.agent.once()
    releases.cloud.revoked.add(device.store.state.credential.device)
    await releases.release("1.0.0", {"main.py": b"one"})
    await device.agent.once()
    assert version(device) is None


async def test_reports_wait_until_the_control_plane_is_back(device, releases):
    await releases.release("1.0.0", {"main.py": b"one"})
    await device.agent.once()
    releases.cloud.down = True
    device.tasks._schedule._due.clear()
    device.tasks._schedule._periods.clear()
    await device.agent.once()
    assert len(device.store.outbox) == 1
    releases.cloud.down = False
    await device.agent.once()
    assert len(device.store.outbox) == 0
    assert len(releases.cloud.reports) == 3


async def test_after_a_restored_backup_the_device_is_offered_nothing_until_the_numbers_have_caught_up(device, releases):
    await releases.release("1.0.0", {"main.py": b"one"})
    await device.agent.once()
    seen = releases.cloud.number
    releases.cloud.number = 3
    await releases.release("2.0.0", {"main.py": b"two"})
    await device.agent.once()
    assert version(device) == "1.0.0"
    releases.cloud.number = seen
    await releases.publish()
    await device.agent.once()
    assert version(device) == "2.0.0"


async def test_a_failing_version_is_given_up_and_said_so(device, releases):
    await releases.release("1.0.0", {"main.py": b"good"})
    await device.agent.once()
    device.tasks._runner._executor.behaviour = lambda code: Execution(error_class="exception:KeyError")
    device.tasks._runner._fall_back_after = 1
    await releases.release("2.0.0", {"main.py": b"bad"})
    await device.agent.once()
    assert version(device) == "1.0.0"
    assert ("run", "2.0.0", "exception:KeyError", True) in received(releases.cloud)
    assert ("remove", "2.0.0", "fell-back", True) in received(releases.cloud)


async def test_the_check_in_rides_on_a_business_request_through_the_middleware(device, releases):
    async def shop(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    await device.agent.once()
    await releases.release("1.0.0", {"main.py": b"one"})
    async with serving(CheckInMiddleware(shop, releases.gateway), lifespan="off") as business:
        transport = AsyncWalleTransport(device.check_ins, httpx.AsyncHTTPTransport(), origins=[business])
        device.check_ins.pacer._due = 0.0
        async with httpx.AsyncClient(transport=transport, timeout=ANSWER_S) as app:
            assert (await app.get(f"{business}/cart")).text == "ok"
    await device.check_ins.turn()
    assert version(device) == "1.0.0"
