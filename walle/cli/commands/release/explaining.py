"""`walle release explain` and `simulation`: why a device receives a release, and its simulation results."""

from __future__ import annotations

from textwrap import indent
from typing import Annotated, Any

import typer

from walle.cli import arguments
from walle.cli.causes import Cause, causes_of, log_sections, which_cells, which_samples
from walle.cli.connection import connected, path
from walle.cli.declaring import command
from walle.cli.explanation import show_explanation
from walle.cli.output import draw, heading, say, show

app = typer.Typer()


@command(
    app,
    "explain",
    "walle release explain 4 uJ7YeXMu2tFX32mL8Zl_Ig",
    "walle release explain 4 uJ7YeXMu2tFX32mL8Zl_Ig --at 2027-01-15T08:00Z",
)
def explain(release: arguments.Release, device: arguments.Device, at: arguments.At = None) -> None:
    """Explain how a release affects one device, or affected it at an earlier moment."""
    with connected() as client:
        found = client.get(path("releases", release))
        answer = client.get(path("devices", found["app"], device, "explain"), task=found["task"], at=at)
    show(answer, lambda _: show_explanation(answer, device, only=release))


@command(app, "simulation", "walle release simulation 4", "walle release simulation 4 --logs")
def simulation(
    release: arguments.Release,
    logs: Annotated[bool, typer.Option("--logs", help="Show the logs of the samples that passed, too.")] = False,
    attempt: Annotated[
        int | None, typer.Option("--attempt", metavar="N", min=1, help="This simulation instead of the newest.")
    ] = None,
) -> None:
    """Show the simulation results of a release for each app version and system, and what went wrong, by cause."""
    with connected() as client:
        found = client.get(path("releases", release, "simulation"), attempt=attempt)
    show(found, lambda _: _simulation(found, logs))


def _simulation(found: dict[str, Any], logs: bool) -> None:
    from walle.cli import rendering

    if not found["cells"]:
        say(found["sentence"])
        return
    draw(rendering.simulation_line(found))
    say("")
    draw(rendering.matrix(found["cells"]))
    for cause in causes_of(found["cells"]):
        _cause(cause, len(found["cells"]))
    if logs:
        _logs(found["cells"])


def _cause(cause: Cause, of: int) -> None:
    """Show one cause: what, in which cells and samples, and what these wrote, each once."""
    first, _, more = cause.what.partition("\n")
    heading(f"{cause.state}: {first}")
    for line in more.splitlines():
        say(f"  {line}")
    say(f"in {which_cells(cause.cells, of)}")
    if cause.samples:
        say(which_samples(cause.samples))
    for log in cause.logs:
        say("")
        say(indent(log, "  "))


def _logs(cells: list[dict[str, Any]]) -> None:
    """Show the logs of the samples that passed, those of the others having been shown; equal ones once."""
    shown: dict[str, tuple[list[dict[str, Any]], list[str]]] = {}
    for cell in cells:
        passed = {sample["name"] for sample in cell["samples"] if sample["passed"]}
        for name, text in log_sections(cell).items():
            if name in passed:
                where, names = shown.setdefault(text, ([], []))
                where += [] if cell in where else [cell]
                names += [] if name in names else [name]
    for text, (where, names) in shown.items():
        heading(f"log of {which_samples(names)}")
        say(f"in {which_cells(where, len(cells))}")
        say(indent(text, "  "))
