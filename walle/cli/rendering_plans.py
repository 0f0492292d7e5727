"""What a release would do, before it is created, for people."""

from __future__ import annotations

from typing import Any

from walle.cli import humanize
from walle.cli.output import draw, say, table
from walle.release.subjects import subjects_of

Document = dict[str, Any]


def print_plan(plan: Document) -> None:
    """Print the stages of a plan: the devices that each reaches, what it waits for, and how long it takes."""
    many = subjects_of(plan["kind"]).many
    say(f"{plan['task']} {plan['version']} to {plan['app']}: {_counted(plan['matched'])} {many} match")
    titles = ("stage", many, "added", "has to report", "takes")
    draw(table(titles, map(_stage, plan["stages"])))
    say(lasts(plan))


def lasts(plan: Document) -> str:
    """Return how long all stages take: `about 5 h at the present rate of check-ins`."""
    least = f"at least {humanize.span(plan['at_least_s'])}"
    if plan["about_s"] is None:
        return f"It takes {least}; how long exactly cannot be told."
    simulated = ", after the simulation" if plan["simulation"]["needed"] else ""
    return f"It takes about {humanize.span(plan['about_s'])} at the present rate of check-ins ({least}){simulated}."


def _stage(stage: Document) -> tuple[str, ...]:
    takes = "never ends" if stage["about_s"] is None and stage["evidence"] else _about(stage)
    needed = f"{stage['evidence']:,}"
    return humanize.stage_name(stage), _counted(stage["reaches"]), _counted(stage["adds"]), needed, takes


def _about(stage: Document) -> str:
    return humanize.span(stage["at_least_s"] if stage["about_s"] is None else stage["about_s"])


def _counted(found: Document) -> str:
    return f"{'' if found['exact'] else 'about '}{found['count']:,}"
