"""The cost of answering check-ins without a server around it: the handler of a gateway in a process of its own."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import psutil

from benchmarks.support import population, targeting
from benchmarks.support.population import Population
from benchmarks.support.targeted_fleet import APP, TRAFFIC, check_ins
from walle.gateway.buffer import CheckInBuffer
from walle.gateway.checkin import CheckInHandler, RawCheckIn
from walle.gateway.ports import AppState, GatewayState
from walle.gateway.table_cache import TableCache
from walle.protocol.canonical import canonical_json
from walle.protocol.keyed import DeviceKey, Keyring
from walle.protocol.signing_libraries import CryptoSigner
from walle.release.decision import CompiledTable
from walle.release.table import Bases, Table
from walleweb.tuning import tune_server_process

_PORTION = 200


@dataclass(frozen=True)
class HandlerCosts:
    """Microseconds of CPU for an answer, by traffic; milliseconds to compile the table; MB for it and the caches."""

    answer_us: dict[str, float]
    compile_ms: float
    memory_mb: float


def handler_costs(releases: int, cpus: Sequence[int], check_ins: int) -> HandlerCosts:
    """Measure the costs of a handler with a number of releases on the given CPUs, over check-ins of each traffic."""
    receiving, sending = multiprocessing.Pipe(duplex=False)

    def work() -> None:
        os.sched_setaffinity(0, cpus)
        sending.send(_measure(releases, check_ins))

    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    sending.close()
    costs: HandlerCosts = receiving.recv()
    process.join()
    return costs


def _measure(releases: int, count: int) -> HandlerCosts:
    rng = np.random.default_rng(2022)
    lists = population.lists(count, rng)
    payload = _table(releases, rng)
    before = psutil.Process().memory_info().rss
    started = time.process_time()
    table = CompiledTable(Table.from_payload(payload), lists)
    compiled = time.process_time() - started
    keyring = Keyring(APP, (DeviceKey("k1", bytes(32)),))
    state = AppState(table, b"", keyring, frozenset(), frozenset(), (), frozenset(), lists)
    people = Population(rng)
    answer_us = {}
    for name, traffic in TRAFFIC.items():
        sent = list(check_ins(traffic, people, state, range(count)))
        answer_us[name] = _answer_us(_handler(state), sent)
    return HandlerCosts(answer_us, compiled * 1e3, (psutil.Process().memory_info().rss - before) / 1e6)


def _table(releases: int, rng: targeting.Rng) -> bytes:
    """Return a signed table as gateways read it."""
    now = int(time.time())
    bases = {"": Bases("https://cdn.example/walle/v1", "https://mall.example/walle/v1")}
    table = Table(APP, 1, now, 60, bases, tuple(targeting.entries(releases, "e" * 64, rng)))
    return canonical_json(table.signed(CryptoSigner.generate_ed25519(), now + 86_400).to_dict())


def _handler(state: AppState) -> CheckInHandler:
    tables = TableCache(_Still(GatewayState(1, {APP: state}, {})), lambda: 0.0)
    asyncio.run(tables.refresh())
    return CheckInHandler(tables, CheckInBuffer(), lambda release: True, time.time, lambda: 0.5)


def _answer_us(handler: CheckInHandler, sent: Sequence[RawCheckIn]) -> float:
    """Return the median over portions of the second half of the check-ins, without disturbances of the machine."""
    tune_server_process()
    costs = []
    for start in range(0, len(sent), _PORTION):
        started = time.process_time()
        for raw in sent[start : start + _PORTION]:
            handler.answer(raw)
        costs.append((time.process_time() - started) / _PORTION * 1e6)
    return float(np.median(costs[len(costs) // 2 :]))


class _Still:
    """A table source that never changes."""

    def __init__(self, state: GatewayState) -> None:
        self._state = state

    async def read(self, revision: int | None) -> GatewayState | None:
        return None if revision == self._state.revision else self._state

    async def wait(self, timeout: float) -> None:
        await asyncio.sleep(timeout)

    async def close(self) -> None:
        return None
