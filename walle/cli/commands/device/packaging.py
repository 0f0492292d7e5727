"""`walle device package`: make a build of walle-device with only what a set of tasks needs."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from walle.cli import arguments, humanize
from walle.cli.declaring import command
from walle.cli.errors import CommandFailed, WrongUsage
from walle.cli.output import done, draw, facts, say, show, table
from walle.cli.waiting import waiting

if TYPE_CHECKING:
    from walle.packaging.making import InstalledTask, TailoredBuild

app = typer.Typer()

For = Annotated[
    list[Path],
    typer.Option("--for", metavar="FOLDER", show_default=False, help="The folder of a task; may be repeated."),
]
Out = Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="Where the build is made: a new folder.")]
With = Annotated[
    list[str] | None,
    typer.Option("--with", metavar="MODULE", help="A module that is to be in it too; may be repeated."),
]
Variants = Annotated[
    list[str] | None,
    typer.Option("--variant", metavar="PATH=FILE", help="The content of an exclusive file without a default."),
]
_SHOWN = 12


@command(
    app,
    "package",
    "walle device package --for examples/image/task",
    "walle device package --for examples/image/task --for examples/text/task --out build/device",
    "walle device package --for . --with sqlite3 --with numpy.random",
)
def package(*, for_: For, out: Out = Path("walle-device"), with_: With = None, variant: Variants = None) -> None:
    """Make a build of walle-device with only what tasks need: an interpreter, and parts of its library and packages.

    What the tasks' code and the device import is followed, and the samples run to see what is loaded beside. Then they
    run again in the build, which needs nothing else of this machine but the C library and the shared libraries that
    are listed. The status is 0 if all of them pass there. It is made of the Python that runs this command.
    """
    from walle.packaging.making import make_build

    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise WrongUsage(f"expected a new folder for the build, found {out}", "name another one with: --out FOLDER")
    variants = {name: Path(file) for name, file in map(arguments.fact, variant or ())}
    with tempfile.TemporaryDirectory(prefix="walle-package-") as scratch, waiting("Reading the tasks") as shown:
        tasks = [_installed(folder, Path(scratch, str(at)), variants) for at, folder in enumerate(for_)]
        try:
            build = make_build(tasks, out, asked=with_ or (), tell=shown.say)
        except (ValueError, OSError) as error:
            raise CommandFailed(str(error)) from error
    show(document(build, out), lambda _: _told(build, out))
    if not all(one.passed for trials in build.trials.values() for one in trials):
        raise typer.Exit(CommandFailed.status)


def _installed(folder: Path, into: Path, variants: dict[str, Path]) -> InstalledTask:
    from walle.cli.trial import prepare
    from walle.packaging.making import InstalledTask

    trial = prepare(folder, into, inputs=None, variants=variants)
    return InstalledTask(str(folder), trial.bundle, trial.manifest, trial.cases)


def document(build: TailoredBuild, out: Path) -> dict[str, Any]:
    """Return what was made as JSON data; sizes in bytes."""
    plan = build.plan
    parts = [
        {
            "part": name,
            "modules": {"whole": len(plan.inventory.parts[name].modules), "tailored": plan.carried(name)},
            "whole": {"size": sizes.whole.plain, "compressed": sizes.whole.compressed},
            "tailored": {"size": sizes.tailored.plain, "compressed": sizes.tailored.compressed},
            "left_out": plan.left_out(name),
        }
        for name, sizes in build.sizes.items()
    ]
    runs = [
        {
            "task": task,
            "sample": one.name,
            "passed": one.passed,
            "error_class": one.run.error_class,
            "message": one.run.message,
            "mismatches": list(one.mismatches),
        }
        for task, results in build.trials.items()
        for one in results
    ]
    return {
        "folder": str(out),
        "parts": parts,
        "absent": dict(plan.absent_of_tasks()),
        "system_libraries": list(plan.system_libraries),
        "runs": runs,
    }


def _told(build: TailoredBuild, out: Path) -> None:
    from walle.packaging.inventory import STANDARD_LIBRARY

    plan, total = build.plan, build.total
    rows = [_row(name, plan.carried(name), sizes.whole, sizes.tailored) for name, sizes in build.sizes.items()]
    rows.append(_row("total", len(plan.modules.needed_by), total.whole, total.tailored))
    draw(table(("part", "modules", "whole", "tailored", "whole zipped", "tailored zipped"), rows))
    say("")
    names = [*plan.left_out_whole(), *(name for name in plan.left_out(STANDARD_LIBRARY) if not name.startswith("_"))]
    facts(
        {
            "left out": _some(names),
            "not here": _some([f"{name} (for {why})" for name, why in plan.absent_of_tasks().items()]),
            "of the system": _some(plan.system_libraries, len(plan.system_libraries)),
            "add a module": "walle device package ... --with MODULE",
            "start it": f"{out}/bin/walle-device --help",
        }
    )
    _judged(build)


def _row(name: str, modules: int, whole: Any, tailored: Any) -> list[str]:
    sizes = (whole.plain, tailored.plain, whole.compressed, tailored.compressed)
    return [name, str(modules or ""), *map(humanize.size, sizes)]


def _some(names: Sequence[str], most: int = _SHOWN) -> str:
    more = f" and {len(names) - most} more (--json has all)" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _judged(build: TailoredBuild) -> None:
    from rich.text import Text

    for task, results in build.trials.items():
        if not results:
            say(f"{task} has no samples: only what its source names is there for it")
        for one in results:
            if not one.passed:
                why = "; ".join(one.mismatches) or f"{one.run.error_class}: {one.run.message}"
                say(Text.assemble((f"✗ {task}, {one.name}: ", "bold red"), humanize.harmless(why)))
    results = [one for found in build.trials.values() for one in found]
    if results and all(one.passed for one in results):
        done(f"{humanize.count(len(results), 'sample')} passed in the build")
