"""One worker of a plan: a queue, one thread that computes, and an outbox for each worker behind."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import floor

from walle.placement.processor.envelopes import Envelope, Parcel, payload_bytes
from walle.placement.processor.joining import JoinBuffer, product_of_inputs, widest_input
from walle.placement.processor.measuring import OperatorFigures, WorkerFigures
from walle.placement.processor.network import LinkShape, TokenBucket, Traffic
from walle.placement.processor.operators import applying
from walle.placement.processor.outboxes import Outbox, Peer
from walle.placement.processor.routing import RoutingTable
from walle.placement.processor.specs import HostedSpec, OutgoingEdge, WorkerSpec
from walle.placement.processor.windows import WindowBuffer

Arrival = tuple[Parcel, float]
"""A parcel, and when it arrived, in seconds."""


class HostedOperator:
    """An operator with what it waits for, and its figures."""

    def __init__(self, spec: HostedSpec, now: float) -> None:
        self.spec = spec
        self.apply = applying(spec)
        self.began = now
        self.figures = OperatorFigures()
        combine = widest_input if spec.code is None else product_of_inputs
        wait_s = spec.code.join_wait_s if spec.code else 60.0
        self.join = JoinBuffer(spec.inputs, wait_s, combine) if len(spec.inputs) > 1 else None
        self.windows = WindowBuffer(spec.code.window) if spec.code and spec.kind == "group-by" else None
        self.carried = dict.fromkeys((each.target for each in spec.outgoing), 0.0)

    def ready(self, parcel: Parcel, now: float) -> tuple[Envelope, int] | None:
        """Return what a parcel lets the operator compute, and how many records that is for the problem's rates.

        It may be more than what is in the parcel, or nothing yet. A join takes as many as its busiest input brings.
        """
        if self.join is not None:
            return self.join.add(parcel.source, parcel.envelope, now)
        envelope = parcel.envelope if self.windows is None else self.windows.add(parcel.envelope)
        return envelope and (envelope, len(envelope.records))

    def forget(self, below: int) -> None:
        """Let go of what belongs to items that the sink has."""
        for buffer in (self.join, self.windows):
            if buffer is not None:
                buffer.forget(below)

    def flows(self, edge: OutgoingEdge, envelope: Envelope) -> tuple[Envelope, int]:
        """Return what goes over an edge, and its bytes. Stand-ins make as many records as the edge's ratio says."""
        if edge.rate_ratio is not None and envelope.records:
            carried = self.carried[edge.target] + len(envelope.records) * edge.rate_ratio + 1e-9
            self.carried[edge.target] = carried - floor(carried)
            envelope = envelope._replace(records=(None,) * floor(carried))
        if edge.kb is not None:
            return envelope, round(edge.kb * 1024 * len(envelope.records))
        return envelope, payload_bytes(envelope.records)

    def snapshot(self, queue: int, now: float) -> OperatorFigures:
        """Return the figures as they are now."""
        self.figures.queue = queue + len(self.join or ()) + len(self.windows or ())
        self.figures.elapsed_s = now - self.began
        if self.join is not None:
            self.figures.dropped, self.figures.late = self.join.dropped, self.join.late
        return self.figures


