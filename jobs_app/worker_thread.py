"""A thread beside the jobs of a worker's main process, which ends when it is asked to."""

import threading
from abc import ABC, abstractmethod

_ENDS_S = 5


class WorkerThread(ABC):
    """Works from `start` until `_stop` is set; what it is doing by then has a few seconds to end."""

    def __init__(self, name: str) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ask it to end, and wait a few seconds for that."""
        self._stop.set()
        self._thread.join(timeout=_ENDS_S)

    @abstractmethod
    def _run(self) -> None: ...
