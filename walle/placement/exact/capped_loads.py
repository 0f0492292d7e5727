"""The best loads of a plan under caps of bandwidth, one operator after the other.

A solution of the program keeps to caps as far as its flows are the products of shares, and as far as the solver's
arithmetic goes; the plan that is made of it may miss them by a hair. With the loads of all other operators given, what
a plan costs and what it sends is linear in the shares of one: a linear program finds them, with caps that are kept.
"""

from __future__ import annotations

from typing import Final

from walle.placement.evaluation import capped_traffic, evaluate
from walle.placement.exact.program import LinearProgram
from walle.placement.loads import Place, rooms, spread, with_shares
from walle.placement.problem.model import PlacementPlan, PlacementProblem

ROUNDS: Final = 2
"""How often each operator's loads are chosen: once for those that come later, and once more after them."""


def within_caps(problem: PlacementProblem, plan: PlacementPlan) -> PlacementPlan:
    """Return a plan whose operators, in turn, have the cheapest loads that caps allow, the others' being what they are.

    An operator keeps its loads where none are allowed.
    """
    for name in [*plan.workers] * ROUNDS:
        if len(room := rooms(problem, plan, name)) > 1 and (shares := _cheapest(problem, plan, name, room)):
            plan = with_shares(plan, name, spread(problem, plan, name, shares))
    return plan


def _cheapest(
    problem: PlacementProblem, plan: PlacementPlan, name: str, room: dict[Place, float]
) -> dict[Place, float] | None:
    """Return the cheapest shares of places, each at most its room; None if caps allow none."""
    program = LinearProgram()
    share: dict[Place, int] = {}
    usage: dict[tuple[str, str], list[tuple[int, float]]] = {}
    caps = {("tier", str(tier)): cap for tier, cap in problem.infrastructure.tier_caps.items()}
    caps |= {("worker", worker): cap for worker, cap in problem.infrastructure.worker_caps.items()}
    for place, most in room.items():
        alone = with_shares(plan, name, spread(problem, plan, name, {**dict.fromkeys(room, 0.0), place: 1.0}))
        share[place] = program.variable(most, cost=evaluate(problem, alone).network)
        tiers, workers = capped_traffic(problem, alone)
        sent = {("tier", str(tier)): mbps for tier, mbps in tiers.items()}
        sent |= {("worker", worker): mbps for worker, mbps in workers.items()}
        for key, mbps in sent.items():
            usage.setdefault(key, []).append((share[place], mbps / caps[key]))
    program.equal([(each, 1.0) for each in share.values()], 1.0)
    for terms in usage.values():
        program.row(terms, upper=1.0)
    solver = program.solver()
    solver.solve()
    if solver.modelStatusToString(solver.getModelStatus()) != "Optimal":
        return None
    values = solver.getSolution().col_value
    return {place: max(0.0, values[each]) for place, each in share.items()}
