"""Callers of one pipeline: the real routes, the real log of outcomes, the real storing, and no process."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from itertools import count
from typing import Any

from accounts_app.actors import SYSTEM
from devices_app.models import App, PublishedTable
from devices_app.selectors.tables import read_table
from devices_app.stores import artifact_store
from releases_app.models import Release
from releases_app.services.reconciliation import reconcile
from releases_app.services.releases import act, create_release
from serving_app.services.outcomes import store_outcomes
from tasks_app.models import TaskVersion
from tests.support.releases import allow, make_version, move_on
from walle.conformance.client.repository import manifest_fields
from walle.protocol.canonical import canonical_json
from walle.release.decision import CompiledTable
from walle.release.states import ReleaseAction
from walle.whitebox.serving.outcomes import AnsweredRequest, OutcomeLog, Scores
from walle.whitebox.serving.routing import RoutedCaller, Routes

TASK = "shop/sentiment"
EVERYBODY = {"fact": "kind-pipeline", "equals": True}
Answer = Callable[[str, int], AnsweredRequest]
"""How the prediction of a version for a caller goes, by the version and the caller's number."""


def pipeline_version(version: str) -> TaskVersion:
    """A version of a pipeline as a row, whose files nobody reads."""
    artifact_store().put(f"{TASK} {version}".encode())
    manifest = canonical_json(manifest_fields(TASK, version, []) | {"kind": "pipeline"})
    return make_version("shop", "sentiment", version, kind="pipeline", manifest=manifest)


def answered(
    *, records: int = 1, refused: int = 0, failed: int = 0, seconds: float = 0.0001, score: float = 0.5, **more: Any
) -> AnsweredRequest:
    good = records - refused - failed
    scores = Scores(good, good * score, good * max(score, 1 - score), ())
    error_class = "RecordRefused" if refused else "RuntimeError" if failed else ""
    values = {"error_class": error_class, "cold": False, **more}
    return AnsweredRequest(records, refused, failed, seconds=seconds, scores=scores, **values)


class Callers:
    """Users of one app whom a service names, as one serving process knows them."""

    def __init__(self, app: App, size: int, now: datetime) -> None:
        self.app, self.now = app, now
        self.callers = [RoutedCaller(f"user-{number}", {}, {}, vouched=True) for number in range(size)]
        self._pass(0)
        self.log = OutcomeLog(lambda: next(self._ticks))

    def _pass(self, seconds: float) -> None:
        began = self.now.timestamp() + seconds
        self.now = datetime.fromtimestamp(began, self.now.tzinfo)
        # Between two readings of the clock a microsecond passes.
        self._ticks = (began + tick / 1e6 for tick in count(1))

    def pass_time(self, seconds: float) -> None:
        self._pass(seconds)

    def versions(self) -> dict[str, str]:
        """The version that answers each caller now; "" where none does."""
        return {caller.id: version for caller, version, *_ in self._choices()}

    def _choices(self) -> list[tuple[RoutedCaller, str, Any, int]]:
        table = read_table(PublishedTable.objects.get(app=self.app))
        routes = Routes(CompiledTable(table))
        names = dict(TaskVersion.objects.values_list("manifest_digest", "version"))
        found = [(caller, routes.choose(TASK, caller, lambda manifest: True)) for caller in self.callers]
        return [(who, names[made.entry.manifest] if made else "", made, table.number) for who, made in found]

    def call(self, answer: Answer) -> None:
        """Every caller asks once, and the process tells of it."""
        for number, (caller, version, choice, table) in enumerate(self._choices()):
            went = answer(version, number)
            self.log.answered(self.app.slug, caller, choice, went, version=version, number=table)
        store_outcomes(self.log.drain())
        self.pass_time(1)


STAGED = {
    "simulation": False,
    "control_percent": 30,
    "grace_s": 600,
    "silence_s": 300,
    "stages": [
        {"kind": "gray", "percent": 30, "dwell_s": 60, "evidence": 10},
        {"kind": "gray", "percent": 100, "dwell_s": 60, "evidence": 10},
    ],
}
AT_ONCE = {"simulation": False, "control_percent": 0,
           "stages": [{"kind": "gray", "percent": 100, "dwell_s": 0, "evidence": 0}]}  # fmt: skip


def release_of(app: App, version: TaskVersion, strategy: dict[str, Any], now: datetime) -> Release:
    """A release of a pipeline to every caller, started.

    Who is selected is the same in each run: of 500 random selections one or two are so uneven that releases wait.
    """
    allow(app, version.task.scenario, now=now)
    release = create_release(app=app, version=version, rule=EVERYBODY, strategy=strategy, actor=SYSTEM, now=now)
    release.salt = sha256(version.version.encode()).digest()[:16]
    release.save(update_fields=["salt"])
    return move_on(release, "start", now=now)


def completed(app: App, version: TaskVersion, now: datetime) -> Release:
    release = release_of(app, version, AT_ONCE, now)
    act(release=release, action=ReleaseAction.COMPLETE, actor=SYSTEM, now=now)
    return release


def look(release: Release, now: datetime) -> Release:
    """Reconcile a release; the row as it is then."""
    reconcile(release=release.pk, now=now)
    return Release.objects.get(pk=release.pk)
