"""Workers as threads of the test's process: a backend without machines, in which workers can be killed."""

from __future__ import annotations

from walle.placement.processor.outboxes import WorkerLost
from walle.placement.processor.worker_loop import WorkerLoop


class ThreadWorker:
    def __init__(self, spec, table):
        self._loop = WorkerLoop(spec, table, {})
        self.alive = True

    def _asked(self, name, *given):
        if not self.alive:
            raise WorkerLost(self._loop.spec.id)
        return getattr(self._loop, name)(*given)

    def deliver(self, parcels, watermark, abandoned):
        self._asked("deliver", parcels, watermark)

    def collect(self, timeout_s):
        found = self._asked("collect", timeout_s)
        # What it had made is lost with it.
        self._asked("figures")
        return found

    def figures(self):
        return self._asked("figures")

    def reroute(self, table, peers):
        self._asked("reroute", table, peers)

    def close(self):
        self._loop.close()

    def kill(self):
        self.alive = False
        self._loop.close()


class Threads:
    """Starts workers; those in `broken` cannot be started, those in `for_good` not again once they were killed."""

    def __init__(self):
        self.workers = {}
        self.started = []
        self.broken = set()
        self.for_good = set()

    def start(self, specs, table):
        found = {each.id: ThreadWorker(each, table) for each in specs if each.id not in self.broken}
        self.workers |= found
        self.started += [*found]
        return found

    def kill(self, worker):
        self.broken |= self.for_good & {worker}
        self.workers[worker].kill()
