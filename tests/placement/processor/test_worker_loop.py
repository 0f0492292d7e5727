"""One worker of a plan: what it lets go of, whom it sends to, and its end."""

from __future__ import annotations

import threading

import pytest

from tests.placement.processor.problems import ANSWERING, answering
from tests.placement.processor.test_outboxes import Process
from tests.support.waiting import FACTOR, wait_for
from walle.placement.processor.envelopes import Envelope, Parcel
from walle.placement.processor.planning import WorkflowCode, deploy
from walle.placement.processor.worker_loop import WorkerLoop

DEPLOYMENT = deploy(answering(latency_ms=0.01), ANSWERING, WorkflowCode())


@pytest.fixture
def loop():
    """Return a function that starts a worker of the deployment with some peers, which the test ends."""
    started = []

    def start(worker, peers=()):
        started.append(WorkerLoop(DEPLOYMENT.workers[worker], DEPLOYMENT.table, dict(peers)))
        return started[-1]

    yield start
    for each in started:
        each.close()


def parcel(number, source, target="answer"):
    return Parcel(target, source, Envelope(number, 1, False, (None,)), 0.0)


def test_halves_of_items_that_the_sink_has_are_let_go(loop):
    answer = loop("cloud-2")
    answer.deliver([parcel(0, "features")], 0)
    answer.deliver([parcel(7, "features"), parcel(7, "speech")], 5)
    assert [each.number for each in answer.collect(20 * FACTOR)] == [7]
    assert answer.figures().operators["answer"].queue == 0


def test_a_watermark_never_falls_and_is_handed_on(loop):
    peer = Process()
    features = loop("edge-1", {"cloud-2": peer})
    features.deliver([], 9)
    features.deliver([parcel(9, "image", "features")], 3)
    wait_for(lambda: peer.batches)
    assert (peer.numbers, peer.watermarks) == ([9], [9])


def test_a_peer_that_was_started_anew_gets_what_comes_now(loop):
    before, after = Process(hangs=True), Process()
    features = loop("edge-1", {"cloud-2": before})
    features.deliver([parcel(0, "image", "features")], 0)
    wait_for(lambda: before.batches)
    features.reroute(DEPLOYMENT.table, {"cloud-2": after})
    features.deliver([parcel(1, "image", "features")], 0)
    wait_for(lambda: after.batches)
    assert (before.numbers, after.numbers) == ([0], [1])


def test_a_worker_that_ends_leaves_no_thread(loop):
    before = set(threading.enumerate())
    features = loop("edge-1", {"cloud-2": Process(), "cloud-3": Process()})
    own = set(threading.enumerate()) - before
    assert {each.name for each in own} >= {"edge-1", "to cloud-2", "to cloud-3"}
    features.close()
    for each in own:
        each.join(20 * FACTOR)
    assert not any(each.is_alive() for each in own)
