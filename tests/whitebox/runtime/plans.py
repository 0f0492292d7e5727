"""Small plans that keep to walle.whitebox.runtime.contract: arithmetic on one parameter, and ways to fail."""

import os
import signal
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.support.waiting import wait_for
from tests.whitebox.runtime.test_parameter_store import Reference
from walle.whitebox.compiling.records import RecordRefused

LOADS_WITH = "WALLE_TEST_LOADS_WITH"


def load_when_told():
    """Loads nothing, once the file is there that LOADS_WITH names."""
    wait_for(Path(os.environ[LOADS_WITH]).exists, describe="the file that says so")


def stored(store, values):
    """A reference to numbers that are put into the store's folder."""
    import hashlib

    raw = np.asarray(values, "<f8").tobytes()
    digest = hashlib.sha256(raw).hexdigest()
    (store.folder / f"{digest}.bin").write_bytes(raw)
    return Reference(digest, "<f8", (len(raw) // 8,))


@dataclass(frozen=True)
class SumPlan:
    """Answers a number with its sum with the parameter's first one; other records make it fail, each in its way.

    "loop" never returns, "raise" raises, "segfault" and "killed" end the process; "killed once <path>" does so if there
    is no such file yet; "pid" answers with the process.
    """

    addend: Reference

    def bind(self, parameters):
        return BoundSum(float(parameters(self.addend)[0]))


class Scratch:
    """Vectors of plans that need none."""

    size = 8

    def touch(self):
        pass

    def shrink(self, size):
        raise AssertionError("they are small")


class BoundSum:
    vector_bytes = 8
    shareable = frozenset()

    def __init__(self, addend):
        self.addend = addend

    def vectors(self, records):
        return Scratch()

    def predict(self, record, vectors):
        if isinstance(record, float):
            return (record + self.addend,)
        return (self.odd(record),)

    def odd(self, record):
        if record == "loop":
            while True:
                pass
        if record == "raise":
            raise ZeroDivisionError("as it was told")
        if record == "segfault":
            os.kill(os.getpid(), signal.SIGSEGV)
        if record == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if isinstance(record, str) and record.startswith("killed once "):
            path = Path(record.removeprefix("killed once "))
            if not path.exists():
                path.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return 1.0
        if record == "pid":
            return float(os.getpid())
        raise RecordRefused(0, "x", "a number")

    def run(self, records, vectors):
        answers, refused = [], []
        for index, record in enumerate(records):
            try:
                answers += self.predict(record, vectors)
            except RecordRefused as error:
                refused.append((index, error.field, error.expected))
        return struct.pack(f"={len(answers)}d", *answers), refused

    def read(self, answers):
        return [(each,) for (each,) in struct.iter_unpack("=d", answers)]
