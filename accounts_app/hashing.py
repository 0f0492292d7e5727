"""Hash passwords at low priority: it computes for a fifth of a second, and anybody may cause it."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from django.contrib.auth.hashers import PBKDF2PasswordHasher

_NICENESS: Final = 10


def _lower_priority() -> None:
    # On Linux each thread has its own priority; while this one hashes, it does not hold the interpreter lock.
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), os.getpriority(os.PRIO_PROCESS, 0) + _NICENESS)


_THREADS: Final = ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // 2), "walle-passwords", initializer=_lower_priority)


class LowPriorityPasswordHasher(PBKDF2PasswordHasher):
    """Django's own hashes, computed by few threads of low priority: attempts to log in wait only for each other."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        return _THREADS.submit(super().encode, password, salt, iterations).result()
