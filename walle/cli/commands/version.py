"""`walle version`: show, compare, validate and upload versions of tasks."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from walle.cli import arguments, humanize
from walle.cli.connection import connected, path
from walle.cli.declaring import command, group
from walle.cli.errors import CommandFailed
from walle.cli.model_plans import show_models
from walle.cli.output import console, done, facts, heading, listing, say, show
from walle.cli.waiting import WaitingMessage, waiting
from walle.cli.workflow_plans import halves_facts
from walle.protocol.kinds import PIPELINE

if TYPE_CHECKING:
    from walle.bundle.validation import BundleValidation

app = group("Versions of tasks: each is a git tag.", name="version")
Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="The task's folder, with task.toml at its top.")]
MaxFile = Annotated[
    int, typer.Option("--max-file-mb", metavar="MIB", min=1, help="The largest file that the server takes.")
]
LARGEST_FILE_MB = 100


@command(app, "list", "walle version list camera/digits")
def list_(task: arguments.Task, limit: arguments.Limit = 30) -> None:
    """List the versions of a task, the highest first."""
    with connected() as client:
        page = client.listed(path("tasks", task, "versions"), limit)
    columns = {
        "version": lambda row: row["version"],
        "size": lambda row: humanize.size(row["total_size"]),
        "author": lambda row: row["author_name"],
        "message": lambda row: row["message"].partition("\n")[0],
        "tagged_at": lambda row: humanize.ago(row["tagged_at"], humanize.now()),
    }
    show(
        page,
        lambda _: listing(
            page, columns, nothing="It has no version yet: push a tag, or upload one.", plain=("tagged_at",)
        ),
    )


@command(app, "show", "walle version show camera/digits 1.0.0")
def show_(task: arguments.Task, version: arguments.Version) -> None:
    """Show one version with its files, and why it is in quarantine if it is."""
    with connected() as client:
        found = client.get(path("tasks", task, "versions", version))
    show(found, _show)


def _show(version: dict[str, Any]) -> None:
    quarantine, placement = version["quarantine"], version["manifest"].get("placement")
    held = f"since release {quarantine['release']} was rolled back: {quarantine['reason']}" if quarantine else None
    facts(
        {
            "version": f"{version['task']} {version['version']}",
            "kind": version["kind"],
            "devices get": f"bytecode for {version['interpreter']}" if version["interpreter"] else None,
            "quarantine": held,
            "refused": version.get("refusal") or None,
            "tag": version["tag"],
            "commit": version["commit"],
            "by": f"{version['author_name']} <{version['author_email']}>",
            "message": version["message"],
            "tagged": version["tagged_at"],
            "manifest": version["manifest_digest"],
            "size": humanize.size(version["total_size"]),
            **(halves_facts(placement) if placement else {}),
        }
    )
    _warn(version.get("warnings", ()))
    show_models(version.get("models", ()))
    heading("Files")
    columns = {
        "path": lambda row: row["path"],
        "kind": lambda row: row["kind"],
        "size": lambda row: "" if row["size"] is None else humanize.size(row["size"]),
        "content": lambda row: (
            (row["digest"] or "")[:12] or f"{row['template']}: {humanize.count(row['variant_count'], 'variant')}"
        ),
    }
    listing({"results": version["files"]}, columns, nothing="None.")


@command(
    app, "diff", "walle version diff camera/digits 1.0.0 1.1.0", "walle version diff camera/digits 1.0.0 1.1.0 | less"
)
def diff(
    task: arguments.Task,
    old: Annotated[str, typer.Argument(metavar="OLD", parser=arguments.version_name, show_default=False)],
    new: Annotated[str, typer.Argument(metavar="NEW", parser=arguments.version_name, show_default=False)],
) -> None:
    """Show the changes between two versions: files and declarations of task.toml."""
    with connected() as client:
        found = client.get(path("tasks", task, "versions", new, "diff"), base=old)
    show(found, _diff)


def _diff(found: dict[str, Any]) -> None:
    import json

    if not found["files"]:
        say(f"{found['base']} and {found['version']} have the same files.")
        return
    for field in found["fields"]:
        old, new = (json.dumps(field[side], ensure_ascii=False) for side in ("old", "new"))
        say(f"task.toml: {field['field']}: {old} → {new}")
    styles = {"+": "green", "-": "red", "@": "cyan"}
    out = console()
    for file in found["files"]:
        heading(f"{file['change']} {file['path']}{_sizes(file)}")
        for line in (file["diff"] or "").splitlines():
            out.print(line, style=styles.get(line[:1]), markup=False, soft_wrap=True)
        if file["omitted"]:
            say(f"({file['omitted']})")


def _sizes(file: dict[str, Any]) -> str:
    sides = [file[side] for side in ("old", "new") if file[side] and file[side]["size"] is not None]
    return f" ({' → '.join(humanize.size(side['size']) for side in sides)})" if sides else ""


@command(app, "validate", "walle version validate .", "walle version validate examples/image/task --json")
def validate(folder: Folder = Path("."), max_file_mb: MaxFile = LARGEST_FILE_MB) -> None:
    """Check a folder as the server checks a push, without a server.

    In a git working copy, files that git ignores are left out. Problems are printed in the words of the server, one per
    line, and the status is 1.
    """
    found = _validated(folder, max_file_mb)
    size = sum(file.size for file in found.models.shipped(found.files))
    document = {
        "ok": found.ok,
        "problems": [_problem(problem) for problem in found.problems],
        "warnings": list(found.warnings),
        "files": sorted(file.path for file in found.models.shipped(found.files)),
        "models": [{"name": name, **plan} for name, plan in found.models.plans.items()],
        "total_size": size,
    }
    show(document, lambda _: _valid(found, size))
    if not found.ok:
        raise typer.Exit(CommandFailed.status)


def _validated(folder: Path, max_file_mb: int) -> BundleValidation:
    from walle.bundle.models import with_models
    from walle.bundle.tree_listing import TreeLimits
    from walle.bundle.validation import validate_tree
    from walle.cli.folders import folder_tree

    with waiting(f"Checking {folder}") as shown:
        found = validate_tree(folder_tree(folder), TreeLimits(file_bytes=max_file_mb << 20))
        if found.spec is not None and found.spec.kind == PIPELINE:
            # Loads what compiles pipelines; the server does this a few seconds after a push.
            from walle.cli.pipeline_archives import plan_problems

            if problems := plan_problems(folder):
                return replace(found, problems=tuple(problems), spec=None)
        if found.spec is not None and found.spec.models:
            shown.say("Importing and planning its models")
            found = with_models(folder_tree(folder), found)
        return found


def _problem(problem: Any) -> dict[str, Any]:
    names = ("file", "line", "field", "expected", "found", "hint", "text")
    return {name: getattr(problem, name) for name in names}


def _valid(found: BundleValidation, size: int) -> None:
    for problem in found.problems:
        say(problem.text)
    if found.spec is None:
        if sys.stdout.isatty():
            say(f"\n{humanize.count(len(found.problems), 'problem')} to fix.")
        return
    files = humanize.count(len(found.files), "file")
    if found.spec.kind == PIPELINE:
        done(f"a valid pipeline: {files} for serving hosts, {humanize.size(size)}")
        return
    samples = humanize.count(len(found.spec.samples), "sample")
    show_models([{"name": name, **plan} for name, plan in found.models.plans.items()])
    if not found.spec.source:
        say(f"Devices get bytecode for {found.spec.interpreter or 'the interpreter of the server'}, not its sources.")
    done(f"a valid task: {files} for devices, {humanize.size(size)}, {samples}")
    _warn(found.warnings)
    if not found.spec.samples:
        say("It has no [[samples]], so it cannot pass a simulation.")


@command(
    app,
    "upload",
    "walle version upload . camera/digits 1.1.0",
    'walle version upload . camera/digits 1.1.0 --message "trained on more data"',
)
def upload(
    folder: Folder,
    task: arguments.Task,
    version: arguments.Version,
    *,
    message: Annotated[
        str | None, typer.Option("--message", "-m", metavar="TEXT", help="The message of the tag.")
    ] = None,
    max_file_mb: MaxFile = LARGEST_FILE_MB,
) -> None:
    """Register a folder as a version of a task without git.

    It is validated first. Uploading the same content again changes nothing; another one under the same version is
    refused (5). The scenario's repository gets a commit and a tag, as if it had been pushed.
    """
    from walle.cli.folders import folder_tree
    from walle.cli.packing import packed

    found = _validated(folder, max_file_mb)
    if not found.ok:
        raise Invalid([problem.text for problem in found.problems])
    with waiting(f"Packing {folder}") as shown, packed(folder_tree(folder)) as archive, connected() as client:
        size = archive.seek(0, os.SEEK_END)
        answer = client.send(
            "PUT",
            path("tasks", task, "versions", version, "archive"),
            query={"message": message},
            content=lambda: _read(archive, size, shown),
            # With its length, so that what is too large is refused before it is sent.
            headers={"content-type": "application/gzip", "content-length": str(size)},
        )
    made = humanize.harmless(answer.json())
    said = "registered" if answer.status_code == 201 else "already there with this content:"

    def told(_: object) -> None:
        done(f"{said} {task} {version} ({_summary(made)})")
        if refusal := made.get("refusal"):
            say(f"It is not released as it is: {refusal}.")
        _warn(made.get("warnings", ()))

    show(made, told)


def _warn(warnings: Iterable[str]) -> None:
    for warning in warnings:
        typer.echo(f"Warning: {humanize.harmless(warning)}", err=True)


def _summary(version: dict[str, Any]) -> str:
    files = humanize.count(len(version["files"]), "file")
    return f"{files}, {humanize.size(version['total_size'])}, manifest {version['manifest_digest'][:12]}…"


def _read(file: IO[bytes], size: int, shown: WaitingMessage) -> Iterator[bytes]:
    from walle.cli.packing import CHUNK

    file.seek(0)
    while chunk := file.read(CHUNK):
        yield chunk
        shown.say(f"Uploading {humanize.size(file.tell())} of {humanize.size(size)}")
    shown.say("The server registers it")


class Invalid(CommandFailed):
    """The folder is not a valid version."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("the folder is not a valid version; nothing was uploaded. To fix:")
        self._problems = problems

    @property
    def lines(self) -> list[str]:
        return self._problems

    def to_dict(self) -> dict[str, Any]:
        told = super().to_dict()
        told["error"]["errors"] = [{"field": "", "detail": problem} for problem in self._problems]
        return told
