"""How test processes collect."""

import gc
from threading import Event, Thread

import pytest

from tests.tiers.collecting import one_goes_ahead, without_garbage_collection

HUNG_S = 60
SHORT_S = 0.1


def entering(folder):
    """A thread on its way into the block, and the event of its being there."""
    inside = Event()

    def enter():
        with one_goes_ahead(folder):
            inside.set()

    thread = Thread(target=enter, daemon=True)
    thread.start()
    return thread, inside


def test_the_first_is_through_before_others_enter_who_do_not_wait_for_each_other(tmp_path):
    with one_goes_ahead(tmp_path):
        thread, inside = entering(tmp_path)
        assert not inside.wait(SHORT_S)
    assert inside.wait(HUNG_S)
    thread.join()
    with one_goes_ahead(tmp_path):
        assert entering(tmp_path)[1].wait(HUNG_S)


def test_where_the_first_fails_another_goes_ahead(tmp_path):
    with pytest.raises(ValueError, match="broken"), one_goes_ahead(tmp_path):
        raise ValueError("broken")
    with one_goes_ahead(tmp_path):
        assert not entering(tmp_path)[1].wait(SHORT_S)


def test_no_garbage_is_looked_for_in_the_block_and_afterwards_not_in_what_it_made():
    frozen = gc.get_freeze_count()
    with without_garbage_collection():
        assert not gc.isenabled()
        made = [[] for _ in range(10_000)]
    assert gc.isenabled()
    assert gc.get_freeze_count() >= frozen + len(made)
