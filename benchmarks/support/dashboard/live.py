"""The live channel with 500 clients: the cost of a stream that is always coalesced, and the delay of events."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from benchmarks.support.cores import SERVER_CPUS
from benchmarks.support.dashboard.sockets import Plan, Received
from benchmarks.support.outcome import Target
from benchmarks.support.walle import ROOT, Server, serving

USERS = 100
RATE = 25.0
"""Events a second, more than the most frames a second: each frame to each client contains several messages."""
GAUGES_PER_S = 2
TOPICS = 2
"""The topics that each client subscribes to; each event is sent in each of them."""
TARGETS = [
    Target("live_core_share", at_most=0.5),
    Target("live_delivery_p99_ms", at_most=250),
    Target("live_missing_events", at_most=0),
]
BARE = "benchmarks.support.dashboard.broadcast:application"
PLAIN = ("--ws-per-message-deflate", "false")

console = Console()


def measure(folder: Path, clients: int, seconds: float) -> dict[str, float]:
    """Return all figures of the live channel for a number of clients; the database is migrated, Django is set up."""
    cookies, release = _people(clients), _release()
    messages = [json.dumps({"type": "subscribe", "topic": topic}) for topic in ("releases", f"release/{release.pk}")]
    figures: dict[str, float] = {"live_clients": clients, "live_events_per_s": RATE}
    with serving("walleweb.asgi:application", *PLAIN, cpus=SERVER_CPUS) as server:
        figures["live_idle_core_share"] = _idle(server, seconds / 4)
        with writing(release) as written:
            received, share = _received(folder, server, Plan(server.port, "/live", cookies, messages, seconds))
        figures |= _delivery(received, written, clients)
        figures |= {"live_core_share": share, "live_memory_mb": server.resident_mb()}
        figures["live_frames_per_client_s"] = received.frames / clients / (received.ended - received.begun)
        figures["live_bytes_per_frame"] = received.payload / max(1, received.frames)
        figures["live_clients_cpu_share"] = received.cpu_s / (received.ended - received.begun)
    with serving("walleweb.asgi:application", cpus=SERVER_CPUS) as server, writing(release):
        received, share = _received(
            folder, server, Plan(server.port, "/live", cookies, messages, seconds / 2, deflate=True)
        )
        figures |= {
            "live_deflate_core_share": share,
            "live_deflate_bytes_per_frame": received.payload / received.frames,
        }
    os.environ["BENCH_BROADCAST"] = str(folder / "text")
    (folder / "text").write_text("x" * int(figures["live_bytes_per_frame"]))
    with serving(BARE, *PLAIN, cpus=SERVER_CPUS) as server:
        received, share = _received(folder, server, Plan(server.port, "/", cookies, [], seconds / 2))
        figures["bare_core_share"] = share
        figures["bare_frames_per_client_s"] = received.frames / clients / (received.ended - received.begun)
    ours = figures["live_core_share"] / figures["live_frames_per_client_s"]
    figures["live_cpu_times_bare"] = ours / (figures["bare_core_share"] / figures["bare_frames_per_client_s"])
    return figures


def _people(clients: int) -> list[str]:
    """Return the cookies of people who may see the scenario, several sockets each."""
    from django.contrib.auth.models import User
    from django.test import Client

    from accounts_app.actors import SYSTEM
    from accounts_app.services.members import grant_role

    cookies = []
    for number in range(min(USERS, clients)):
        user = User.objects.create_user(f"user-{number}")
        grant_role(actor=SYSTEM, user=user, scope="scenario:camera", role="viewer")
        browser = Client()
        browser.force_login(user)
        cookies.append(f"sessionid={browser.cookies['sessionid'].value}")
    return [cookies[number % len(cookies)] for number in range(clients)]


def _release() -> Any:
    from django.utils import timezone

    from accounts_app.actors import SYSTEM
    from devices_app.services.apps import add_version, create_app
    from devices_app.services.keys import ensure_keys
    from releases_app.models import Release
    from releases_app.services.delivery_grants import allow_delivery
    from releases_app.services.releases import create_release
    from tasks_app.models import Scenario, Task, TaskVersion
    from walle.release.rules import uniform
    from walle.release.strategy import AT_ONCE

    now = timezone.now()
    ensure_keys(now=now)
    shop = create_app(slug="shop", name="Shop", actor=SYSTEM, now=now)
    add_version(app=shop, version="1.0.0", actor=SYSTEM)
    task = Task.objects.create(scenario=Scenario.objects.create(slug="camera"), slug="digits")
    digests = {"manifest_digest": "0" * 64, "envelope_digest": "0" * 64, "commit": "0" * 40, "total_size": 0}
    version = TaskVersion.objects.create(
        task=task, version="1.0.0", tagged_at=now, manifest=b'{"limits":{}}', signed_by="benchmark", **digests
    )
    allow_delivery(app=shop, scenario=task.scenario, complete_early=True, actor=SYSTEM, now=now)
    about = {"app": shop, "version": version, "rule": uniform(["1.0.0"]), "strategy": AT_ONCE}
    release = create_release(**about, actor=SYSTEM, now=now)
    Release.objects.filter(pk=release.pk).update(state="running", position=0)
    return release


@contextmanager
def writing(release: Any) -> Iterator[dict[int, float]]:
    """Change the release repeatedly; yields the commit time of each entry, by the monotonic clock."""
    committed: dict[int, float] = {}
    stop = threading.Event()
    thread = threading.Thread(target=_write, args=[release, committed, stop])
    thread.start()
    try:
        yield committed
    finally:
        stop.set()
        thread.join()


def _write(release: Any, committed: dict[int, float], stop: threading.Event) -> None:
    from django.db import connection, transaction

    from accounts_app.actors import SYSTEM
    from accounts_app.services.audit import record
    from releases_app.models import Release

    due, number = time.monotonic(), 0
    while not stop.wait(max(0.0, due - time.monotonic())):
        with transaction.atomic():
            about = {"target": release, "scope": "scenario:camera", "after": {"number": number, "reason": "benchmark"}}
            entry = record(actor=SYSTEM, action="release.note", **about)
            if number % round(RATE / GAUGES_PER_S) == 0:
                Release.objects.filter(pk=release.pk).update(created_by=f"somebody {number}")
        committed[entry.pk] = time.monotonic()
        number, due = number + 1, due + 1 / RATE
    connection.close()


def _idle(server: Server, seconds: float) -> float:
    """Return the share of a core that the idle server uses."""
    time.sleep(min(2.0, seconds))
    before = server.cpu_seconds()
    time.sleep(seconds)
    return (server.cpu_seconds() - before) / seconds


def _received(folder: Path, server: Server, plan: Plan) -> tuple[Received, float]:
    """Return what the clients received, and the share of a core that the server used meanwhile."""
    place = folder / "plan.json"
    place.write_text(json.dumps(vars(plan)))
    command = [sys.executable, "-m", "benchmarks.support.dashboard.sockets", str(place)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        if process.stdout is None or not process.stdout.readline():
            raise SystemExit("the clients did not come in")
        time.sleep(2)
        before, began = server.cpu_seconds(), time.monotonic()
        time.sleep(max(0.1, plan.seconds - 0.5))
        share = (server.cpu_seconds() - before) / (time.monotonic() - began)
    received = Received(**json.loads(place.with_suffix(".heard").read_text()))
    rate, size = received.frames / (received.ended - received.begun), received.payload / max(1, received.frames)
    text = f"{share:.1%} of a core, {rate:,.0f} frames/s of {size:,.0f} bytes, {received.closed} sockets closed"
    console.print(f"{plan.path} deflate={plan.deflate}: {text}; the clients took {received.cpu_s:.1f} s")
    return received, share


def _delivery(received: Received, committed: dict[int, float], clients: int) -> dict[str, float]:
    """Return the times from commit to client, and how many of all deliveries are missing or duplicates."""
    counted = {event for event, at in committed.items() if received.begun <= at <= received.ended - 0.5}
    late = np.array([at - committed[event] for event, at in received.arrivals if event in counted]) * 1000
    found = {f"live_delivery_p{share}_ms": float(np.percentile(late, share)) for share in (50, 95, 99)}
    found["live_delivery_most_ms"] = float(late.max())
    found["live_missing_events"] = abs(len(counted) * clients * TOPICS - len(late))
    return found
