"""The pipelines and serving hosts in the large Walle of the benchmark `api`: figures of a day, and many plans."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from benchmarks.support.api.seed import Size

TASK: Final = "model-0"
HOST: Final = "serving-0"


def write_pipelines(size: Size, now: datetime) -> None:
    """Write them into a database that has the scenarios and apps."""
    from devices_app.models import App
    from serving_app.models import HostedPlan, HostMinute, PredictionCount, ServingHost
    from serving_app.services.explaining import keep_explanation
    from tasks_app.models import Scenario, Task, TaskVersion
    from walle.conformance.client.repository import manifest_fields
    from walle.protocol.canonical import canonical_digest, canonical_json
    from walle.protocol.names import SemVer

    app, scenario = App.objects.get(slug="mall"), Scenario.objects.get(slug="bench-0")
    tasks = Task.objects.bulk_create(Task(scenario=scenario, slug=f"model-{n}") for n in range(size.pipelines))
    manifests = {task: manifest_fields(task.name, "1.0.0", []) | {"kind": "pipeline"} for task in tasks}
    versions = TaskVersion.objects.bulk_create(
        TaskVersion(
            task=task,
            version="1.0.0",
            kind="pipeline",
            order=SemVer.parse("1.0.0").sort_key,
            commit="0" * 40,
            author_name="Ada",
            tagged_at=now,
            manifest=canonical_json(manifest),
            manifest_digest=canonical_digest(manifest),
            envelope_digest="e" * 64,
            signed_by="k1",
            total_size=100_000,
        )
        for task, manifest in manifests.items()
    )
    keep_explanation(versions[0], explanation={"imported": [{"id": str(n)} for n in range(500)]}, now=now)
    state = {"memory": {"shared_bytes": 1, "unshared_bytes": 25}, "plans": {}}
    hosts = ServingHost.objects.bulk_create(
        ServingHost(name=f"serving-{n}", started_at=now, seen_at=now, installed=size.pipelines, state=state)
        for n in range(size.hosts)
    )
    named = [
        {"task": version.task.name, "version": "1.0.0", "manifest": version.manifest_digest} for version in versions
    ]
    HostedPlan.objects.bulk_create(
        HostedPlan(host=host, state="ready", since=now, **about) for host in hosts for about in named
    )
    minutes = [now.replace(second=0, microsecond=0) - timedelta(minutes=n) for n in range(size.host_minutes)]
    HostMinute.objects.bulk_create(HostMinute(host=host, at=at, state=state) for host in hosts for at in minutes)
    counts = {"requests": 60, "records": 600, "failed": 1, "refused": 1}
    histograms = {"latency": [0] * 40 + [60], "scores": [30] * 20}
    PredictionCount.objects.bulk_create(
        PredictionCount(app=app, at=at, **about, **counts, **histograms)
        for place, about in enumerate(named)
        for at in (minutes if place == 0 else minutes[:10])
    )
