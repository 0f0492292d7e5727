"""Landlock: what a process may do with files, for machines where it may not have a root of its own.

Needs Linux 5.13 and no privilege. Contents are protected, names and sizes of files elsewhere are not.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable
from typing import Final

from walle.container.worker import linux

_CREATE_RULESET: Final = 444
_ADD_RULE: Final = 445
_RESTRICT_SELF: Final = 446
_ASK_VERSION: Final = 1
_PATH_BENEATH: Final = 1

_EXECUTE: Final = 1 << 0
_WRITE_FILE: Final = 1 << 1
_READ_FILE: Final = 1 << 2
_READ_DIRECTORY: Final = 1 << 3
_TRUNCATE: Final = 1 << 14
_ON_FILES: Final = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
_READ: Final = _EXECUTE | _READ_FILE | _READ_DIRECTORY
# How many of the rights each version of the interface knows.
_RIGHTS_BY_VERSION: Final = {1: 13, 2: 14, 3: 15, 4: 15}
_RIGHTS_NEWEST: Final = 16
_NO_TCP: Final = 0b11
_SCOPE_SOCKETS_AND_SIGNALS: Final = 0b11


def version() -> int:
    """The version of the interface, 0 where there is none."""
    try:
        return linux.syscall(_CREATE_RULESET, 0, 0, _ASK_VERSION) if linux.IS_LINUX else 0
    except OSError:
        return 0


def apply(readable: Iterable[str], writable: Iterable[str]) -> None:
    """Confine this thread and all it starts: read below some paths, do anything to files below others, no TCP,
    no signals to processes outside. Needs PR_SET_NO_NEW_PRIVS; paths that do not exist are skipped; raises OSError."""
    abi = version()
    handled = (1 << _RIGHTS_BY_VERSION.get(abi, _RIGHTS_NEWEST)) - 1
    attributes = struct.pack("=QQQ", handled, _NO_TCP, _SCOPE_SOCKETS_AND_SIGNALS)
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    ruleset = linux.syscall(_CREATE_RULESET, ctypes.addressof(buffer), size, 0)
    try:
        for path in readable:
            _allow(ruleset, path, _READ & handled)
        for path in writable:
            _allow(ruleset, path, handled & ~_EXECUTE)
        linux.syscall(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        target = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        rights = rights if os.path.isdir(path) else rights & _ON_FILES
        rule = struct.pack("=Qi", rights, target)
        buffer = ctypes.create_string_buffer(rule, len(rule))
        linux.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.addressof(buffer), 0)
    finally:
        os.close(target)
