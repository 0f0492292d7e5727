"""Sealed memory is what was copied, and nobody changes it."""

import mmap
import os

import numpy as np
import pytest

from walle.whitebox.runtime.sealed_memory import map_sealed, seal, sealed

PAGE = mmap.PAGESIZE


def shared_for_writing(memory):
    mmap.mmap(memory, PAGE, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)


def reopened_for_writing(memory):
    os.write(os.open(f"/proc/self/fd/{memory}", os.O_RDWR), b"x")


@pytest.mark.parametrize(
    "change",
    [
        lambda memory: os.pwrite(memory, b"x", 0),
        lambda memory: os.pwrite(memory, b"x", 2 * PAGE),
        lambda memory: os.ftruncate(memory, 8),
        lambda memory: os.ftruncate(memory, 4 * PAGE),
        lambda memory: os.posix_fallocate(memory, 0, 4 * PAGE),
        shared_for_writing,
        reopened_for_writing,
    ],
)
def test_sealed_memory_cannot_be_changed(change):
    words = np.arange(2 * PAGE // 8)
    memory = sealed(words)
    with pytest.raises(PermissionError):
        change(memory)
    np.testing.assert_array_equal(map_sealed(memory).view(words.dtype), words)


def test_memory_is_sealed_even_while_the_kernel_holds_one_of_its_pages():
    memory = os.memfd_create("held", os.MFD_ALLOW_SEALING)
    os.write(memory, b"a" * PAGE)
    reading, writing = os.pipe()
    assert os.splice(memory, writing, PAGE, offset_src=0) == PAGE
    seal(memory)
    with pytest.raises(PermissionError):
        os.pwrite(memory, b"x", 0)
    assert os.read(reading, PAGE) == b"a" * PAGE
