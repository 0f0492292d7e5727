"""Outboxes: in order, to the process that is there now, and nothing after their end."""

from __future__ import annotations

import threading

from tests.support.waiting import FACTOR, wait_for
from walle.placement.processor.envelopes import Envelope, Parcel
from walle.placement.processor.network import LinkShape, Traffic
from walle.placement.processor.outboxes import MAX_PARCELS, Outbox, WorkerLost

NO_SHAPE = LinkShape()


class Process:
    """A process of a worker: takes deliveries; one that `hangs` keeps the sender until it gives up, or is let go."""

    def __init__(self, *, hangs=False):
        self.batches, self.watermarks = [], []
        self.hangs, self.let_go, self.given_up = hangs, threading.Event(), threading.Event()

    def deliver(self, parcels, watermark, abandoned):
        self.batches.append([each.envelope.number for each in parcels])
        self.watermarks.append(watermark)
        while self.hangs and not self.let_go.wait(0.01):
            if abandoned():
                self.given_up.set()
                return

    @property
    def numbers(self):
        return [number for batch in self.batches for number in batch]


class Lost(Process):
    def deliver(self, parcels, watermark, abandoned):
        super().deliver(parcels, watermark, abandoned)
        raise WorkerLost


def outbox(peer, shape=NO_SHAPE, traffic=None, **options):
    options = {"watermark": lambda: 7, "clock": lambda: 0.0} | options
    return Outbox("w1", peer, shape, [], traffic or Traffic(), **options)


def put(box, *numbers, size=1):
    for number in numbers:
        box.put(Parcel("op", "source", Envelope(number, 1, False, ()), 0.0), size)


def test_what_comes_while_a_delivery_is_on_its_way_goes_together_in_order():
    peer, traffic = Process(hangs=True), Traffic()
    box = outbox(peer, traffic=traffic)
    put(box, 0)
    wait_for(lambda: peer.batches)
    put(box, *range(1, MAX_PARCELS + 2))
    peer.let_go.set()
    wait_for(lambda: len(peer.batches) == 3)
    assert peer.batches == [[0], [*range(1, MAX_PARCELS + 1)], [MAX_PARCELS + 1]]
    assert peer.watermarks == [7, 7, 7]
    assert traffic.sent == {"w1": MAX_PARCELS + 2}
    box.close()


def test_a_process_that_took_the_place_of_another_gets_only_what_comes_afterwards():
    before, after = Process(hangs=True), Process()
    box = outbox(before)
    put(box, 0)
    wait_for(lambda: before.batches)
    put(box, 1, 2)
    box.reconnect(after)
    assert before.given_up.wait(20 * FACTOR), "nobody waits for the process that is gone"
    put(box, 3)
    wait_for(lambda: after.batches)
    assert (before.numbers, after.numbers) == ([0], [3])
    box.close()


def test_what_a_lost_process_was_sent_is_given_up_and_the_next_is_tried():
    peer = Lost()
    box = outbox(peer, wait=lambda event, seconds: None)
    put(box, 0)
    wait_for(lambda: peer.batches)
    put(box, 1)
    wait_for(lambda: len(peer.batches) == 2)
    assert peer.batches == [[0], [1]]
    box.close()


def test_after_its_end_an_outbox_sends_nothing_and_has_no_thread():
    idle, busy, delayed = Process(), Process(hangs=True), Process()
    boxes = [outbox(idle), outbox(busy), outbox(delayed, LinkShape(delay_s=3600))]
    threads = [each for each in threading.enumerate() if each.name == "to w1"]
    assert len(threads) >= 3
    put(boxes[1], 0)
    put(boxes[2], 0)
    wait_for(lambda: busy.batches)
    put(boxes[1], 1)
    for each in boxes:
        each.close()
    for each in threads:
        each.join(20 * FACTOR)
    assert [each for each in threads if each.is_alive()] == []
    assert (idle.numbers, busy.numbers) == ([], [0])


def test_links_delay_and_meter_what_they_carry():
    waits, peer = [], Process()
    box = outbox(peer, LinkShape(mbps=8.0, delay_s=0.25), wait=lambda event, seconds: waits.append(seconds))
    put(box, 0, size=550_000)
    wait_for(lambda: peer.batches)
    # A burst of 50 ms passes at once; the rest takes half a second on 1 MB/s, on top of the delay.
    assert [round(each, 6) for each in waits] == [0.75]
    box.close()
