"""`walle device run`: run a task on this machine exactly as a device would."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from walle.cli import arguments, humanize
from walle.cli.connection import connected, path
from walle.cli.declaring import command
from walle.cli.errors import CommandFailed, WrongUsage
from walle.cli.output import draw, facts, heading, say, show, table
from walle.cli.waiting import waiting
from walle.protocol.names import InvalidNameError, check_task_name

if TYPE_CHECKING:
    from walle.cli.commands.device.repetition import Repetition
    from walle.cli.trial import Trial, TrialFacts
    from walle.container.samples import SampleResult

app = typer.Typer()

What = Annotated[str, typer.Argument(metavar="FOLDER|SCENARIO/TASK", help="A folder, or a task on the server.")]
OnServer = Annotated[
    str | None,
    typer.Argument(
        metavar="[VERSION]", parser=arguments.version_name, help="Its version on the server.", show_default=False
    ),
]
Inputs = Annotated[
    str | None,
    typer.Option(
        "--input",
        "-i",
        metavar="FILE",
        help="Run on these inputs instead of the samples: JSON or JSON Lines; - is stdin.",
    ),
]
Variants = Annotated[
    list[str] | None,
    typer.Option("--variant", metavar="PATH=FILE", help="The content of an exclusive file; may be repeated."),
]
AppVersion = Annotated[
    str | None, typer.Option("--app-version", metavar="VERSION", help="Emulate this version of the app.")
]
System = Annotated[str | None, typer.Option("--os", metavar="NAME", help="Emulate this operating system.")]
SystemVersion = Annotated[
    str | None, typer.Option("--os-version", metavar="VERSION", help="Emulate this version of the operating system.")
]
Repeat = Annotated[
    int,
    typer.Option(
        "--repeat",
        metavar="N",
        min=1,
        max=1000,
        help="Run each input this many times and show how long cold and warm runs take.",
    ),
]
Logs = Annotated[bool, typer.Option("--logs", help="Show the log of every run, not only of failed ones.")]


@command(
    app,
    "run",
    "walle device run .",
    "walle device run examples/image/task --logs",
    "walle device run . --input seven.json",
    "walle device run . --repeat 1000",
    "walle device run camera/digits 1.0.0",
    "walle device run . --os android --os-version 14 --app-version 1.2.0",
)
def run(
    what: What,
    version: OnServer = None,
    *,
    inputs: Inputs = None,
    variant: Variants = None,
    app_version: AppVersion = None,
    os: System = None,
    os_version: SystemVersion = None,
    repeat: Repeat = 1,
    logs: Logs = False,
) -> None:
    """Run a task on this machine exactly as a device would.

    It is validated, its requirements are checked, its files are installed into an empty folder, and each of
    its samples runs in the sandbox of devices, within the limits of its task.toml. With --repeat, the times of cold and
    warm runs, memory, what is kept between runs and failures by class are shown instead of each run. The status is 0 if
    all of it went well, 1 if not.
    """
    from walle.cli.commands.device.repetition import Repetition
    from walle.cli.trial import TrialFacts, prepare, read_inputs
    from walle.container.sandbox import Sandbox

    given = read_inputs(_text(inputs), inputs) if inputs else None
    variants = {name: Path(file) for name, file in map(arguments.fact, variant or ())}
    claims = TrialFacts(app_version, os, os_version)
    with tempfile.TemporaryDirectory(prefix="walle-run-") as scratch, _folder(what, version, Path(scratch)) as folder:
        trial = prepare(folder, Path(scratch, "bundle"), inputs=given, variants=variants)
        unmet = _requirements(trial, claims)
        with waiting("Starting the sandbox") as shown, Sandbox() as sandbox:
            runs = [] if unmet else trial.run(sandbox, shown.say, repeat=repeat, clock=time.perf_counter)
    results = [one.sample for one in runs]
    repeated = Repetition.of(runs, kept=trial.kept) if repeat > 1 and runs else None
    found = document(results, unmet) | ({"repeated": repeated.to_dict()} if repeated else {})
    show(found, lambda _: _told(results, unmet, trial.manifest["limits"], logs, repeated))
    if unmet or not results or not all(one.passed for one in results):
        raise typer.Exit(CommandFailed.status)


def _text(name: str) -> str:
    try:
        return sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUsage(f"cannot read {name}: {getattr(error, 'strerror', None) or error}") from error


@contextmanager
def _folder(what: str, version: str | None, scratch: Path) -> Iterator[Path]:
    """Return the folder that was named, or download the version into one."""
    if version is None:
        if not Path(what).is_dir() and _is_task(what):
            raise WrongUsage(f"which version of {what}?", f"see them with: walle version list {what}")
        yield Path(what)
        return
    if not _is_task(what):
        raise WrongUsage(f"expected a task such as camera/digits before a version, found {what}")
    from walle.bundle.archive import UnreadableArchiveError
    from walle.cli.packing import unpack

    with tempfile.TemporaryFile() as archive, waiting(f"Getting {what} {version}"):
        with connected() as client:
            address = path("tasks", what, "versions", version, "archive")
            archive.write(client.send("GET", address, query={"samples": "true", "source": "true"}).content)
        archive.seek(0)
        folder = scratch / "version"
        folder.mkdir()
        try:
            unpack(archive, folder)
        except (UnreadableArchiveError, ValueError, OSError) as error:
            raise CommandFailed(f"cannot unpack {what} {version}: {error}") from error
    yield folder


def _is_task(text: str) -> bool:
    try:
        return bool(check_task_name(text))
    except InvalidNameError:
        return False


def _requirements(trial: Trial, claims: TrialFacts) -> list[str]:
    unchecked = trial.unchecked(claims)
    if unchecked:
        options = {"app": "--app-version", "os": "--os and --os-version"}
        needed = "; ".join(f"{name} (say {options[name]})" for name in unchecked)
        print(f"Not checked, because the attributes of this device are unknown: {needed}", file=sys.stderr)
    try:
        return trial.unmet(claims)
    except InvalidNameError as error:
        raise WrongUsage(str(error)) from error


def document(results: Sequence[SampleResult], unmet: Sequence[str]) -> dict[str, Any]:
    """Return the results of a trial as JSON data."""
    runs = [
        {
            "name": one.name,
            "passed": one.passed,
            "error_class": one.run.error_class,
            "message": one.run.message,
            "mismatches": list(one.mismatches),
            "output": one.run.output,
            "metrics": dict(one.run.metrics),
            "duration_ms": round(one.run.duration_ms, 2),
            "cpu_ms": round(one.run.cpu_ms, 2),
            "peak_memory_kb": one.run.peak_memory_kb,
            "start": one.run.start,
            "vm_end": one.run.vm_end,
            "backends": dict(one.run.backends),
            "enforced": dict(one.run.enforced),
            "logs": one.run.logs,
        }
        for one in results
    ]
    ok = bool(results) and not unmet and all(one.passed for one in results)
    return {"ok": ok, "unmet": list(unmet), "runs": runs}


def _told(
    results: Sequence[SampleResult],
    unmet: Sequence[str],
    limits: dict[str, Any],
    logs: bool,
    repeated: Repetition | None,
) -> None:
    from rich.text import Text

    if unmet:
        say(Text("✗ a device like this does not install it", style="bold red"))
        for reason in unmet:
            say(f"  {reason}")
        return
    if not results:
        say(Text("✗ nothing was run: the task has no samples", style="bold red"))
        say("Next: add a [[samples]] to its task.toml, or run it on inputs of your own: --input FILE")
        return
    if repeated is not None:
        repeated.tell()
    else:
        draw(table(("run", "verdict", "start", "time", "cpu", "memory", "output"), [_row(one) for one in results]))
    failed = [one for one in results if not one.passed] if repeated is None else repeated.first_failures
    for one in results if logs else failed:
        if one.run.logs:
            heading(f"Log of {one.name}")
            say(one.run.logs.rstrip())
    _judged(results, failed, limits)


def _row(one: SampleResult) -> list[Any]:
    from rich.text import Text

    run = one.run
    verdict = Text("✓ passed", style="green") if one.passed else Text("✗ failed", style="bold red")
    said = json.dumps(run.output) if run.ok else humanize.harmless(f"{run.error_class}: {run.message}")
    figures = (f"{run.duration_ms:.0f} ms", f"{run.cpu_ms:.0f} ms", humanize.size(run.peak_memory_kb * 1024))
    return [one.name, verdict, run.start, *figures, "; ".join(one.mismatches) or said]


def _judged(results: Sequence[SampleResult], told: Sequence[SampleResult], limits: dict[str, Any]) -> None:
    """Say whether all went well, and of the failed runs that are to be told, why they failed."""
    from rich.text import Text

    failed = sum(not one.passed for one in results)
    say("")
    slowest = max(one.run.duration_ms for one in results)
    models = Counter(f"{name} on {backend}" for one in results for name, backend in one.run.backends.items())
    facts(
        {
            "slowest": f"{slowest:.0f} ms of {limits['time_ms']} ms",
            "models": ", ".join(f"{each} ({count})" for each, count in models.most_common()) or None,
            "isolation": ", ".join(f"{name} ({by})" for name, by in results[0].run.enforced.items()),
        }
    )
    for one in told:
        why = humanize.harmless("; ".join(one.mismatches) or f"{one.run.error_class}: {one.run.message}")
        say(Text.assemble((f"✗ {one.name}: ", "bold red"), why))
    if failed:
        say(f"{failed:,} of {humanize.count(len(results), 'run')} failed.")
    else:
        say(Text.assemble(("✓ ", "green"), f"{humanize.count(len(results), 'run')}, all passed."))
