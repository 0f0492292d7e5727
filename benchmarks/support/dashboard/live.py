"""The live channel with 500 clients: the cost of a stream that is always coalesced, and the delay of events.

Once all follow one release, and once each follows one of 50, which only few people may see.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console

from benchmarks.support.cores import SERVER_CPUS
from benchmarks.support.dashboard.sockets import Plan, Received
from benchmarks.support.outcome import Target
from benchmarks.support.walle import ROOT, Server, serving

USERS = 100
SPREAD = 50
"""How many releases are followed where the clients are spread."""
PEOPLE_OF_EACH = 2
RATE = 25.0
"""Events a second, more than the most frames a second: each frame to each client contains several messages."""
GAUGES_PER_S = 2
TOPICS = 2
"""The topics that each client subscribes to; each event is sent in each of them."""
TARGETS = [
    Target("live_core_share", at_most=0.5),
    Target("live_delivery_p99_ms", at_most=250),
    Target("live_missing_events", at_most=0),
    Target("spread_core_share", at_most=0.5),
    Target("spread_delivery_p99_ms", at_most=250),
    Target("spread_missing_events", at_most=0),
]
BARE = "benchmarks.support.dashboard.broadcast:application"
PLAIN = ("--ws-per-message-deflate", "false")

console = Console()


class Written(NamedTuple):
    """When an event was committed, by the monotonic clock, and the number of the release that it is of."""

    at: float
    release: int


@dataclass(frozen=True)
class Following:
    """Who follows what: the cookie of each client, and the number of the release that it follows."""

    cookies: Sequence[str]
    releases: Sequence[Any]
    followed: Sequence[int]

    def plan(self, port: int, seconds: float, *, deflate: bool = False) -> Plan:
        """Return what the clients do: each subscribes to its release, and to the list of moves."""
        topics = (("releases", f"release/{self.releases[number].pk}") for number in self.followed)
        messages = [[json.dumps({"type": "subscribe", "topic": topic}) for topic in each] for each in topics]
        return Plan(port, "/live", list(self.cookies), messages, seconds, deflate)


def measure(folder: Path, clients: int, seconds: float) -> dict[str, float]:
    """Return all figures of the live channel for a number of clients; the database is migrated, Django is set up."""
    cookies, release = people("camera", min(USERS, clients)), running_release("camera")
    together = Following([cookies[number % len(cookies)] for number in range(clients)], [release], [0] * clients)
    figures: dict[str, float] = {"live_clients": clients, "live_events_per_s": RATE}
    with serving("walleweb.asgi:application", *PLAIN, cpus=SERVER_CPUS) as server:
        figures["live_idle_core_share"] = _idle(server, seconds / 4)
        figures |= _told(folder, server, together, seconds, "live")
    with serving("walleweb.asgi:application", cpus=SERVER_CPUS) as server, writing([release]):
        received, share = _received(folder, server, together.plan(server.port, seconds / 2, deflate=True))
        figures |= {
            "live_deflate_core_share": share,
            "live_deflate_bytes_per_frame": received.payload / received.frames,
        }
    os.environ["BENCH_BROADCAST"] = str(folder / "text")
    (folder / "text").write_text("x" * int(figures["live_bytes_per_frame"]))
    with serving(BARE, *PLAIN, cpus=SERVER_CPUS) as server:
        nothing: list[list[str]] = [[]] * clients
        received, share = _received(
            folder, server, Plan(server.port, "/", list(together.cookies), nothing, seconds / 2)
        )
        figures["bare_core_share"] = share
        figures["bare_frames_per_client_s"] = received.frames / clients / (received.ended - received.begun)
    ours = figures["live_core_share"] / figures["live_frames_per_client_s"]
    figures["live_cpu_times_bare"] = ours / (figures["bare_core_share"] / figures["bare_frames_per_client_s"])
    with serving("walleweb.asgi:application", *PLAIN, cpus=SERVER_CPUS) as server:
        figures |= _told(folder, server, spread(clients), seconds, "spread")
    return figures


def spread(clients: int) -> Following:
    """Return clients of which each follows one of SPREAD releases; two people may see each, and nothing else."""
    scenarios = [f"camera-{number}" for number in range(min(SPREAD, clients))]
    releases = [running_release(scenario) for scenario in scenarios]
    cookies = [people(scenario, PEOPLE_OF_EACH) for scenario in scenarios]
    followed = [number % len(scenarios) for number in range(clients)]
    place = [number // len(scenarios) % PEOPLE_OF_EACH for number in range(clients)]
    return Following([cookies[to][by] for to, by in zip(followed, place, strict=True)], releases, followed)


def _told(folder: Path, server: Server, following: Following, seconds: float, name: str) -> dict[str, float]:
    """Return what it costs to tell clients of what they follow, and how soon they hear it."""
    with writing(following.releases) as written:
        received, share = _received(folder, server, following.plan(server.port, seconds))
    clients, window = len(following.cookies), received.ended - received.begun
    found = _delivery(received, written, Counter(following.followed)) | {
        "core_share": share,
        "memory_mb": server.resident_mb(),
        "frames_per_client_s": received.frames / clients / window,
        "bytes_per_frame": received.payload / max(1, received.frames),
        "clients_cpu_share": received.cpu_s / window,
    }
    return {f"{name}_{figure}": value for figure, value in found.items()}


def people(scenario: str, count: int) -> list[str]:
    """Return the cookies of people who may see a scenario, and nothing else."""
    from django.contrib.auth.models import User
    from django.test import Client

    from accounts_app.actors import SYSTEM
    from accounts_app.services.members import grant_role

    cookies = []
    for number in range(count):
        user = User.objects.create_user(f"user-{number}-of-{scenario}")
        grant_role(actor=SYSTEM, user=user, scope=f"scenario:{scenario}", role="viewer")
        browser = Client()
        browser.force_login(user)
        cookies.append(f"sessionid={browser.cookies['sessionid'].value}")
    return cookies


def running_release(scenario: str) -> Any:
    """Return a release of a task of a new scenario, which runs at once in an app of its own."""
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
    shop = create_app(slug=f"shop-{scenario}", name="Shop", actor=SYSTEM, now=now)
    add_version(app=shop, version="1.0.0", actor=SYSTEM)
    task = Task.objects.create(scenario=Scenario.objects.create(slug=scenario), slug="digits")
    digest = sha256(scenario.encode()).hexdigest()
    digests = {"manifest_digest": digest, "envelope_digest": "0" * 64, "commit": "0" * 40, "total_size": 0}
    version = TaskVersion.objects.create(
        task=task, version="1.0.0", tagged_at=now, manifest=b'{"limits":{}}', signed_by="benchmark", **digests
    )
    allow_delivery(app=shop, scenario=task.scenario, complete_early=True, actor=SYSTEM, now=now)
    about = {"app": shop, "version": version, "rule": uniform(["1.0.0"]), "strategy": AT_ONCE}
    release = create_release(**about, actor=SYSTEM, now=now)
    Release.objects.filter(pk=release.pk).update(state="running", position=0)
    return release


@contextmanager
def writing(releases: Sequence[Any]) -> Iterator[dict[int, Written]]:
    """Change the releases in turn, repeatedly; yields what was committed, by the event."""
    committed: dict[int, Written] = {}
    stop = threading.Event()
    thread = threading.Thread(target=_write, args=[releases, committed, stop])
    thread.start()
    try:
        yield committed
    finally:
        stop.set()
        thread.join()


def _write(releases: Sequence[Any], committed: dict[int, Written], stop: threading.Event) -> None:
    from django.db import connection, transaction

    from accounts_app.actors import SYSTEM
    from accounts_app.services.audit import record
    from releases_app.models import Release

    due, number = time.monotonic(), 0
    while not stop.wait(max(0.0, due - time.monotonic())):
        place = number % len(releases)
        release = releases[place]
        scope = f"scenario:{release.version.task.scenario.slug}"
        with transaction.atomic():
            about = {"target": release, "scope": scope, "after": {"number": number, "reason": "benchmark"}}
            entry = record(actor=SYSTEM, action="release.note", **about)
            if number % round(RATE / GAUGES_PER_S) == 0:
                Release.objects.filter(pk=release.pk).update(created_by=f"somebody {number}")
        committed[entry.pk] = Written(time.monotonic(), place)
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


def _delivery(received: Received, committed: dict[int, Written], followers: Counter[int]) -> dict[str, float]:
    """Return the times from commit to client, and how many of all deliveries are missing, duplicates or another's."""
    counted = {event: each for event, each in committed.items() if received.begun <= each.at <= received.ended - 0.5}
    late = np.array([at - counted[event].at for event, at in received.arrivals if event in counted]) * 1000
    found = {f"delivery_p{share}_ms": float(np.percentile(late, share)) for share in (50, 95, 99)}
    arrived = Counter(event for event, _ in received.arrivals)
    wrong = (abs(followers[each.release] * TOPICS - arrived[event]) for event, each in counted.items())
    return found | {"delivery_most_ms": float(late.max()), "missing_events": sum(wrong)}
