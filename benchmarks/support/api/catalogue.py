"""The people, apps, tasks and releases in the large Walle of the benchmark `api`; all but devices and their reports."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks.support.api.pipelines import write_pipelines
from benchmarks.support.api.workflows import write_workflows
from benchmarks.support.targeting import GRAY, LISTS, REGIONS, VERSIONS, entries, rule

if TYPE_CHECKING:
    from benchmarks.support.api.seed import Size

APPS: Final = ("mall", "shop", "kiosk")
TASKS, SCENARIOS, VERSIONS_OF_A_TASK = 50, 10, 10
PEOPLE: Final = {
    "staff": None,
    "of mall": "app:mall",
    "of kiosk": "app:kiosk",
    "of bench-0": "scenario:bench-0",
}
"""The people who send requests, and the one scope in which they are viewers."""
_ENDS: Final = ("complete", "superseded", "rolled-back", "aborted", "complete")
_FATE: Final = ("start", "pass", "promote", "promote", "promote", "promote", "complete")


def user_name(person: str) -> str:
    return person.replace(" ", "-")


def write(size: Size, now: datetime) -> None:
    """Write it into an empty, migrated database."""
    from jobs_app.models import Job

    _people(size)
    _apps(size, now)
    _tasks(size, now)
    _releases(size, now)
    write_pipelines(size, now)
    write_workflows(size, now)
    Job.objects.create(kind="releases.reconcile", run_at=now, created_at=now)


def _people(size: Size) -> None:
    from django.contrib.auth.models import User

    from accounts_app.models import ApiToken, Member

    users = [User(username=f"user-{n}", password="!") for n in range(size.members)]
    users += [
        User(username=name.replace(" ", "-"), password="!", is_staff=scope is None) for name, scope in PEOPLE.items()
    ]
    users = User.objects.bulk_create(users)
    by_name = {user.username: user for user in users}
    memberships = [(by_name[user_name(name)], scope, "viewer") for name, scope in PEOPLE.items() if scope]
    for scope in ("app:mall", "scenario:bench-0"):
        memberships += [(user, scope, "developer") for user in users[: size.members]]
    Member.objects.bulk_create(Member(user=user, scope=scope, role=role) for user, scope, role in memberships)
    staff = by_name["staff"]
    ApiToken.objects.bulk_create(
        ApiToken(user=staff, name=f"ci {n}", prefix=f"wl_{n:08x}", digest=sha256(b"%d" % n).hexdigest())
        for n in range(size.members)
    )


def _apps(size: Size, now: datetime) -> None:
    from accounts_app.actors import SYSTEM
    from devices_app.models import AppFact, AppKey, AppVersion, IdList, RegionBase
    from devices_app.services.apps import create_app
    from devices_app.services.keys import ensure_keys

    ensure_keys(now=now)
    for slug in APPS:
        app = create_app(slug=slug, name=slug.capitalize(), actor=SYSTEM, now=now)
        AppVersion.objects.bulk_create(AppVersion(app=app, version=version) for version in VERSIONS)
        AppFact.objects.bulk_create(
            AppFact(app=app, name=name, type=type, source=source)
            for name, type, source in (
                ("model", "text", "device"),
                ("channel", "text", "device"),
                ("memory", "number", "device"),
                ("battery", "number", "device"),
                ("free_storage", "number", "device"),
                ("age_band", "text", "user"),
                ("vip", "boolean", "user"),
            )
        )
        AppKey.objects.bulk_create(
            AppKey(
                app=app, kind="enrol", label=f"build {n}", material=sha256(b"%s %d" % (slug.encode(), n)).hexdigest()
            )
            for n in range(100)
        )
        bases = {"shared": "https://cdn.example.org/walle/v1", "exclusive": "https://cen.example.org/walle/v1"}
        RegionBase.objects.bulk_create(RegionBase(app=app, region=region, **bases) for region in REGIONS)
        names = [*LISTS, "long", *(f"list-{n}" for n in range(100))]
        IdList.objects.bulk_create(IdList(app=app, name=name, updated_at=now, updated_by="system") for name in names)


def _tasks(size: Size, now: datetime) -> None:
    from devices_app.models import App
    from releases_app.models import DeliveryGrant
    from tasks_app.models import Scenario, Task, TaskVersion, Variant, VersionFile

    scenarios = Scenario.objects.bulk_create(
        Scenario(slug=f"bench-{n}", description="seeded") for n in range(SCENARIOS)
    )
    DeliveryGrant.objects.bulk_create(
        DeliveryGrant(app=app, scenario=scenario, granted_by="system", granted_at=now)
        for app in App.objects.all()
        for scenario in scenarios
    )
    each = TASKS // SCENARIOS
    tasks = [Task(scenario=scenario, slug=f"task-{n}") for scenario in scenarios for n in range(each)]
    tasks = Task.objects.bulk_create(tasks)
    versions = TaskVersion.objects.bulk_create(
        _version(task, n, size.files, now) for task in tasks for n in range(VERSIONS_OF_A_TASK)
    )
    files = [_file(version, n) for version in versions for n in range(size.files)]
    files = VersionFile.objects.bulk_create(files)
    exclusive = next(file for file in files if file.kind == "exclusive")
    Variant.objects.bulk_create(
        Variant(
            file=exclusive,
            key=f"user-{n:06d}",
            digest=sha256(b"%d" % n).hexdigest(),
            size=2,
            statement=b"{}",
            signed_by="k1",
            uploaded_at=now,
        )
        for n in range(size.variants)
    )


def _version(task: Any, n: int, files: int, now: datetime) -> Any:
    from tasks_app.models import TaskVersion
    from walle.conformance.client.repository import manifest_fields
    from walle.protocol.canonical import canonical_json
    from walle.protocol.names import SemVer

    name = f"{1 + n // 5}.{n % 5}.0"
    listed = [
        {"path": f"models/layer-{place}.bin", "digest": "e" * 64, "size": 100_000, "kind": "shared"}
        for place in range(files)
    ]
    manifest = manifest_fields(task.name, name, listed) | {"limits": {"failure_rate": None}}
    digest = sha256(f"{task.name} {name}".encode()).hexdigest()
    return TaskVersion(
        task=task,
        version=name,
        order=SemVer.parse(name).sort_key,
        commit=digest[:40],
        author_name="Ada",
        tagged_at=now - timedelta(days=100 - n),
        manifest=canonical_json(manifest),
        manifest_digest=digest,
        envelope_digest=_envelope(),
        signed_by="k1",
        total_size=2_000_000,
    )


@cache
def _envelope() -> str:
    """Return the digest of an artifact that replaces the envelopes of all versions: tables contain its size."""
    from devices_app.stores import artifact_store

    return artifact_store().put(b"{}").digest


def _file(version: Any, n: int) -> Any:
    from tasks_app.models import VersionFile

    if n == 0:
        return VersionFile(
            version=version, path="prefs.json", kind="exclusive", template="{age_band}", default="p.json"
        )
    digest, size = ("e" * 64, 100_000) if n > 1 else _text(version)
    return VersionFile(version=version, path=f"models/layer-{n}.bin", kind="shared", digest=digest, size=size)


def _text(version: Any) -> tuple[str, int]:
    """Store a text of which some lines differ in every version; return its digest."""
    from devices_app.stores import artifact_store

    number = int.from_bytes(sha256(str(version.version).encode()).digest()[:2])
    lines = [f"{'weight' if line % 7 else version.version} {line * number % 1013}\n" for line in range(1000)]
    stored = artifact_store().put("".join(lines).encode())
    return stored.digest, stored.size


def _releases(size: Size, now: datetime) -> None:
    from devices_app.models import App
    from devices_app.services.tables import publish
    from releases_app.models import Release, SimulationCell, Stage, StoredVerdict, Transition
    from tasks_app.models import TaskVersion

    rng = np.random.default_rng(2022)
    mall, shop = App.objects.get(slug="mall"), App.objects.get(slug="shop")
    versions = list(TaskVersion.objects.select_related("task__scenario").order_by("id"))
    strategy = GRAY.to_dict() | {"metric": "confidence"}
    releases = Release.objects.bulk_create(
        Release(
            app=shop if n % 10 == 9 else mall,
            version=versions[n * 7 % len(versions)],
            rule=rule(rng),
            strategy=strategy,
            salt=rng.bytes(16),
            state="running" if n in (0, size.releases - 1) else _ENDS[n % len(_ENDS)],
            position=5,
            clock_s=100.0,
            baseline={"version": "1.0.0", "runs": 10_000, "latency_ms": 40.0, "median": 0.8},
            created_by="system",
            created_at=now - timedelta(days=size.releases - n),
        )
        for n in range(size.releases)
    )
    stages = [_stages(release) for release in releases]
    Stage.objects.bulk_create(stage for each in stages for stage in each)
    counts = {"counts": {"treatment": {"drawn": 1000, "reported": 900}}, "findings": []}
    Transition.objects.bulk_create(
        Transition(
            release=release,
            action=action,
            before="running",
            after="running",
            position_before=place,
            position_after=place + 1,
            actor_name="system",
            reason="the stage passed",
            evidence=counts,
            at=now,
        )
        for release in releases
        for place, action in enumerate(_FATE)
    )
    StoredVerdict.objects.bulk_create(
        StoredVerdict(release=stage.release, stage=stage, kind=kind, sentence="900 reported", evidence=counts, at=now)
        for each in stages
        for stage in each
        for kind in ("inconclusive", "pass")
    )
    SimulationCell.objects.bulk_create(
        SimulationCell(
            release=release,
            attempt=1,
            app_version=version,
            os="android",
            os_version="16",
            state="passed",
            sentence="all samples passed",
            result={"limits": {"time_ms": 100}, "samples": []},
            logs="fine\n" * 100,
            finished_at=now,
        )
        for release in releases
        for version in VERSIONS[:12]
    )
    for app in (mall, shop):
        publish(app=app, entries=entries(size.releases, "e" * 64, rng), removals=[], now=now)


def _stages(release: Any) -> list[Any]:
    from releases_app.models import Stage

    return [
        Stage(
            release=release,
            position=place,
            kind=stage.kind,
            share=stage.share,
            id_list=stage.id_list or "",
            entered_at=release.created_at + timedelta(hours=place),
        )
        for place, stage in enumerate(GRAY.stages)
    ]