class WorkerLoop:
    """Runs a worker of a plan until `close`. Other threads deliver parcels, collect results and read figures."""

    def __init__(
        self,
        spec: WorkerSpec,
        table: RoutingTable,
        peers: Mapping[str, Peer],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.spec = spec
        self._clock = clock
        self._hosted = {each.operator: HostedOperator(each, clock()) for each in spec.hosted}
        self._arrivals: deque[Arrival] = deque()
        self._results: deque[Envelope] = deque()
        self._changed = threading.Condition()
        self._traffic = Traffic()
        self._uplink = [TokenBucket(spec.uplink_mbps, clock())] if spec.uplink_mbps else []
        self._outboxes: dict[str, Outbox] = {}
        self._watermark = 0
        self._closed = False
        self.failure: Exception | None = None
        self.reroute(table, peers)
        self._thread = threading.Thread(target=self._work, name=spec.id, daemon=True)
        self._thread.start()

    def reroute(self, table: RoutingTable, peers: Mapping[str, Peer]) -> None:
        """Send to these workers too from now on; a peer that is another than before is a process started anew."""
        self._table = table
        for receiver, peer in peers.items():
            if receiver not in self._outboxes:
                self._outboxes[receiver] = self._outbox(receiver, peer)
            elif self._outboxes[receiver].peer != peer:
                self._outboxes[receiver].reconnect(peer)

    def _outbox(self, receiver: str, peer: Peer) -> Outbox:
        shape = self.spec.links.get(receiver)
        buckets = self._uplink if shape else []
        return Outbox(
            receiver,
            peer,
            shape or LinkShape(),
            buckets,
            self._traffic,
            watermark=lambda: self._watermark,
            clock=self._clock,
        )

    def deliver(self, parcels: Iterable[Parcel], watermark: int) -> None:
        """Put parcels into the queue. All items below the watermark have been acknowledged."""
        now = self._clock()
        with self._changed:
            self._arrivals += [(each, now) for each in parcels]
            self._watermark = max(self._watermark, watermark)
            self._changed.notify_all()

    def collect(self, timeout_s: float) -> list[Envelope]:
        """Return and forget what the sink's operator has made, as soon as there is something or the time is over.

        Raises what an operator raised, if one did: the worker computes nothing more.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._results or self.failure or self._closed, timeout_s)
            if self.failure:
                raise self.failure
            found = list(self._results)
            self._results.clear()
            return found

    def figures(self) -> WorkerFigures:
        """Return what the worker has done so far. Raises what an operator raised."""
        with self._changed:
            if self.failure:
                raise self.failure
            queues = [parcel.operator for parcel, _ in self._arrivals]
            now = self._clock()
            found = {name: each.snapshot(queues.count(name), now) for name, each in self._hosted.items()}
        return WorkerFigures(found, dict(self._traffic.sent))

    def close(self) -> None:
        """Stop computing and sending."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for outbox in self._outboxes.values():
            outbox.close()

    def _work(self) -> None:
        try:
            while batch := self._next():
                if batch[0][0].operator in self._hosted:
                    self._compute(self._hosted[batch[0][0].operator], batch)
        except Exception as error:
            with self._changed:
                self.failure = error
                self._changed.notify_all()

    def _next(self) -> list[Arrival]:
        """Wait for arrivals, dropping meanwhile what joins gave up; return some of one operator, none at the end."""
        while True:
            with self._changed:
                while not (self._arrivals or self._closed or self._overdue()):
                    self._changed.wait(self._seconds_to_expiry())
                if self._closed:
                    return []
                if not self._overdue():
                    return self._take()
            self._drop_overdue()

    def _take(self) -> list[Arrival]:
        first = self._arrivals.popleft()
        hosted = self._hosted.get(first[0].operator)
        room = hosted.spec.code.batch if hosted and hosted.spec.code else 1
        batch = [first]
        while self._arrivals and len(batch) < room and self._arrivals[0][0].operator == first[0].operator:
            batch.append(self._arrivals.popleft())
        return batch

    def _expiries(self) -> list[float]:
        found = (each.join.next_expiry for each in self._hosted.values() if each.join is not None)
        return [each for each in found if each is not None]

    def _overdue(self) -> bool:
        return any(each <= self._clock() for each in self._expiries())

    def _seconds_to_expiry(self) -> float | None:
        return max(0.0, min(self._expiries()) - self._clock()) if self._expiries() else None

    def _drop_overdue(self) -> None:
        for each in self._hosted.values():
            if each.join is not None:
                self._hand_on(each, each.join.expire(self._clock()))

    def _compute(self, hosted: HostedOperator, batch: Sequence[Arrival]) -> None:
        began, figures = self._clock(), hosted.figures
        hosted.forget(self._watermark)
        for parcel, arrived in batch:
            figures.transit.add(arrived - parcel.handed_at)
        found = [hosted.ready(parcel, began) for parcel, _ in batch]
        ready = [each[0] for each in found if each]
        records = sum(each[1] for each in found if each)
        computing = self._clock()
        made = hosted.apply([each.records for each in ready]) if ready else []
        computed = self._clock()
        self._hand_on(hosted, [each._replace(records=new) for each, new in zip(ready, made, strict=True)])
        ended = self._clock()
        figures.taken += records
        figures.busy_s += computed - computing
        if records:
            figures.service.add((computed - computing) / records, records)
            figures.handling.add((ended - began) / records, records)
            figures.latency.add(ended - batch[0][1], records)

    def _hand_on(self, hosted: HostedOperator, envelopes: Sequence[Envelope]) -> None:
        hosted.figures.emitted += sum(len(each.records) for each in envelopes)
        if not hosted.spec.outgoing:
            with self._changed:
                self._results += envelopes
                self._changed.notify_all()
            return
        for edge in hosted.spec.outgoing:
            for envelope in envelopes:
                sent, size = hosted.flows(edge, envelope)
                receiver = self._table.worker_for(edge.target, envelope.number)
                if receiver in self._outboxes:
                    parcel = Parcel(edge.target, hosted.spec.operator, sent, self._clock())
                    self._outboxes[receiver].put(parcel, size)
