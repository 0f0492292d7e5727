"""The filter of system calls, run by a small interpreter of its instructions: for machines that tests do not run on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from walle.container.worker import seccomp

ALLOWED, REFUSED, UNKNOWN, KILLED = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
OWN_PID = 77
F_SETSIG, F_SETPIPE_SZ = 10, 1031
PR_SET_PDEATHSIG, PR_SET_NAME = 1, 15
MAP_PRIVATE, MAP_ANONYMOUS, MAP_GROWSDOWN, MAP_HUGETLB = 0x02, 0x20, 0x100, 0x40000
# MAP_SHARED, MAP_PRIVATE, MAP_SHARED_VALIDATE, MAP_DROPPABLE, and what has no name yet.
KINDS = (*range(4), 8, 15)


def decide(machine: str, number: int, *arguments: int, audit: int | None = None) -> int:
    """What the filter says to a call, by executing its program on struct seccomp_data."""
    data = {0: number, 4: AUDIT[machine] if audit is None else audit}
    data |= {16 + 8 * index: value & 0xFFFFFFFF for index, value in enumerate((*arguments, 0, 0, 0, 0)[:6])}
    program = seccomp.program(machine, OWN_PID)
    at, accumulator = 0, 0
    while True:
        code, if_true, if_false, constant = program[at]
        at += 1
        match code:
            case 0x20:
                accumulator = data[constant]
            case 0x54:
                accumulator &= constant
            case 0x15:
                at += if_true if accumulator == constant else if_false
            case 0x25:
                at += if_true if accumulator > constant else if_false
            case 0x06:
                return constant
            case _:
                pytest.fail(f"instruction {code:#x} is not expected")


@pytest.fixture(params=["x86_64", "aarch64"])
def machine(request):
    return request.param


def numbers(machine: str) -> dict[str, int]:
    """Some calls that ordinary tasks need, by name."""
    return {
        "x86_64": {
            "read": 0,
            "write": 1,
            "openat": 257,
            "futex": 202,
            "exit_group": 231,
            "socketpair": 53,
            "statx": 332,
        },
        "aarch64": {
            "read": 63,
            "write": 64,
            "openat": 56,
            "futex": 98,
            "exit_group": 94,
            "socketpair": 199,
            "statx": 291,
        },
    }[machine]


def test_ordinary_calls_pass(machine):
    assert {name: decide(machine, number) for name, number in numbers(machine).items()} == dict.fromkeys(
        numbers(machine), ALLOWED
    )


def test_every_listed_call_is_refused(machine):
    column = 0 if machine == "x86_64" else 1
    listed = {name: row[column] for name, row in seccomp._DENIED.items() if row[column] is not None}
    assert len(listed) > 60
    assert {name for name, number in listed.items() if decide(machine, number) != REFUSED} == set()
    assert not set(listed.values()) & set(numbers(machine).values())


def test_calls_of_another_architecture_kill_and_new_ones_do_not_exist(machine):
    assert decide(machine, 0, audit=0x40000003) == KILLED
    assert decide(machine, 463) == UNKNOWN
    assert decide(machine, 0x40000000 + 41) == UNKNOWN
    assert decide(machine, 435) == UNKNOWN


def test_conditions_on_arguments(machine):
    calls = seccomp._ARCHITECTURES[machine]
    thread_flags = 0x3D0F00
    assert decide(machine, calls.clone, thread_flags) == ALLOWED
    assert decide(machine, calls.clone, 17) == REFUSED
    for signal_call in (calls.kill, calls.tgkill):
        assert decide(machine, signal_call, OWN_PID) == ALLOWED
        assert {decide(machine, signal_call, pid) for pid in (1, 0, -1, -OWN_PID, 76)} == {REFUSED}
    assert decide(machine, calls.prlimit64, 0) == ALLOWED
    assert decide(machine, calls.prlimit64, 1) == REFUSED
    assert {decide(machine, calls.fcntl, 3, command) for command in (0, 1, 2, 3, 4, 1030, 1032)} == {ALLOWED}
    assert {decide(machine, calls.fcntl, 3, command) for command in (F_SETSIG, F_SETPIPE_SZ)} == {REFUSED}
    assert decide(machine, calls.prctl, PR_SET_NAME) == ALLOWED
    assert decide(machine, calls.prctl, PR_SET_PDEATHSIG) == REFUSED


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*KINDS, *(kind | MAP_ANONYMOUS for kind in KINDS)])
@pytest.mark.parametrize("options", [0, *(1 << bit for bit in range(6, 32))])
def test_only_private_mappings_of_ordinary_pages_pass(machine, kind, options):
    mmap = seccomp._ARCHITECTURES[machine].mmap
    passes = kind & 0xF == MAP_PRIVATE and not options & (MAP_GROWSDOWN | MAP_HUGETLB)
    for protection in (0, 1, 3, 5):
        assert decide(machine, mmap, 0, 4096, protection, kind | options, 3) == (ALLOWED if passes else REFUSED)


@pytest.mark.parametrize(
    ("machine_name", "column", "header", "prefix"),
    [
        ("x86_64", 0, "/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "__NR_"),
        ("aarch64", 1, "/usr/include/asm-generic/unistd.h", "__NR(?:3264)?_"),
    ],
)
def test_numbers_are_those_of_the_kernels_headers(machine_name, column, header, prefix):
    if not Path(header).exists():
        pytest.skip("this machine has no kernel headers")
    defined = {
        name: int(number) for name, number in re.findall(rf"#define {prefix}(\w+)\s+(\d+)", Path(header).read_text())
    }
    for name, row in seccomp._DENIED.items():
        assert row[column] in (defined.get(name), None) or name not in defined, name
    calls = seccomp._ARCHITECTURES[machine_name]
    for name in ("clone", "clone3", "kill", "tgkill", "mmap", "fcntl", "prctl", "prlimit64"):
        assert getattr(calls, name) == defined[name]
