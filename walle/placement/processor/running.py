"""A run of a plan: sources, workers, sink, and what happens when a worker fails. The machines are a backend's."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

from walle.placement.problem.model import PlacementPlan, PlacementProblem
from walle.placement.processor.envelopes import Envelope, Parcel, payload_bytes
from walle.placement.processor.ledger import SourceLedger
from walle.placement.processor.measuring import DurationCounts, OperatorFigures, WorkerFigures, together
from walle.placement.processor.network import LinkShape, TokenBucket, Traffic, usd
from walle.placement.processor.outboxes import Outbox, Peer, WorkerLost
from walle.placement.processor.planning import Deployment, NotRunnable, WorkflowCode, deploy, without
from walle.placement.processor.reports import RunReport
from walle.placement.processor.routing import RoutingTable
from walle.placement.processor.specs import OutgoingEdge, WorkerSpec

LOOK_S: Final = 0.5
"""Workers are looked at this often."""
ASKED_AT_ONCE: Final = 32
COLLECT_S: Final = 1.0
"""A worker that has no results answers after this long that it has none."""


class RunFailed(Exception):
    """A run cannot go on; the message says why. What the sink was given stays acknowledged."""


class WorkerHandle(Peer, Protocol):
    """A running worker of a backend. All methods raise WorkerLost; what an operator raises is raised as it is."""

    def collect(self, timeout_s: float) -> list[Envelope]: ...

    def figures(self) -> WorkerFigures: ...

    def reroute(self, table: RoutingTable, peers: Mapping[str, WorkerHandle]) -> None: ...

    def close(self) -> None: ...


class Backend(Protocol):
    """Starts workers. `start` returns once they are there, with a handle for each that could be started."""

    def start(self, specs: Sequence[WorkerSpec], table: RoutingTable) -> dict[str, WorkerHandle]: ...


class Result(NamedTuple):
    """What the workflow made of an item, or of those of a window."""

    number: int
    items: int
    records: tuple[Any, ...]


@dataclass(frozen=True)
class RunSettings:
    """How to run: items per second (the problem's if None, as fast as possible if infinite), and how many at once.

    `restarts` is how often a run may start workers again before it is given up.
    """

    rate: float | None = None
    in_flight: int | None = None
    restarts: int = 10


Items = Iterator[Mapping[str, Any]]
"""Of each item, the record of each source."""
Replan = Callable[[PlacementProblem], PlacementPlan | None]
"""Finds another plan for what is left of a problem; None if there is none."""


class PlanRun:
    """Runs a plan on items until they end, `stop` is called, or it fails.

    The sink is given each result once, in the order in which results arrive. When it has returned, their items are
    acknowledged: only then do the sources let go of them. Whatever fails meanwhile, they are sent again (at least
    once), and results that come a second time are left out.
    """

    def __init__(
        self,
        problem: PlacementProblem,
        plan: PlacementPlan,
        backend: Backend,
        items: Items,
        sink: Callable[[Sequence[Result]], object],
        *,
        code: WorkflowCode | None = None,
        settings: RunSettings | None = None,
        replan: Replan | None = None,
        progress: Callable[[RunReport], object] = lambda report: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._problem, self._plan, self._code = problem, plan, code or WorkflowCode()
        self._backend, self._items, self._sink = backend, items, sink
        self._settings, self._replan, self._progress = settings or RunSettings(), replan, progress
        self._clock = clock
        self._deployment = deploy(problem, plan, self._code)
        self._prices = dict(self._deployment.prices)
        in_flight = self._settings.in_flight or self._deployment.in_flight
        if in_flight < max(self._deployment.table.windows.values(), default=1):
            raise NotRunnable(f"expected as many items on their way as a window has, found {in_flight}")
        self._ledger = SourceLedger(in_flight)
        self._changed = threading.Condition()
        self._stopping = threading.Event()
        self._asking = ThreadPoolExecutor(ASKED_AT_ONCE, "figures")
        self._handles: dict[str, WorkerHandle] = {}
        self._outboxes: dict[str, Outbox] = {}
        self._traffic = Traffic()
        self._exhausted = False
        self._failure: Exception | None = None
        self._retired: dict[str, list[WorkerFigures]] = {}
        self._current: dict[str, WorkerFigures] = {}
        self._sent_at: dict[int, float] = {}
        self._latency = DurationCounts()
        self._counts: Counter[str] = Counter()
        self._carried: dict[tuple[str, str], float] = {}
        self._lost_workers: frozenset[str] = frozenset()
        self._began = self._first = self._last = clock()

    @property
    def deployment(self) -> Deployment:
        """What runs now: that of the plan, or of the one that took its place."""
        return self._deployment

    def stop(self) -> None:
        """Send no further items; the run ends when those on their way are acknowledged."""
        self._stopping.set()
        with self._changed:
            self._changed.notify_all()

    def run(self) -> RunReport:
        """Run until the end; return what was achieved. Raises RunFailed, and what operators and the sink raise."""
        try:
            self._start_workers(list(self._deployment.workers.values()))
            self._began = self._first = self._last = self._clock()
            threading.Thread(target=self._feed, name="sources", daemon=True).start()
            while not self._done():
                self._look()
                self._progress(self.report())
                with self._changed:
                    self._changed.wait_for(self._done, LOOK_S)
            with suppress(WorkerLost):
                self._read_figures()
            return self.report()
        finally:
            self._close()

    def _done(self) -> bool:
        if self._failure:
            raise self._failure
        return self._exhausted and not self._ledger.pending

    def _close(self) -> None:
        self._stopping.set()
        with self._changed:
            self._exhausted = True
            self._changed.notify_all()
        for outbox in self._outboxes.values():
            outbox.close()
        for handle in self._handles.values():
            with suppress(WorkerLost):
                handle.close()
        self._handles = {}
        self._asking.shutdown()

    # Sources

    def _feed(self) -> None:
        """Send each item when it is due and there is room for it: sources slow down and lose nothing."""
        rate = self._settings.rate or self._deployment.rate
        try:
            item = next(self._items, None)
            while item is not None and not self._stopping.is_set():
                following = next(self._items, None)
                if not self._wait_until(self._first + self._ledger.admitted / rate):
                    following = None
                self._admit(item, last=following is None)
                item = following
        except Exception as error:
            self._fail(error)
        with self._changed:
            self._exhausted = True
            self._changed.notify_all()

    def _wait_until(self, due: float) -> bool:
        """Wait until an item is due and may be sent; return False if the run is being stopped."""
        self._stopping.wait(max(0.0, due - self._clock()))
        with self._changed:
            if not self._ledger.has_room:
                self._counts["throttled"] += 1
            self._changed.wait_for(lambda: self._ledger.has_room or self._failure or self._stopping.is_set())
        return not self._stopping.is_set()

    def _admit(self, item: Mapping[str, Any], *, last: bool) -> None:
        with self._changed:
            number = self._ledger.admit((item, last))
            self._sent_at[number] = self._clock()
            self._send(number, item, last=last)

    def _send(self, number: int, item: Mapping[str, Any], *, last: bool) -> None:
        for source, edges in self._deployment.source_edges.items():
            for edge in edges:
                records, size = self._records(source, edge, item)
                receiver = self._deployment.table.worker_for(edge.target, number)
                if receiver in self._outboxes:
                    parcel = Parcel(edge.target, source, Envelope(number, 1, last, records), self._clock())
                    self._outboxes[receiver].put(parcel, size)

    def _records(self, source: str, edge: OutgoingEdge, item: Mapping[str, Any]) -> tuple[tuple[Any, ...], int]:
        if edge.kb is None or edge.rate_ratio is None:
            records = (item[source],)
            return records, payload_bytes(records)
        carried = self._carried.get((source, edge.target), 0.0) + edge.rate_ratio + 1e-9
        self._carried[source, edge.target] = carried - int(carried)
        return (None,) * int(carried), round(edge.kb * 1024 * int(carried))

    # Sink

    def _collect(self, worker: str, handle: WorkerHandle) -> None:
        """Take the results of one worker of the sink's operator for as long as it is this one."""
        try:
            while self._handles.get(worker) is handle:
                self._accept(handle.collect(COLLECT_S))
        except WorkerLost:
            return
        except Exception as error:
            if self._handles.get(worker) is handle:
                self._fail(error)

    def _accept(self, envelopes: Sequence[Envelope]) -> None:
        if not envelopes:
            return
        with self._changed:
            fresh, seen = [], set()
            for each in envelopes:
                known = each.number not in seen and self._ledger.is_pending(each.number)
                self._ledger.duplicates += not known
                seen.add(each.number)
                if known:
                    fresh.append(each)
            self._sink([Result(each.number, each.items, each.records) for each in fresh if each.records])
            self._acknowledge(fresh)
            self._changed.notify_all()

    def _acknowledge(self, envelopes: Sequence[Envelope]) -> None:
        self._last = now = self._clock()
        for each in envelopes:
            self._counts["empty" if not each.records else "results"] += 1
            self._counts["records"] += len(each.records)
            for number in self._ledger.acknowledge(range(each.number, each.stop)):
                self._latency.add(now - self._sent_at.pop(number))

    def _fail(self, error: Exception) -> None:
        with self._changed:
            self._failure = self._failure or error
            self._changed.notify_all()

    # Workers

    def _start_workers(self, specs: Sequence[WorkerSpec]) -> None:
        """Start workers, tell all who is where, and collect from those of the sink's operator."""
        started = self._backend.start(specs, self._deployment.table)
        self._handles |= started
        self._lost_workers |= {each.id for each in specs} - set(started)
        if self._lost_workers & set(self._deployment.workers):
            self._plan_again()
            return
        for worker, handle in self._handles.items():
            with suppress(WorkerLost):
                handle.reroute(self._deployment.table, self._behind(worker))
        self._connect_sources()
        for worker, handle in started.items():
            if any(not each.outgoing for each in self._deployment.workers[worker].hosted):
                threading.Thread(
                    target=self._collect, args=(worker, handle), name=f"from {worker}", daemon=True
                ).start()

    def _behind(self, worker: str) -> dict[str, WorkerHandle]:
        """Return the handles of those to whom a worker sends."""
        targets = {edge.target for each in self._deployment.workers[worker].hosted for edge in each.outgoing}
        return {each: self._handles[each] for target in targets for each in self._deployment.table.workers[target]}

    def _connect_sources(self) -> None:
        deployment = self._deployment
        targets = {edge.target for edges in deployment.source_edges.values() for edge in edges}
        buckets = [TokenBucket(deployment.source_mbps, self._clock())] if deployment.source_mbps else []
        with self._changed:
            for worker in {each for target in targets for each in deployment.table.workers[target]}:
                if worker in self._outboxes:
                    if self._outboxes[worker].peer != self._handles[worker]:
                        self._outboxes[worker].reconnect(self._handles[worker])
                    continue
                self._outboxes[worker] = Outbox(
                    worker,
                    self._handles[worker],
                    deployment.source_links.get(worker, LinkShape()),
                    buckets if worker in deployment.source_links else [],
                    self._traffic,
                    watermark=lambda: self._ledger.watermark,
                    clock=self._clock,
                )

    def _look(self) -> None:
        """Read figures of all workers; start those again that are gone, and send again what they had."""
        lost = self._read_figures()
        if not lost:
            return
        for worker in lost:
            self._handles.pop(worker)
            self._retired.setdefault(worker, []).append(self._current.pop(worker, WorkerFigures({}, {})))
        self._counts["restarts"] += len(lost)
        if self._counts["restarts"] > self._settings.restarts:
            raise RunFailed(f"workers were lost {self._counts['restarts']} times, the last was {lost[-1]}")
        self._start_workers([self._deployment.workers[each] for each in lost])
        self._send_again(lost)

    def _read_figures(self) -> list[str]:
        """Read the figures of all workers at once; return those that are lost.

        A machine that is gone may leave its workers without an answer: they are waited for together.
        """
        lost = []
        answers = {worker: self._asking.submit(handle.figures) for worker, handle in self._handles.items()}
        for worker, answer in answers.items():
            try:
                self._current[worker] = answer.result()
            except WorkerLost:
                lost.append(worker)
        return lost

    def _send_again(self, workers: Sequence[str]) -> None:
        """Send items again that workers had to do with and that are not acknowledged."""
        with self._changed:
            table = self._deployment.table
            passing = {number for each in workers for number in table.passing(self._ledger.pending, each)}
            for number, (item, last) in self._ledger.items(sorted(passing)):
                self._counts["sent_again"] += 1
                self._send(number, item, last=last)

    def _plan_again(self) -> None:
        """Let another plan take over from one whose workers cannot be started again. Raises RunFailed without one."""
        lost = ", ".join(sorted(self._lost_workers & set(self._deployment.workers)))
        plan = self._replan(without(self._problem, self._lost_workers)) if self._replan else None
        if plan is None:
            raise RunFailed(f"no machine is left for {lost}, and no other plan does without")
        try:
            deployment = deploy(self._problem, plan, self._code)
        except NotRunnable as error:
            raise RunFailed(f"no machine is left for {lost}: {error}") from error
        self._counts["replans"] += 1
        self._retire_all()
        self._plan, self._deployment = plan, deployment
        self._prices |= deployment.prices
        self._start_workers(list(deployment.workers.values()))
        with self._changed:
            for number, (item, last) in self._ledger.items(self._ledger.pending):
                self._counts["sent_again"] += 1
                self._send(number, item, last=last)

    def _retire_all(self) -> None:
        with self._changed:
            for outbox in self._outboxes.values():
                outbox.close()
            self._outboxes = {}
        handles, self._handles = self._handles, {}
        for worker, handle in handles.items():
            self._retired.setdefault(worker, []).append(self._current.pop(worker, WorkerFigures({}, {})))
            with suppress(WorkerLost):
                handle.close()

    # Figures

    def report(self) -> RunReport:
        """Return what has been achieved so far."""
        by_worker = {worker: [*self._retired.get(worker, ()), *self._now(worker)] for worker in self._workers_seen()}
        operators: dict[tuple[str, str], OperatorFigures] = {}
        for worker, figures in by_worker.items():
            for name in {name for each in figures for name in each.operators}:
                operators[name, worker] = together(each.operators[name] for each in figures if name in each.operators)
        sent: dict[str | None, dict[str, int]] = {None: dict(self._traffic.sent)}
        for worker, found in by_worker.items():
            sent[worker] = dict(sum((Counter(each.sent) for each in found), Counter[str]()))
        with self._changed:
            return RunReport(
                elapsed_s=self._last - self._first,
                admitted=self._ledger.admitted,
                acknowledged=self._ledger.acknowledged,
                pending=len(self._ledger.pending),
                counts=dict(self._counts) | {"duplicates": self._ledger.duplicates},
                latency=self._latency + DurationCounts(),
                operators=operators,
                sent=sent,
                network_usd=self._network_usd(sent),
                deployment=self._deployment,
            )

    def _workers_seen(self) -> list[str]:
        return list(dict.fromkeys([*self._current, *self._retired]))

    def _now(self, worker: str) -> list[WorkerFigures]:
        return [self._current[worker]] if worker in self._current else []

    def _network_usd(self, sent: Mapping[str | None, Mapping[str, int]]) -> float:
        return sum(
            usd(found, {receiver: self._prices[sender, receiver] for receiver in found})
            for sender, found in sent.items()
        )
