"""A fleet on paper: a hundred releases, and the check-ins of devices that have what they should.

Shapes follow the paper where it gives figures: 348 active tasks over 30 apps (section 7.3) make about a dozen for a
device. So: one app of ten versions, a hundred releases of a hundred tasks, ten for each version, one of them gray at
10 %.
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from hashlib import sha256

import numpy as np

from walle.protocol.headers import short_digest, write_profile
from walle.release.decision import choose

APP = "shop"
VERSIONS = [f"3.{minor}.0" for minor in range(10)]
RELEASES = 100
GRAY_EVERY = 10
GRAY_SHARE = 100_000


def create_releases() -> None:
    """The app, a hundred task versions and their running releases as rows, published as a table."""
    from django.conf import settings

    from accounts_app.actors import SYSTEM
    from devices_app.services import apps
    from tasks_app.models import Release, Scenario, Stage, Task, TaskVersion
    from tasks_app.services.tables import publish_app
    from walle.artifacts import LocalStore
    from walle.release.cohort import BUCKETS
    from walle.release.rules import uniform

    now = datetime.now(UTC)
    app = apps.create_app(slug=APP, name="Shop", actor=SYSTEM, now=now)
    for version in VERSIONS:
        apps.add_version(app=app, version=version, actor=SYSTEM)
    envelope = LocalStore(settings.WALLE_ARTIFACTS_DIR).put(b"an envelope of the usual size " * 60)
    scenario = Scenario.objects.create(slug="bench")
    for index in range(RELEASES):
        task = Task.objects.create(scenario=scenario, slug=f"task-{index}")
        version = TaskVersion.objects.create(
            task=task,
            version="1.0.0",
            commit=f"{index:040x}",
            author_name="bench",
            tagged_at=now,
            manifest=b"{}",
            manifest_digest=manifest_digest(index),
            envelope_digest=envelope.digest,
            total_size=0,
        )
        rule = uniform([VERSIONS[index // 10]])
        release = Release.objects.create(
            app=app, version=version, rule=rule, salt=secrets.token_bytes(16), state="running", created_at=now
        )
        share = GRAY_SHARE if index % GRAY_EVERY == 0 else BUCKETS
        Stage.objects.create(release=release, position=0, kind="full", share=share)
    publish_app(app, now=now)


def manifest_digest(index: int) -> str:
    return sha256(f"manifest {index}".encode()).hexdigest()


def requests(count: int, unique: float, rng: np.random.Generator, *, up_to_date: bool = True) -> list[bytes]:
    """Check-ins of `count` devices as HTTP requests; a part `unique` of them sends headers like nobody else's.

    Devices that are up to date have all that they are eligible for, so each is drawn for its gray release and gets
    nothing; the others have nothing and are offered as much as one response carries.
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
        installed = tuple(entry.manifest for entry in choose(plans[version], device)) if up_to_date else ()
        profile = profiles.get(installed) or profiles.setdefault(installed, _profile(installed))
        credential = state.keyring.issue_credential(device, expires)
        written.append(
            f"POST /walle/v1/checkin HTTP/1.1\r\nHost: walle\r\nContent-Length: 0\r\n"
            f'Walle-Device: "{device}";c="{credential}";n={number}\r\n'
            f"Walle-App: {facts}{build}\r\nWalle-Profile: {profile}\r\n\r\n".encode()
        )
    return written


def _facts(rng: np.random.Generator) -> tuple[str, str]:
    version, system = VERSIONS[rng.integers(10)], ("android", "ios")[rng.integers(2)]
    performance = ("low", "mid", "high")[rng.integers(3)]
    return version, f'"{APP}";v="{version}";os={system};osv="{rng.integers(9, 18)}";perf={performance};rg=eu'


def _profile(manifests: tuple[str, ...]) -> str:
    names = {manifest_digest(index): f"bench/task-{index}" for index in range(RELEASES)}
    return write_profile({names[manifest]: short_digest(manifest) for manifest in manifests})
