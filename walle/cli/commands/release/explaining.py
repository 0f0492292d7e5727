"""`walle release explain` and `simulation`: why a device receives a release, and its simulation results."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from walle.cli import arguments
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
    logs: Annotated[bool, typer.Option("--logs", help="Show the logs of the samples, too.")] = False,
    attempt: Annotated[
        int | None, typer.Option("--attempt", metavar="N", min=1, help="This simulation instead of the newest.")
    ] = None,
) -> None:
    """Show the simulation results of a release for each app version and system."""
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
    for cell in found["cells"]:
        if cell["state"] not in ("passed", "pending") or logs:
            heading(f"app {cell['app_version']} on {cell['os']} {cell['os_version']}: {cell['state']}")
            say(cell["sentence"])
            if cell["logs"]:
                say(cell["logs"].rstrip())
