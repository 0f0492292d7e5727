"""Runs in control groups, on machines where this process may make some."""

from __future__ import annotations

import os

import pytest

from tests.container.support import run_source
from tests.container.test_hostile import HARMLESS
from walle.container.sandbox import Sandbox
from walle.container.worker import cgroup

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def sandbox():
    """One with whatever isolation this machine has."""
    with Sandbox() as opened:
        yield opened


@pytest.fixture(scope="module")
def folder():
    found = cgroup.usable()
    if found is None:
        pytest.skip("no control group with a memory controller is delegated to this process")
    return found


def test_where_there_is_none_runs_are_looked_at(sandbox, tmp_path):
    watched = run_source(sandbox, tmp_path, HARMLESS).enforced["memory"]
    assert watched == "RLIMIT_DATA, RLIMIT_AS, " + ("a look every 10 ms" if cgroup.usable() is None else "cgroup")


def test_a_group_ends_a_run_that_got_around_its_limits_and_is_removed(folder, sandbox, tmp_path):
    source = """
        import ctypes, time
        libc = ctypes.CDLL(None)
        libc.mmap.restype = ctypes.c_void_p
        def run(inputs, context):
            for _ in range(800):
                address = libc.mmap(None, ctypes.c_size_t(2**20), 3, 0x22, -1, ctypes.c_long(0))
                ctypes.memset(address, 1, 2**20)
                libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(2**20), 1)
            time.sleep(60)
    """
    result = run_source(sandbox, tmp_path, source, limits={"memory_mb": 8})
    assert (result.error_class, result.message) == ("memory-limit", "the task held more memory than its 8 MB")
    assert run_source(sandbox, tmp_path, HARMLESS).ok
    assert not [name for name in os.listdir(folder) if name.startswith("walle-run-")]


def test_what_killed_runs_have_left_is_removed(folder):
    os.mkdir(f"{folder}/walle-run-0")
    assert cgroup.usable() == folder
    assert not os.path.exists(f"{folder}/walle-run-0")
