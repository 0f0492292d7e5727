"""The runtime as a serving process uses it: what runs in the event loop is said, what it raises has a status."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.whitebox.runtime.plans import BoundSum, SumPlan, stored
from walle.whitebox.runtime.service import RuntimeSettings
from walle.whitebox.serving.engine import PlanBarred, PlanRefused
from walle.whitebox.serving.heartbeat import Heartbeat
from walle.whitebox.serving.problems import PredictionRefused, RecordProblem
from walle.whitebox.serving.runtime_engine import RuntimeEngine

PLAN = "f" * 64


class Watched(SumPlan):
    """A plan that notes what its heartbeat says while it runs."""

    heartbeat = Heartbeat()
    heard: list[str] = []

    def bind(self, parameters: Any) -> Any:
        heard, heartbeat = self.heard, self.heartbeat

        class Bound(BoundSum):
            def predict(self, record: Any, vectors: Any) -> Any:
                heard.append(heartbeat.read().plan)
                return super().predict(record, vectors)

        return Bound(float(parameters(self.addend)[0]))


@pytest.fixture
def engine(tmp_path: Path) -> RuntimeEngine:
    Watched.heard.clear()
    engine = RuntimeEngine(tmp_path, Watched.heartbeat, RuntimeSettings(batch_records=3))
    engine._runtime.register(PLAN, Watched(stored(engine._runtime.store, [1.5])))
    return engine


async def test_what_runs_in_the_event_loop_is_said_while_it_runs(engine: RuntimeEngine) -> None:
    assert tuple(await engine.predict(PLAN, 1.0)) == (2.5,)
    assert [tuple(each) for each in await engine.predict_batch(PLAN, [1.0, 2.0])] == [(2.5,), (3.5,)]
    assert Watched.heard == [PLAN] * 3
    assert Watched.heartbeat.read().plan == ""
    with pytest.raises(PredictionRefused):
        await engine.predict(PLAN, "raise")
    assert Watched.heartbeat.read().plan == "", "it has ended, however it ended"


async def test_a_record_that_is_refused_is_named(engine: RuntimeEngine) -> None:
    with pytest.raises(PredictionRefused) as caught:
        await engine.predict(PLAN, "no number")
    assert (caught.value.status, caught.value.records) == (422, (RecordProblem(0, "x", "a number"),))
    answers = await engine.predict_batch(PLAN, [1.0, "no number"])
    assert answers[1] == RecordProblem(1, "x", "a number")


async def test_what_the_runtime_raises_has_a_status(engine: RuntimeEngine) -> None:
    with pytest.raises(PredictionRefused) as failed:
        await engine.predict(PLAN, "raise")
    with pytest.raises(PredictionRefused) as large:
        await engine.predict_batch(PLAN, [1.0] * 4)
    assert (failed.value.status, failed.value.code) == (500, "plan-failed")
    assert "as it was told" not in failed.value.detail
    assert (large.value.status, large.value.code) == (413, "batch-too-large")


async def test_a_plan_that_must_not_run_is_barred(engine: RuntimeEngine) -> None:
    engine._runtime.isolate(PLAN, "it crashed")
    with pytest.raises(PlanBarred, match="it crashed") as caught:
        await engine.predict(PLAN, 1.0)
    assert caught.value.retry_after > 1
    with pytest.raises(PlanBarred):
        await engine.predict_batch(PLAN, [1.0])
    engine.unload(PLAN)
    with pytest.raises(PlanBarred):
        await engine.predict(PLAN, 1.0)


def test_an_archive_that_cannot_be_read_is_refused_for_good(engine: RuntimeEngine, tmp_path: Path) -> None:
    document = tmp_path / "pipeline.json"
    document.write_bytes(b'{"format": 1}')
    for files in ({}, {"pipeline.json": document}):
        with pytest.raises(PlanRefused) as caught:
            engine.load("e" * 64, files, {}, tmp_path / "compiled")
        assert caught.value.code == "archive-malformed"
    assert Watched.heartbeat.read().loading == ""
