"""User ids for runs: no two at a time, across processes, and a clear end when all are taken."""

from __future__ import annotations

import multiprocessing
from contextlib import ExitStack

import pytest

from tests.container.support import manifest, own_uids, write_bundle
from walle.container.result import SandboxError
from walle.container.sandbox import Sandbox
from walle.container.uids import UidPool

pytestmark = pytest.mark.processes

UIDS = own_uids(4)


def test_leases_are_different_and_come_back():
    pool = UidPool(UIDS)
    with ExitStack() as held:
        assert {held.enter_context(pool.lease()) for _ in UIDS} == set(UIDS)
        with pytest.raises(SandboxError, match="are in use"), UidPool(UIDS).lease():
            pass
    with pool.lease() as uid:
        assert uid in UIDS


def hold(uids, ready, done):
    with ExitStack() as held:
        taken = [held.enter_context(UidPool(uids).lease()) for _ in range(3)]
        ready.send(taken)
        done.wait(30)


def test_other_processes_and_their_deaths_count():
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    done = context.Event()
    other = context.Process(target=hold, args=(UIDS, sender, done))
    other.start()
    taken = receiver.recv()
    with UidPool(UIDS).lease() as uid:
        assert {uid, *taken} == set(UIDS)
    other.kill()
    other.join()
    with ExitStack() as held:
        assert {held.enter_context(UidPool(UIDS).lease()) for _ in UIDS} == set(UIDS)


@pytest.mark.parametrize("uids", [range(0), range(5), range(-3, 3)])
def test_a_range_without_proper_ids_is_refused(uids):
    with pytest.raises(ValueError, match="expected a range of user ids above 0"):
        UidPool(uids)


def test_a_run_without_a_free_id_is_an_error_of_the_sandbox(tmp_path, monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: 0)
    write_bundle(tmp_path, "def run(i, c): return {'result': []}")
    uids = own_uids(1)
    with Sandbox(uids=uids) as sandbox, UidPool(uids).lease():
        assert sandbox.run(tmp_path, manifest(), {}).error_class == "sandbox-error"
