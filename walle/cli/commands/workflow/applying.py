"""`walle workflow apply` and `register`: a plan becomes a version with a half for the device and one for the cloud."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from walle.cli import arguments
from walle.cli.connection import connected, path
from walle.cli.declaring import command
from walle.cli.errors import FileMalformed, WrongUsage
from walle.cli.output import Row, done, facts, show
from walle.cli.workflow_plans import halves_facts, read_plan_file, read_problem_file

app = typer.Typer()

Folder = Annotated[
    Path,
    typer.Argument(metavar="FOLDER", help="A task of the kind workflow, task.toml at its top.", show_default=False),
]
File = Annotated[Path, typer.Argument(metavar="FILE", help="The plan's placement problem in JSON.", show_default=False)]
PlanFile = Annotated[
    Path, typer.Option("--plan", metavar="FILE", help="Plans in JSON, as optimize prints them.", show_default=False)
]
Number = Annotated[int, typer.Option("--number", min=1, metavar="N", help="Which of the plans: 1 is the best.")]
Tiers = Annotated[
    list[str] | None,
    typer.Option("--device-tier", metavar="TIER", help="A tier that is the device; the lowest one if left out."),
]
Spanning = Annotated[
    str | None,
    typer.Option("--spanning", metavar="HALF", help="device or cloud: where operators run that have workers of both."),
]
Of = Annotated[
    str, typer.Option("--of", metavar="LIST", help="Of which list: plans, or the points of accuracy or rate.")
]
Reason = Annotated[str | None, typer.Option("--reason", "-r", metavar="TEXT", help="Why; it begins the tag's message.")]


@command(
    app,
    "apply",
    "walle workflow apply . problem.json --plan plans.json",
    "walle workflow apply . problem.json --plan plans.json --number 2 --device-tier phone --device-tier edge",
)
def apply(
    folder: Folder, file: File, *, plan: PlanFile, number: Number = 1, tiers: Tiers = None, spanning: Spanning = None
) -> None:
    """Apply a plan to the folder of a workflow: placement.json says what runs where, device/ and cloud/ have it.

    A plan that does not fit the folder is refused with all reasons, and so is any of a workflow with windows: a device
    has one item at a time. The folder can then be tried, pushed and released as that of any task, and another plan be
    applied to it.
    """
    from walle.bundle.workflows.applying import apply_plan
    from walle.cli.folders import folder_tree
    from walle.cli.workflow_applying import write_applied
    from walle.placement.halves import PlanUnapplicable

    problem = read_problem_file(file)
    try:
        applied = apply_plan(
            folder_tree(folder), problem, read_plan_file(plan, problem, number), _choices(tiers, spanning)
        )
    except PlanUnapplicable as error:
        raise FileMalformed(f"the plan cannot be applied to {folder}", error.texts) from error
    is_new = not applied.is_applied
    if is_new:
        write_applied(folder, applied)
    said = f"the plan is applied: {len(applied.files)} files" if is_new else "the folder has this plan already"
    show(
        {"applied": is_new, "placement": applied.placement, "files": list(applied.files)},
        lambda found: _tell(said, found["placement"]),
    )


def _choices(tiers: list[str] | None, spanning: str | None) -> Any:
    from walle.placement.halves import CLOUD_HALF, DEVICE_HALF, HalfChoices

    half: Any = spanning
    if half not in (None, DEVICE_HALF, CLOUD_HALF):
        raise WrongUsage(f"expected --spanning {DEVICE_HALF} or --spanning {CLOUD_HALF}, found {spanning}")
    return HalfChoices(tuple(tiers or ()), half)


def _tell(said: str, placement: Row) -> None:
    done(said)
    facts(halves_facts(placement))


@command(
    app,
    "register",
    "walle workflow register 12 questions 1.1.0",
    'walle workflow register 12 questions 1.1.0 --number 2 --base 1.0.0 --reason "phones are faster now"',
    "walle workflow register 12 questions 1.1.0 --of accuracy --number 4",
)
def register(
    placement: Annotated[int, typer.Argument(metavar="PLACEMENT", min=1, help="Its number.", show_default=False)],
    task: Annotated[
        str, typer.Argument(metavar="TASK", parser=arguments.slug, help="A task of its scenario.", show_default=False)
    ],
    version: arguments.Version,
    *,
    of: Of = "plans",
    number: Number = 1,
    base: Annotated[
        str | None,
        typer.Option("--base", metavar="VERSION", parser=arguments.version_name, help="Of which version; the highest."),
    ] = None,
    tiers: Tiers = None,
    spanning: Spanning = None,
    reason: Reason = None,
) -> None:
    """Have the server apply a plan of a placement to a version of a task, and register what it makes as a new version.

    `--of accuracy` and `--of rate` take a point at which a slider of the dashboard stands. The scenario's repository
    gets a commit and a tag. Doing so again changes nothing; a plan that the version has
    already is refused (5).
    """
    from walle.placement.answer import ACCURACY, PLANS, RATE

    if of not in (PLANS, ACCURACY, RATE):
        raise WrongUsage(f"expected --of {PLANS}, {ACCURACY} or {RATE}, found {of}")
    _choices(tiers, spanning)
    body = {"task": task, "version": version, "plan": number, "base": base, "spanning": spanning, "reason": reason}
    body |= {} if of == PLANS else {"of": of}
    with connected() as client:
        found = client.post(
            path("placements", placement, "apply"),
            {name: each for name, each in body.items() if each is not None}
            | ({"device_tiers": tiers} if tiers else {}),
        )
    show(found, lambda _: _tell(f"registered {found['task']} {found['version']}", found["manifest"]["placement"]))
