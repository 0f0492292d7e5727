"""Which runs are expected to be warm."""

from walle.device.running.warmth import Warmth

VM = {"keep": True, "idle_s": 60, "held_mb": 8}


def test_a_kept_version_is_warm_until_it_was_idle_for_too_long():
    warmth = Warmth()
    assert not warmth.lasts("a", 100.0)
    warmth.ran("a", VM, 100.0, success=True)
    assert (warmth.lasts("a", 159.9), warmth.lasts("a", 160.0), warmth.lasts("b", 100.0)) == (True, False, False)


def test_a_failure_ends_the_vm():
    warmth = Warmth()
    warmth.ran("a", VM, 100.0, success=True)
    warmth.ran("a", VM, 101.0, success=False)
    assert not warmth.lasts("a", 101.0)


def test_other_tasks_have_none():
    warmth = Warmth()
    warmth.ran("a", None, 100.0, success=True)
    assert not warmth.lasts("a", 100.0)
