"""The background jobs of cloud halves and of dictionaries."""

from datetime import timedelta
from time import sleep
from typing import Any, Final

from devices_app.services.features import CHANNEL
from jobs_app.listening import announcements, listen, unlisten
from jobs_app.registry import announced, job, periodic
from jobs_app.runner import JobRun
from jobs_app.services import enqueue
from kit.locks import exclusive
from tasks_app.selectors.cloud_models import CLOUD_MODELS, is_due, waiting_consumers
from tasks_app.services.cloud_consumers import CloudConsumers
from tasks_app.services.cloud_halves import cloud_halves
from tasks_app.services.dictionaries import forget_dictionaries, tasks_with_features, train_dictionary

# "WALLECLD" in ASCII: one worker process answers, and leaves the others to other jobs.
_ANSWERING: Final = 0x57414C4C45434C44
LONGEST: Final = timedelta(seconds=20)
"""After this time a job gives way to others, and begins anew."""
_TOGETHER_S: Final = 0.02
_RECENT: Final = timedelta(days=1)
IDLE: Final = timedelta(seconds=2)


@announced(CHANNEL, is_due=is_due)
@periodic(seconds=30)
@job(CLOUD_MODELS, max_attempts=1)
def answer_features(run: JobRun) -> dict[str, Any]:
    """Answer the features of all tasks that have a cloud half, until none has come for a while."""
    with exclusive(_ANSWERING) as alone:
        if not alone:
            return {"read": 0}
        listen({CHANNEL})
        try:
            consumers = CloudConsumers(cloud_halves(), clock=run.clock, wait=_wait)
            consumers.run(going_on=_IdleLimit(run))
        finally:
            unlisten()
    if set(waiting_consumers(run.clock())) - set(consumers.failed):
        enqueue(kind=CLOUD_MODELS, dedupe_key=f"announced:{CLOUD_MODELS}", now=run.clock())
    return {"read": consumers.read, "failed": consumers.failed}


@periodic(seconds=600)
@job("tasks.train-dictionaries")
def train_dictionaries(run: JobRun) -> dict[str, Any]:
    """Train dictionaries for the features of tasks that come in these days, and delete old ones."""
    now = run.clock()
    result: dict[str, Any] = {"trained": {}, "deleted": 0}
    for task in tasks_with_features(now - _RECENT):
        run.check()
        if (trained := train_dictionary(task, now=now)) is not None:
            result["trained"][task.name] = {"before": trained.bytes_before, "after": trained.bytes_after}
        result["deleted"] += forget_dictionaries(task, now=now)
    return result


def _wait(seconds: float) -> None:
    """Wait for features, and then a little for others, so that a busy gateway's are answered together."""
    if list(announcements(seconds)):
        sleep(_TOGETHER_S)


class _IdleLimit:
    """Whether a job goes on: not after LONGEST, and not where nothing came for IDLE, or nothing at all."""

    def __init__(self, run: JobRun) -> None:
        self._run = run
        self._began = run.clock()
        self._busy = self._began - IDLE

    def __call__(self, progressed: bool, running: bool) -> bool:
        self._run.check()
        now = self._run.clock()
        self._busy = now if progressed else self._busy
        return now - self._began < LONGEST and (running or now - self._busy < IDLE)
