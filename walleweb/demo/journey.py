"""`make demo`: one journey of a task from git to devices, every step checked, and then the end.

Git client, web server, worker and devices are processes of their own, on a database and a folder that are thrown
away. Exit status 0 only if every step truly happened.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from walleweb.config import Config
from walleweb.demo.control_plane import ControlPlane
from walleweb.demo.examples import EXAMPLES, IMAGE, RECOMMENDATION
from walleweb.demo.publishing import push_version
from walleweb.embedded import run

BETTER = "1.1.0"
APP_VERSION = "2.0.0"
WAIT_S = 20.0


class StepFailed(Exception):
    """A step did not happen as it should; the text says what was expected."""


def main() -> int:
    console = Console(highlight=False)
    try:
        with run.signals_interrupt(), run.temporary_folder():
            os.environ |= {"WALLE_PORT": str(free_port()), "WALLE_LOG_LEVEL": "warning"}
            config = Config.from_env()
            with run.held_folder(config.data_dir), run.Walle(config, console).serving() as server:
                Journey(server, config.data_dir, console).run()
    except run.Interrupted:
        console.print("Stopped before the end.")
        return 1
    except (StepFailed, run.CannotRun, subprocess.CalledProcessError, RuntimeError) as error:
        said = error.stderr if isinstance(error, subprocess.CalledProcessError) else error
        console.print(f"[bold red]The journey failed.[/] {said}", soft_wrap=True)
        return 1
    return 0


class Journey:
    """The steps, in order; each one prints what it saw and raises StepFailed if that was not what it should be."""

    def __init__(self, server: str, folder: Path, console: Console) -> None:
        from django.utils import timezone

        from walleweb.demo import seed

        self.server, self.folder, self.console = server, folder, console
        self.app = seed.APP
        self.token = seed.token(now=timezone.now())
        self.control_plane = ControlPlane(server, self.token)
        self.figures: list[tuple[str, str]] = []

    def run(self) -> None:
        steps: list[tuple[str, Callable[[], str]]] = [
            ("A broken task is refused at the push", self.refuse_broken),
            ("A developer pushes camera/digits 1.0.0", self.push_first),
            ("The version is released to app version 2.0.0", lambda: self.release(IMAGE.task, IMAGE.version)),
            ("A device checks in, pulls, verifies, installs, runs", self.device_installs),
            ("Its report is in the control plane", self.first_report),
            ("A better model is pushed and released: 1.1.0", self.push_better),
            ("The device updates, and predicts something else", self.prediction_changes),
            ("A file for a few: preferences by age band", self.exclusive_files),
            ("The task is retired: the device removes it", self.retire),
        ]
        for number, (title, step) in enumerate(steps, start=1):
            started = time.monotonic()
            with self.console.status(title):
                seen = step()
            seconds = time.monotonic() - started
            self.figures.append((title, f"{seconds:.2f} s"))
            self.console.print(f"\n[green]✓[/] [bold]{number}. {title}[/] [dim]{seconds:.2f} s[/]")
            for line in seen.splitlines():
                self.console.print(f"    {line}", soft_wrap=True, markup=False)
        self._print_figures()

    def refuse_broken(self) -> str:
        broken = self.folder / "broken"
        shutil.copytree(IMAGE.tree, broken)
        (broken / "main.py").write_text("def run(inputs, context)\n    return {}\n")
        try:
            push_version(self.server, self.token, IMAGE.task, "0.9.0", broken)
        except subprocess.CalledProcessError as error:
            expect(self.control_plane.version(IMAGE.task, "0.9.0") is None, "no version 0.9.0 to be registered")
            return remote_lines(error.stderr)
        raise StepFailed("expected the server to refuse a task that does not compile")

    def push_first(self) -> str:
        said = push_version(self.server, self.token, IMAGE.task, IMAGE.version, IMAGE.tree)
        registered = self.control_plane.version(IMAGE.task, IMAGE.version)
        expect(registered is not None, "camera/digits 1.0.0 to be registered")
        return remote_lines(said)

    def release(self, task: str, version: str) -> str:
        release = self.control_plane.release(self.app, task, version, [APP_VERSION])
        expect(release["state"] == "running", f"the release to be running, found {release['state']}")
        table = self.control_plane.table(self.app)
        return f"release {release['id']} is {release['state']}; table {table['number']} of {self.app} is published"

    def device_installs(self) -> str:
        said = self.device("phone", IMAGE.task, first_line(IMAGE.inputs))
        installed = self.installed("phone")
        wanted = self.control_plane.version(IMAGE.task, IMAGE.version)
        expect(wanted is not None and installed.get(IMAGE.task) == wanted["manifest_digest"], "1.0.0 to be installed")
        return said

    def first_report(self) -> str:
        self.before = self.prediction(IMAGE.version)
        return f"{IMAGE.task} {IMAGE.version}: {describe(self.before)}"

    def push_better(self) -> str:
        better = self.folder / "better"
        shutil.copytree(IMAGE.tree, better)
        shutil.copytree(EXAMPLES / "image" / "versions" / BETTER, better, dirs_exist_ok=True)
        said = push_version(self.server, self.token, IMAGE.task, BETTER, better)
        return remote_lines(said) + "\n" + self.release(IMAGE.task, BETTER)

    def prediction_changes(self) -> str:
        said = self.device("phone", IMAGE.task, first_line(IMAGE.inputs))
        after, truth = self.prediction(BETTER), first_line(IMAGE.inputs)["truth"]
        old, new = self.before["output"]["label"], after["output"]["label"]
        expect(new == truth != old, f"1.0.0 to misread the {truth} and 1.1.0 to read it, found {old} and {new}")
        return f"{said}\n{IMAGE.task} {BETTER}: {describe(after)}\nthe image is a {truth}: {old} became {new}"

    def exclusive_files(self) -> str:
        task, version = RECOMMENDATION.task, RECOMMENDATION.version
        push_version(self.server, self.token, task, version, RECOMMENDATION.tree)
        for file in sorted((RECOMMENDATION.folder / "variants").glob("*.json")):
            self.control_plane.put_variant(task, version, "prefs.json", file.stem, file.read_bytes())
        self.release(task, version)
        basket = first_line(RECOMMENDATION.inputs)
        self.device("adult", task, basket)
        adult = self.prediction(version, task)["output"]["recommendations"]
        self.device("minor", task, basket, age_band="under-18")
        minor = self.prediction(version, task)["output"]["recommendations"]
        expect("Wine" in adult and "Wine" not in minor, f"wine for adults only, found {adult} and {minor}")
        return f"default:  {', '.join(adult)}\nunder-18: {', '.join(minor)}"

    def retire(self) -> str:
        self.control_plane.retire(IMAGE.task)
        said = self.device("phone", IMAGE.task, first_line(IMAGE.inputs))
        expect(IMAGE.task not in self.installed("phone"), f"{IMAGE.task} to be removed")
        return said

    def device(self, name: str, task: str, line: dict[str, Any], *, age_band: str = "") -> str:
        """Runs a device process once; what it said."""
        from walleweb.demo import secrets
        from walleweb.demo.fleet import root_file

        inputs = self.folder / f"{name}.jsonl"
        inputs.write_text(json.dumps(line))
        command = [sys.executable, "-m", "walle.device", "--once", "--server", self.server, "--app", self.app]
        command += ["--app-version", APP_VERSION, "--os", "android", "--os-version", "14", "--perf", "high"]
        command += ["--store", str(self.folder / "devices" / name), "--inputs", f"{task}={inputs}"]
        command += ["--root", str(root_file(self.folder))]
        if age_band:
            statement = self.folder / f"{name}.statement.json"
            statement.write_bytes(secrets.signed_facts(self.app, name, {"age_band": age_band}, int(time.time()) + 3600))
            command += ["--statement", str(statement)]
        environment = {**os.environ, "WALLE_APP_KEY": secrets.app_key()}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
        expect(done.returncode == 0, f"the device to end well, found:\n{done.stdout}{done.stderr}")
        return done.stdout.strip()

    def installed(self, name: str) -> dict[str, str]:
        """What the device's own directory says it has: task to manifest digest."""
        from walle.device.store import Store

        with Store(self.folder / "devices" / name) as store:
            return {name: task.current.manifest for name, task in store.state.tasks.items() if task.current}

    def prediction(self, version: str, task: str = IMAGE.task) -> dict[str, Any]:
        """The newest successful run of a version that the control plane knows of."""
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline:
            reports = self.control_plane.reports(task=task, version=version, kind="run")
            if reports and reports[0]["outcome"] == "success":
                return reports[0]
            time.sleep(0.2)
        raise StepFailed(f"expected the report of a successful run of {task} {version}, found {reports}")

    def _print_figures(self) -> None:
        table = Table("step", "time", title="The whole journey happened", title_justify="left")
        for title, seconds in self.figures:
            table.add_row(title, seconds)
        self.console.print()
        self.console.print(table)


def free_port() -> int:
    """A port of this machine that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def expect(holds: bool, what: str) -> None:
    if not holds:
        raise StepFailed(f"expected {what}")


def first_line(path: Path) -> dict[str, Any]:
    with path.open() as lines:
        line: dict[str, Any] = json.loads(next(lines))
    return line


def remote_lines(said: str) -> str:
    """What the server said in git's output."""
    lines = [line.removeprefix("remote:").strip() for line in said.splitlines() if line.startswith("remote:")]
    return "\n".join(filter(None, lines))


def describe(report: dict[str, Any]) -> str:
    took = f"{report['duration_ms']:.0f} ms, {report['peak_memory_kb'] / 1024:.0f} MB"
    return f"{json.dumps(report['output'])} in {took}; evidence: {'yes' if report['evidence'] else 'no'}"


if __name__ == "__main__":
    sys.exit(main())
