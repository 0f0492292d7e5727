"""`make demo`: the journey of a task from git to devices and through releases, every step checked, then the end.

Git client, web server, workers and devices are separate processes, on a temporary database and folder. The exit status
is 0 only if every step succeeded.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from typing import Final

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from walleweb.config import Config
from walleweb.demo import first_steps, pipeline_steps, release_steps, viewers
from walleweb.demo.context import DemoContext, Seen, StepFailed
from walleweb.demo.control_plane import ControlPlane
from walleweb.demo.strategies import CAN_SIMULATE
from walleweb.embedded import run

Step = Callable[[DemoContext], Seen]
STEPS: Final[tuple[tuple[str, Step], ...]] = (
    ("A broken task is refused at the push", first_steps.refuse_broken),
    ("A developer pushes camera/digits 1.0.0", first_steps.push_first),
    ("It goes to all devices at once, as there is nothing to compare it with", first_steps.release_at_once),
    ("A phone checks in, pulls, verifies, installs, runs", first_steps.phone_installs),
    ("Its report is in the control plane", first_steps.first_report),
    ("A file for a few: preferences by age band", first_steps.exclusive_files),
    (f"{release_steps.DEVICES + release_steps.TESTER_COUNT} more devices come and run it", release_steps.fleet_comes),
    ("Users browse: shop/ipv makes features of it on their devices, and the cloud answers", viewers.features_come),
    ("A better model, 1.1.0: simulation, beta, gray, complete", release_steps.good_release),
    ("The phone updates, and predicts something else", first_steps.prediction_changes),
    ("1.2.0 cannot run in one version of the app: the simulation stops it", release_steps.unfit_release),
    ("1.3.0 fails now and then: its verdict stops it in gray, and takes it back", release_steps.flawed_release),
    ("1.3.0 stays out", release_steps.stays_out),
    ("The task is retired: devices remove it", first_steps.retire),
    ("A pipeline, comments/mood 1.0.0: a serving process answers callers", pipeline_steps.pipeline_answers),
    (
        "1.1.0 takes another column: a third of its callers is refused, and gets 1.0.0",
        pipeline_steps.renamed_column,
    ),
)


def main() -> int:
    console = Console(highlight=False)
    try:
        with run.signals_interrupt(), run.temporary_folder():
            os.environ |= {"WALLE_PORT": str(free_port()), "WALLE_LOG_LEVEL": "warning"}
            config = Config.from_env()
            with run.held_folder(config.data_dir):
                walle = run.Walle(config, console)
                with walle.serving() as server:
                    travel(console, walle, server)
    except run.Interrupted:
        console.print("Stopped before the end.")
        return 1
    except (StepFailed, run.CannotRun, subprocess.CalledProcessError, RuntimeError) as error:
        message = error.stderr if isinstance(error, subprocess.CalledProcessError) else error
        console.print(f"[bold red]The journey failed.[/] {message}", soft_wrap=True)
        return 1
    return 0


def travel(console: Console, walle: run.Walle, server: str) -> None:
    """Take all steps; a failed step raises."""
    from django.utils import timezone

    from walleweb.demo import seed

    token = seed.token(now=timezone.now())
    with ControlPlane(server, token) as control_plane:
        world = DemoContext(
            walle, server, walle.config.data_dir, seed.APP, list(seed.APP_VERSIONS), token, control_plane
        )
        possible = [step for step in STEPS if CAN_SIMULATE or step[1] is not release_steps.unfit_release]
        figures = [take(console, world, number, *step) for number, step in enumerate(possible, start=1)]
    print_figures(console, figures)


def take(console: Console, world: DemoContext, number: int, title: str, step: Step) -> tuple[str, float]:
    """Take one step and print its observation; return its title, and its duration in seconds."""
    started = time.monotonic()
    with console.status(title) as status:
        world.show = lambda news: status.update(Text.assemble(f"{title}   ", news))
        seen = step(world)
    seconds = time.monotonic() - started
    console.print(f"\n[green]✓[/] [bold]{number}. {title}[/] [dim]{seconds:.2f} s[/]", soft_wrap=True)
    for part in seen.splitlines() if isinstance(seen, str) else seen:
        show_part(console, part)
    return title, seconds


def show_part(console: Console, part: RenderableType) -> None:
    """Print text as it is, so that it can be searched without a terminal, and anything else indented."""
    if isinstance(part, str | Text):
        console.print(Text.assemble("    ", part), soft_wrap=True)
    else:
        console.print(Padding(part, (0, 0, 0, 4), expand=False))


def print_figures(console: Console, figures: Iterable[tuple[str, float]]) -> None:
    table = Table("step", "time", title="The whole journey happened", title_justify="left")
    for title, seconds in figures:
        table.add_row(title, f"{seconds:.2f} s")
    console.print()
    console.print(table)


def free_port() -> int:
    """Return a port of this machine that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


if __name__ == "__main__":
    sys.exit(main())
