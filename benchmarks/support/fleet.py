"""A fleet on paper: a hundred releases, and the check-ins of devices that have the versions that they should have.

The numbers follow the paper where it has figures: 348 active tasks over 30 apps (section 7.3) are about a dozen per
device. So there is one app of ten versions and a hundred releases of a hundred tasks, ten for each version, one of them
gray at 10 %.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import blake2b, sha256
from typing import Any

import numpy as np

from walle.gateway.checkin import RawCheckIn
from walle.protocol.headers import short_digest, write_profile
from walle.release.decision import choose
from walle.release.strategy import AT_ONCE, Strategy
from walle.release.table import Entry

APP = "shop"
VERSIONS = [f"3.{minor}.0" for minor in range(10)]
RELEASES = 100
GRAY_EVERY = 10
GRAY = {
    "simulation": False,
    "stages": [{"kind": "gray", "percent": 10}, {"kind": "gray", "percent": 100, "pace": 1_000_000}],
}


def create_releases(count: int = RELEASES) -> None:
    """Create the app and a hundred releases at most, each of its own task: one in ten is gray, others complete."""
    from django.conf import settings

    from accounts_app.actors import SYSTEM
    from devices_app.services import apps
    from releases_app.services.tables import publish_app
    from tasks_app.models import Scenario
    from walle.artifacts import LocalStore

    now = datetime.now(UTC)
    app = apps.create_app(slug=APP, name="Shop", actor=SYSTEM, now=now)
    for version in VERSIONS:
        apps.add_version(app=app, version=version, actor=SYSTEM)
    envelope = LocalStore(settings.WALLE_ARTIFACTS_DIR).put(b"an envelope of the usual size " * 60)
    scenario = Scenario.objects.create(slug="bench")
    for index in range(count):
        _create_release(index, app, scenario, envelope.digest, now)
    publish_app(app, now=now)


def _create_release(index: int, app: Any, scenario: Any, envelope_digest: str, now: datetime) -> None:
    from releases_app.models import Release, Stage
    from tasks_app.models import Task, TaskVersion
    from walle.conformance.client.repository import manifest_fields
    from walle.protocol.canonical import canonical_json
    from walle.release.rules import uniform

    version = TaskVersion.objects.create(
        task=Task.objects.create(scenario=scenario, slug=f"task-{index}"),
        version="1.0.0",
        commit=f"{index:040x}",
        author_name="bench",
        tagged_at=now,
        manifest=canonical_json(manifest_fields(f"{scenario.slug}/task-{index}", "1.0.0", [])),
        manifest_digest=manifest_digest(index),
        envelope_digest=envelope_digest,
        total_size=0,
    )
    gray = index % GRAY_EVERY == 0
    strategy = Strategy.from_dict(GRAY if gray else AT_ONCE)
    release = Release.objects.create(
        app=app,
        version=version,
        rule=uniform([VERSIONS[index // GRAY_EVERY % len(VERSIONS)]]),
        strategy=strategy.to_dict(),
        salt=secrets.token_bytes(16),
        state="running" if gray else "complete",
        position=0,
        created_by="bench",
        created_at=now,
    )
    for position, stage in enumerate(strategy.stages):
        Stage.objects.create(release=release, position=position, kind=stage.kind, share=stage.share)


def open_last_stages() -> None:
    """Move the gray releases to all their devices; each offer counts against a pace that is never reached."""
    from devices_app.models import App
    from releases_app.models import Release
    from releases_app.services.tables import publish_app

    Release.objects.filter(state="running").update(position=1)
    publish_app(App.objects.get(slug=APP), now=datetime.now(UTC))


def manifest_digest(index: int) -> str:
    return sha256(f"manifest {index}".encode()).hexdigest()


def requests(
    count: int, unique: float, rng: np.random.Generator, *, has: Callable[[Entry], bool] = lambda entry: True
) -> list[bytes]:
    """Return check-ins of `count` devices as HTTP requests; a part `unique` of them has headers like no others.

    Devices have the versions of the entries that `has` accepts. If it accepts all, each is considered for its gray
    release and gets nothing; otherwise it is offered the rest, as much as one response carries.
    """
    from devices_app.models import App
    from devices_app.selectors.state import gateway_state

    state = gateway_state().apps[App.objects.get(slug=APP).slug]
    expires = int(datetime.now(UTC).timestamp()) + 90 * 86_400
    number = state.table.table.number
    kinds = [_facts(rng) for _ in range(200)]
    plans = {version: state.table.plan({"app_version": version}, {}) for version in VERSIONS}
    profiles: dict[tuple[str, ...], str] = {}
    written = []
    for index in range(count):
        version, facts = kinds[rng.integers(len(kinds))]
        build = f";build={index}" if rng.random() < unique else ""
        device = f"device-{index:09d}"
        due = choose(plans[version], device).changes
        installed = tuple(entry.manifest for entry in due if isinstance(entry, Entry) and has(entry))
        profile = profiles.get(installed) or profiles.setdefault(installed, _profile(installed))
        credential = state.keyring.issue_credential(device, expires)
        header = f'"{device}";c="{credential}";n={number}'
        written.append(request(RawCheckIn(header.encode(), (facts + build).encode(), profile.encode())))
    return written


def request(headers: RawCheckIn) -> bytes:
    """Return a check-in as an HTTP request."""
    return (
        b"POST /walle/v1/checkin HTTP/1.1\r\nHost: walle\r\nContent-Length: 0\r\n"
        b"Walle-Device: %s\r\nWalle-App: %s\r\nWalle-Profile: %s\r\n\r\n" % headers[:3]
    )


def _facts(rng: np.random.Generator) -> tuple[str, str]:
    version, system = VERSIONS[rng.integers(10)], ("android", "ios")[rng.integers(2)]
    performance = ("low", "mid", "high")[rng.integers(3)]
    return version, f'"{APP}";v="{version}";os={system};osv="{rng.integers(9, 18)}";perf={performance};rg=eu'


def _profile(manifests: tuple[str, ...]) -> str:
    names = {manifest_digest(index): f"bench/task-{index}" for index in range(RELEASES)}
    return write_profile({names[manifest]: short_digest(manifest) for manifest in manifests})


def register(requests: list[bytes]) -> None:
    """Register the fleet: the steady state, in which check-ins update rows."""
    from devices_app.selectors.state import gateway_state
    from devices_app.services.intake import store_check_ins
    from walle.gateway.ports import CheckInRecord, DeviceClaims
    from walle.protocol.headers import read_app, read_device, read_profile

    apps = gateway_state().apps
    claims: dict[bytes, DeviceClaims] = {}
    records = []
    for request in requests:
        lines = dict(line.split(b": ", 1) for line in request.split(b"\r\n")[1:] if b": " in line)
        key = lines[b"Walle-App"] + lines[b"Walle-Profile"]
        if key not in claims:
            app = read_app(lines[b"Walle-App"])
            identity = blake2b(b"\n".join((lines[b"Walle-App"], lines[b"Walle-Profile"])), digest_size=8).hexdigest()
            claims[key] = DeviceClaims(identity, app.app, app.facts, read_profile(lines[b"Walle-Profile"]))
        device, credential, _ = read_device(lines[b"Walle-Device"])
        trusted = apps[claims[key].app].keyring.read_credential(credential, device, time.time())
        records.append(CheckInRecord(claims[key], device, trusted, time.time() - 3600))
    for start in range(0, len(records), 20_000):
        store_check_ins(records[start : start + 20_000])
