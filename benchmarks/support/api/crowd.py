"""Several clients at once: each reads pages of REST in an order of its own, and sometimes writes."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

import httpx
import numpy as np

from benchmarks.support.api.requests import PREFIX
from benchmarks.support.ratios import Ratio
from benchmarks.support.walle import Server

WRITES_EVERY: Final = 10
"""One request of this many writes."""
CSRF: Final = "x" * 32


def client_of(server: Server, session: str) -> httpx.Client:
    """Return a client with somebody's session, which may write."""
    cookies = {"sessionid": session, "csrftoken": CSRF}
    address = f"http://127.0.0.1:{server.port}"
    return httpx.Client(base_url=address, cookies=cookies, headers={"X-CSRFToken": CSRF}, timeout=60)


@dataclass(frozen=True)
class Visit:
    """The server, the sessions, the addresses and the duration of the clients."""

    server: Server
    session: str
    pages: Sequence[str]
    seconds: float


def crowded(visit: Visit, clients: int, pairs: int) -> dict[str, float]:
    """Alternate one client and several; return rates, latencies and the ratio of the rates by pair."""
    ratios: list[float] = []
    found: dict[int, list[float]] = {1: [], clients: []}
    for number in range(pairs):
        rates = {}
        for count in (1, clients) if number % 2 == 0 else (clients, 1):
            times = _slice(visit, count, number)
            rates[count] = len(times) / visit.seconds
            found[count] += times
        ratios.append(rates[clients] / rates[1])
    figures = {f"crowd_{count}_rate": len(times) / visit.seconds / pairs for count, times in found.items()}
    for count, times in found.items():
        figures |= {f"crowd_{count}_p{share}_ms": float(np.percentile(times, share)) for share in (50, 95, 99)}
    return figures | {"crowd_clients": clients} | Ratio.of(ratios).figures("crowd_rate_ratio")


def _slice(visit: Visit, clients: int, number: int) -> list[float]:
    """Return the milliseconds of all requests of a number of clients, each of which sends one after the other."""
    together = threading.Barrier(clients)

    def send_requests(place: int) -> list[float]:
        rng, times = random.Random(f"{number} {place}"), []
        with client_of(visit.server, visit.session) as client:
            together.wait()
            until = time.perf_counter() + visit.seconds
            while (started := time.perf_counter()) < until:
                if rng.randrange(WRITES_EVERY) == 0:
                    device = f"device-{rng.randrange(1000, 2000):09d}"
                    facts = {"facts": {"vip": rng.random() < 0.5}}
                    answer = client.put(f"{PREFIX}/apps/mall/user-facts/{device}", json=facts)
                else:
                    answer = client.get(rng.choice(visit.pages))
                times.append((time.perf_counter() - started) * 1000)
                if not answer.is_success:
                    raise SystemExit(f"{answer.url} answered {answer.status_code}: {answer.text[:300]}")
        return times

    with ThreadPoolExecutor(clients) as pool:
        return [each for times in pool.map(send_requests, range(clients)) for each in times]
