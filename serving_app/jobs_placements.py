"""The job that computes a placement, in a process of its own that ends with it."""

from typing import Any, Final

from jobs_app.registry import job, periodic
from jobs_app.runner import JobRun
from serving_app.models import Placement
from serving_app.services.placements import (
    OPTIMIZE,
    begin_placement,
    end_placement,
    fail_lost_placements,
    report_answer,
    report_progress,
)
from walle.placement.solving import SolverFailed, SolverStopped, solve

ATTEMPTS: Final = 3


@job(OPTIMIZE, max_attempts=ATTEMPTS)
def optimize_placement(run: JobRun, *, placement: int) -> dict[str, Any] | None:
    """Compute a placement; a worker that is killed leaves it to the next one, which begins again.

    What the first one has found until then stays with the placement until the next one finds something.
    """
    row = begin_placement(placement=placement, now=run.clock())
    if row is None:
        return {"state": "ended"}

    def go_on(progress: dict[str, Any]) -> bool:
        run.check()
        return report_progress(placement=placement, progress=progress)

    def keep(answer: dict[str, Any]) -> None:
        run.check()
        report_answer(placement=placement, answer=answer)

    try:
        result = solve(row.problem, budget_s=row.budget_s, seed=placement, go_on=go_on, keep=keep)
    except SolverStopped:
        return {"state": Placement.State.CANCELLED}
    except SolverFailed as error:
        end_placement(placement=placement, state=Placement.State.FAILED, now=run.clock(), error=str(error)[:2000])
        return {"state": Placement.State.FAILED}
    state = Placement.State.SUCCEEDED if result["plans"] else Placement.State.INFEASIBLE
    with run.completing() as ended:
        end_placement(placement=placement, state=state, now=run.clock(), result=result)
        ended["state"] = state
    return None


@periodic(seconds=30)
@job("serving.sweep-placements")
def sweep_placements(run: JobRun) -> dict[str, int]:
    """End the placements that no worker will end."""
    return {"given_up": fail_lost_placements(now=run.clock())}
