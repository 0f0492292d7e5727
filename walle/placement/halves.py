"""Which operators of a plan run on the device and which in the cloud, as a document that a version of a task carries.

A device runs its half of a workflow in one VM and uploads what crosses the cut; so each operator is in one half as a
whole, and nothing comes back down.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from walle.placement.evaluation import evaluate
from walle.placement.plan_documents import plan_document
from walle.placement.problem.model import PlacementPlan, PlacementProblem, WorkflowGraph
from walle.placement.problem.outline import MAX_OPERATORS, MAX_TIERS, NAME
from walle.protocol.canonical import canonical_digest
from walle.schema import Fields, Items, Malformed, Named, Nullable, Number, OneOfTexts, Problem, Problems, Text

DEVICE_HALF: Final = "device"
CLOUD_HALF: Final = "cloud"
PROMISES: Final = ("cost", "compute", "network", "accuracy", "throughput")
"""What a plan promises: USD per hour in all, of workers and of network, accuracy, items per second."""
_TIERS: Final = Items(NAME, f"a list of 1 to {MAX_TIERS} tiers", 1, MAX_TIERS, unique=True)
_OPERATOR: Final = Fields(
    {"half": OneOfTexts((DEVICE_HALF, CLOUD_HALF)), "model": NAME, "tiers": _TIERS}, ("half", "model", "tiers")
)
HALVES: Final = Fields(
    {
        "format": Number(1, 1, integer=True),
        "problem": Text("a text of at most 100 characters", lambda text: len(text) <= 100),
        "device_tiers": _TIERS,
        "operators": Named(NAME, _OPERATOR, f"a table by operator, of 1 to {MAX_OPERATORS}", 1, MAX_OPERATORS),
        "plan": Text("64 hexadecimal digits", lambda text: len(text) == 64 and not text.strip("0123456789abcdef")),
        "promises": Fields(dict.fromkeys(PROMISES, Nullable(Number())), PROMISES),
        "placement": Number(1, 2**53, integer=True),
        "workflow": NAME,
    },
    ("format", "problem", "device_tiers", "operators", "plan", "promises"),
)
"""The document that says what runs where."""


@dataclass(frozen=True)
class HalfChoices:
    """What the person who applies a plan says of its halves.

    `device_tiers` name the tiers that are the device, by default the lowest. `spanning` is the half of the operators
    that the plan has on tiers of both; without it such a plan is refused. `placement` is the number of the
    placement on the server that the plan is of, `workflow` what is placed there.
    """

    device_tiers: tuple[str, ...] = ()
    spanning: Literal["device", "cloud"] | None = None
    placement: int | None = None
    workflow: str | None = None

    def tiers(self, problem: PlacementProblem) -> list[str]:
        """Return the tiers that are the device, the lowest first."""
        tiers = problem.infrastructure.tiers
        return [name for name in tiers if name in self.device_tiers] if self.device_tiers else [tiers[0]]


class PlanUnapplicable(Malformed):
    """A plan cannot become a version of a task; `problems` are all that stands against it."""


def halves_document(problem: PlacementProblem, plan: PlacementPlan, choices: HalfChoices) -> dict[str, Any]:
    """Return what of a feasible plan runs in which half, and what it promises. Raises PlanUnapplicable.

    As the traffic of a feasible plan never goes down, nothing of its device half stands behind its cloud half.
    """
    device = choices.tiers(problem)
    found = [*_tier_problems(problem, choices.device_tiers, device), *_plan_problems(problem, plan, device, choices)]
    if found:
        raise PlanUnapplicable(found)
    operators = {name: _placed(problem, plan, name, device, choices) for name in problem.workflow.order}
    evaluation = evaluate(problem, plan)
    return {
        "format": 1,
        "problem": problem.name,
        "device_tiers": device,
        "operators": operators,
        "plan": canonical_digest(plan_document(plan)),
        "promises": {name: getattr(evaluation, name) for name in PROMISES},
        **({} if choices.placement is None else {"placement": choices.placement}),
        **({} if choices.workflow is None else {"workflow": choices.workflow}),
    }


def _placed(
    problem: PlacementProblem, plan: PlacementPlan, name: str, device: Collection[str], choices: HalfChoices
) -> dict[str, Any]:
    tiers = _tiers_of(problem, plan, name)
    half = choices.spanning if _spans(tiers, device) else DEVICE_HALF if tiers[0] in device else CLOUD_HALF
    return {"half": half, "model": plan.models[name], "tiers": tiers}


def _spans(tiers: Collection[str], device: Collection[str]) -> bool:
    return 0 < len(set(tiers) & set(device)) < len(tiers)


def _tiers_of(problem: PlacementProblem, plan: PlacementPlan, operator: str) -> list[str]:
    infrastructure = problem.infrastructure
    used = {infrastructure.by_id[each].tier for each in plan.workers[operator]}
    return [infrastructure.tiers[tier] for tier in sorted(used)]


def _tier_problems(problem: PlacementProblem, named: Collection[str], device: Collection[str]) -> Iterator[Problem]:
    tiers = problem.infrastructure.tiers
    for name in named:
        if name not in tiers:
            yield Problem("", "device_tiers", f"tiers of the problem ({', '.join(tiers)})", name)
    source = tiers[problem.infrastructure.network.source_tier]
    if source not in device:
        yield Problem("", "device_tiers", f"{source}, where the sources are, among them", ", ".join(device) or "none")


def _plan_problems(
    problem: PlacementProblem, plan: PlacementPlan, device: Collection[str], choices: HalfChoices
) -> Iterator[Problem]:
    for violation in evaluate(problem, plan).violations:
        yield Problem("", "plan", "a feasible plan", violation.text)
    for name in problem.workflow.order:
        tiers = _tiers_of(problem, plan, name)
        if choices.spanning is None and _spans(tiers, device):
            expected = "workers of one half, or a word in which half it runs as a whole (spanning: device or cloud)"
            yield Problem("", f"plan.workers.{name}", expected, f"some on {', '.join(tiers)}")


def _check_cut(workflow: WorkflowGraph, operators: Mapping[str, Mapping[str, Any]], problems: Problems) -> None:
    """Report what of a workflow would come back down from the cloud to the device."""
    above = {name for name, each in operators.items() if each["half"] == CLOUD_HALF}
    for edge in workflow.edges:
        if edge.source in above and edge.target not in above:
            found = f"{edge.target} on the device behind {edge.source} in the cloud"
            problems.say(f"operators.{edge.target}.half", "nothing to come back from the cloud", found)


def check_halves(document: Any, workflow: WorkflowGraph, problems: Problems) -> None:
    """Report what is wrong with a parsed document that says what of a workflow runs where."""
    HALVES.check(document, "", problems)
    if problems.found:
        return
    operators = document["operators"]
    for name in workflow.order:
        models = [each.name for each in workflow.by_name[name].models]
        if name not in operators:
            problems.say(f"operators.{name}", "the half and model of this operator", "nothing")
        elif operators[name]["model"] not in models:
            problems.add(f"operators.{name}.model", f"one of {', '.join(models)}", operators[name]["model"])
    for name in operators:
        if name not in workflow.by_name:
            problems.say(f"operators.{name}", "an operator of the workflow", "another")
    if not problems.found:
        _check_cut(workflow, operators, problems)
