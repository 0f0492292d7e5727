"""Programs and shared libraries of this machine: what they need, and themselves without what debuggers read."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

from walle.packaging import elf

pytestmark = pytest.mark.skipif(platform.system() != "Linux", reason="only Linux has such files")

PROGRAM = Path(sys.executable).resolve().read_bytes()
LIBRARY = next(Path(numpy.__file__).parent.glob("_core/_multiarray_umath*.so"))


def test_what_is_no_such_file_is_told_apart():
    assert elf.is_elf(PROGRAM)
    assert not elf.is_elf(b"#!/bin/sh\n")
    assert not elf.is_elf(PROGRAM[:20])


def test_the_libraries_that_a_file_needs():
    assert any(name.startswith("libc.so") for name in elf.needed_libraries(PROGRAM))
    assert any("openblas" in name for name in elf.needed_libraries(LIBRARY.read_bytes()))


@pytest.mark.processes
def test_a_stripped_program_runs(tmp_path):
    short = elf.stripped(PROGRAM)
    assert len(short) < len(PROGRAM)
    program = tmp_path / "python"
    program.write_bytes(short)
    program.chmod(0o755)
    command = [program, "-c", "print(6 * 7)"]
    done = subprocess.run(command, env={"PYTHONHOME": sys.base_prefix}, capture_output=True, check=False)
    assert done.stdout == b"42\n", done.stderr


def test_a_run_path_is_replaced_in_its_place():
    data = LIBRARY.read_bytes()
    old = elf.run_path(data)
    assert old is not None
    changed = elf.with_run_path(data, "$ORIGIN")
    assert elf.run_path(changed) == "$ORIGIN"
    assert len(changed) == len(data)
    assert elf.needed_libraries(changed) == elf.needed_libraries(data)
    with pytest.raises(elf.RunPathTooLong):
        elf.with_run_path(data, old + "/further")
