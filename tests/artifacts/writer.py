"""A process that puts artifacts until it is killed: python -m tests.artifacts.writer <root> half|endless.

half: writes one megabyte of an artifact, says "half" and waits. endless: puts one artifact after the other, of
growing size, and says the digest of each that it was told is kept.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from walle.artifacts import LocalStore


def half() -> Iterator[bytes]:
    yield b"x" * (1 << 20)
    print("half", flush=True)
    sys.stdin.read()


def endless(store: LocalStore) -> None:
    number = 0
    while True:
        number += 1
        chunks = (b"%d" % number * 1000 for _ in range(number % 50))
        print(store.put(chunks).digest, flush=True)


if __name__ == "__main__":
    target = LocalStore(sys.argv[1])
    if sys.argv[2] == "half":
        target.put(half())
    else:
        endless(target)
