"""The GitHub Actions workflow of examples/ci: its steps are run one by one, as a runner does, against a real server."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from django.utils import timezone

from releases_app.models import Release
from releases_app.services.reconciliation import reconcile
from tasks_app.models import TaskVersion
from tests.support.people import token_of
from tests.support.waiting import ANSWER_S, wait_for
from walle.cli.commands.release.drafting import request
from walle.cli.files import read_object
from walle.release.strategy import Strategy

pytestmark = pytest.mark.processes

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "ci"
WORKFLOW = yaml.safe_load((FOLDER / "walle.yml").read_text(encoding="utf-8"))
AT_ONCE = """
[rule]
fact = "app_version"
version = ">=1.0.0"
[strategy]
simulation = false
control_percent = 0
[[strategy.stages]]
kind = "gray"
percent = 100
dwell_s = 0
evidence = 0
"""
INSTALL = re.compile(r'^pip install "walle\[cli\]"( numpy)?$')


class Runner:
    """What a runner does for the steps of a job: environment, files for variables and for the summary, bash -e."""

    def __init__(self, folder, variables, secrets, home):
        self.folder, self._home = folder, home
        self._expressions = {f"vars.{name}": value for name, value in variables.items()}
        self._expressions |= {f"secrets.{name}": value for name, value in secrets.items()}
        self.summary, self._variables = home / "summary", home / "variables"
        self._env = {"GITHUB_REF_NAME": "v1.0.0", "GITHUB_REPOSITORY": "shop/digits", "GITHUB_SHA": "0" * 40}

    def steps(self, job):
        """The steps of a job that run something, by name; what installs is held against the pattern only."""
        self._env |= {name: self._filled(value) for name, value in WORKFLOW["jobs"][job].get("env", {}).items()}
        found = {step["name"]: step for step in WORKFLOW["jobs"][job]["steps"] if "run" in step}
        install = found.pop("Install walle")
        assert INSTALL.match(install["run"])
        return found

    def begin(self, step):
        """A step as bash runs it on GitHub."""
        argv = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", self._filled(step["run"])]
        return subprocess.Popen(
            argv, cwd=self.folder, env=self._environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def run(self, step):
        """Run a step to its end; its status and its output."""
        process = self.begin(step)
        output, _ = process.communicate(timeout=60)
        return process.returncode, output

    def _environment(self):
        kept = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(self._home)}
        files = {"GITHUB_ENV": str(self._variables), "GITHUB_STEP_SUMMARY": str(self.summary)}
        lines = self._variables.read_text().splitlines() if self._variables.exists() else []
        return {**kept, **files, **self._env, **dict(line.split("=", 1) for line in lines)}

    def _filled(self, text):
        return re.sub(r"\$\{\{ (\S+) \}\}", lambda match: self._expressions[match.group(1)], text)


@pytest.fixture
def runner(folder, task, releaser, address, tmp_path):
    """A runner that has checked out a proper task with a release that takes all devices at once."""
    (folder / "walle-release.toml").write_text(AT_ONCE)
    variables = {"WALLE_URL": address, "WALLE_TASK": task, "WALLE_APP": "shop"}
    return Runner(folder, variables, {"WALLE_TOKEN": token_of(releaser)}, tmp_path)


def passed(runner, step):
    status, output = runner.run(step)
    assert status == 0, output
    return output


def released(runner):
    """The steps of the job `release` up to its start; those that follow."""
    steps = runner.steps("release")
    for name in ("Upload the version", "Create the release", "Start it"):
        passed(runner, steps.pop(name))
    return steps


def test_a_good_task_goes_to_all_devices(runner, task):
    for step in runner.steps("check").values():
        passed(runner, step)
    steps = released(runner)
    version, release = TaskVersion.objects.get(), Release.objects.get()
    assert (str(version), version.message) == (f"{task} 1.0.0", f"shop/digits@{'0' * 40}")
    watching = runner.begin(steps.pop("Watch it"))
    wait_for(lambda: reconcile(release=release.pk, now=timezone.now()) or Release.objects.get().state == "complete")
    assert watching.wait(ANSWER_S) == 0, watching.stdout.read()
    passed(runner, steps.pop("Say what became of it"))
    assert "✓ complete" in runner.summary.read_text()
    passed(runner, steps.pop("Roll back what did not come through"))
    assert Release.objects.get().state == "complete"
    assert not steps


def test_what_waits_for_a_person_is_rolled_back(runner, walle, monkeypatch, address):
    steps = released(runner)
    release = Release.objects.get()
    watching = runner.begin(steps["Watch it"])
    monkeypatch.setenv("WALLE_URL", address)
    assert walle("release", "pause", release.pk).status == 0
    assert watching.wait(ANSWER_S) == 14, watching.stdout.read()
    output = passed(runner, steps["Roll back what did not come through"])
    assert "rolled-back" in output
    release.refresh_from_db()
    assert release.state == "rolled-back"
    assert release.transitions.last().reason == "CI: v1.0.0 did not come through"


def test_a_broken_task_stops_at_the_first_step(runner):
    (runner.folder / "main.py").write_text("if x\n")
    status, output = runner.run(runner.steps("check")["Validate"])
    assert (status, output) == (1, "main.py:1: expected Python that compiles, found expected ':'\n")


def test_a_repeated_job_uploads_nothing_twice(runner):
    upload = runner.steps("release")["Upload the version"]
    passed(runner, upload)
    assert "already there with this content" in passed(runner, upload)
    assert TaskVersion.objects.count() == 1


def test_the_release_file_is_one():
    body = request(read_object(str(FOLDER / "walle-release.toml")), {"app": "a", "task": "b/c", "version": "1.0.0"})
    assert [stage.kind for stage in Strategy.from_dict(body["strategy"]).stages] == ["beta", "gray", "gray"]


def test_the_workflow_needs_nothing_else():
    """The runner has what the steps call, and every secret and variable is one that the guide names."""
    text = (FOLDER / "walle.yml").read_text(encoding="utf-8")
    guide = (ROOT / "docs" / "guides" / "ci.md").read_text(encoding="utf-8")
    for name in re.findall(r"\$\{\{ (?:vars|secrets)\.(\w+) \}\}", text):
        assert f"`{name}`" in guide
    assert shutil.which("jq")
