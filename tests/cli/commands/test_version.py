"""`walle version`: what there is, and a folder that is refused in the same words here, in a push, and in an upload."""

from __future__ import annotations

import json
import re

import pytest

from tests.tasks_app.working_copy import GOOD, MAIN, TASK, GitFailed
from walle.protocol.interpreters import THIS_INTERPRETER

pytestmark = pytest.mark.processes

BROKEN = {
    "task.toml": TASK.replace("every_s = 5", "every_s = -1").replace('type = "number"', 'type = "nmber"', 1)
    + "[limits]\ntime_ms = 'fast'\n[limit]\n",
    "main.py": MAIN.replace("inputs, context", "inputs"),
    "helper.py": "x = 1\nif x\n",
    "other.py": "import torch\n",
    "a b.txt": "x",
    "Model.bin": "x",
    "weights.bin": f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 12345\n",
    "large.bin": b"\x01" * (1024 * 1024 + 1),
}


def refused_push(copy):
    """What the server's hook says of digits/1.0.0, problem by problem."""
    with pytest.raises(GitFailed) as refused:
        copy.push("digits", "--tags")
    said = re.sub(r"[ \t]+$", "", refused.value.output, flags=re.MULTILINE)
    return re.findall(r"^remote: - digits/1\.0\.0: (.*)$", said, flags=re.MULTILINE)


@pytest.fixture
def copy(clone, developer):
    """A working copy with everything wrong in it that can be, tagged."""
    made = clone(developer)
    made.write({**GOOD, **BROKEN})
    (made.folder / "passwd").symlink_to("/etc/passwd")
    made.commit({})
    made.tag("digits/1.0.0")
    return made


def test_a_folder_is_refused_in_the_words_of_a_push(walle, copy):
    said = refused_push(copy)
    found = walle("version", "validate", copy.folder, "--max-file-mb", 1)
    assert found.out.splitlines() == said
    assert found.status == 1
    assert len(said) >= 10
    whole = walle("version", "validate", copy.folder, "--max-file-mb", 1, "--json").json
    assert [problem["text"] for problem in whole["problems"]] == said
    assert not whole["ok"]


def test_an_upload_is_refused_in_the_same_words_before_anything_is_sent(walle, folder, monkeypatch):
    monkeypatch.setenv("WALLE_URL", "http://127.0.0.1:1")
    (folder / "helper.py").write_text("if x\n")
    done = walle("version", "upload", folder, "camera/digits", "1.0.0")
    assert done.status == 1
    assert "  helper.py:1: expected Python that compiles" in done.err
    told = json.loads(walle("version", "upload", folder, "camera/digits", "1.0.0", "--json").err)
    assert [error["detail"] for error in told["error"]["errors"]] == walle(
        "version", "validate", folder
    ).out.splitlines()


def test_what_the_server_refuses_in_an_upload_reads_the_same(walle, developer, folder, task):
    """The server takes smaller files than this command was told, so only the server refuses."""
    (folder / "large.bin").write_bytes(BROKEN["large.bin"])
    here = walle("version", "validate", folder, "--max-file-mb", 1).out.splitlines()
    done = walle("version", "upload", folder, task, "1.0.0")
    assert done.status == 1
    assert [line.strip() for line in done.err.splitlines()[1:] if line.startswith("  ")] == here


def test_a_proper_folder_is_said_to_be_one(walle, folder):
    done = walle("version", "validate", folder)
    assert (done.status, done.out) == (0, "✓ a valid task: 3 files for devices, 1.5 KB, 1 sample\n")


def test_a_folder_that_ships_bytecode_is_told_for_which_interpreter(walle, folder):
    (folder / "task.toml").write_text(f"{TASK}[files]\nsource = false\n")
    done = walle("version", "validate", folder)
    assert done.status == 0
    assert "Devices get bytecode for the interpreter of the server, not its sources." in done.out
    (folder / "task.toml").write_text(f'{TASK}[files]\nsource = false\ninterpreter = "cpython-399"\n')
    assert "Devices get bytecode for cpython-399, not its sources." in walle("version", "validate", folder).out


def test_a_version_of_bytecode_is_registered_shown_and_run_from_its_source(walle, developer, folder, task):
    (folder / "task.toml").write_text(f"{TASK}[files]\nsource = false\n")
    assert walle("version", "upload", folder, task, "1.0.0").status == 0
    shown = walle("version", "show", task, "1.0.0").out
    assert f"bytecode for {THIS_INTERPRETER}" in shown
    assert "main.pyc" in shown
    assert walle("device", "run", task, "1.0.0", "--json").json["ok"]


def test_what_the_server_cannot_compile_is_refused_as_a_push_is(walle, developer, folder, task):
    (folder / "task.toml").write_text(f'{TASK}[files]\nsource = false\ninterpreter = "cpython-399"\n')
    done = walle("version", "upload", folder, task, "1.0.0")
    assert done.status != 0
    assert "files.interpreter: expected an interpreter that is present here" in done.err


def test_a_task_without_samples_is_warned_about(walle, folder):
    (folder / "task.toml").write_text(TASK.partition("[[samples]]")[0])
    done = walle("version", "validate", folder)
    assert done.status == 0
    assert "cannot pass a simulation" in done.out


def test_an_upload_registers_once(walle, developer, folder, task):
    done = walle("version", "upload", folder, task, "1.0.0", "-m", "The first")
    assert re.match(rf"✓ registered {task} 1\.0\.0 \(3 files, 1\.5 KB, manifest [0-9a-f]{{12}}…\)\n", done.out), done
    again = walle("version", "upload", folder, task, "1.0.0")
    assert (again.status, again.out.partition(" (")[0]) == (0, f"✓ already there with this content: {task} 1.0.0")
    (folder / "main.py").write_text(MAIN + "#\n")
    other = walle("version", "upload", folder, task, "1.0.0")
    assert other.status == 5
    assert "raise the version" in other.err
    assert walle("version", "show", task, "1.0.0", "--json").json["message"] == "The first"


def test_tasks_and_versions(walle, pushed, task, scenario):
    assert walle("task", "list", "--scenario", scenario).rows[0][:2] == [task, "2"]
    assert "versions\t1.1.0, 1.0.0" in walle("task", "show", task).out
    versions = walle("version", "list", task).rows
    assert [(row[0], row[2], row[3]) for row in versions] == [("1.1.0", "Ada", "Better"), ("1.0.0", "Ada", "The first")]
    shown = walle("version", "show", task, "1.1.0").out
    assert "message\tBetter" in shown
    assert "kind\tdevice" in shown
    assert "main.py\tshared\t" in shown
    assert walle("version", "list", task, "--limit", 1, "--json").json["next"]


def test_a_diff_of_two_versions(walle, pushed, task):
    done = walle("version", "diff", task, "1.0.0", "1.1.0")
    assert done.status == 0
    assert "changed main.py" in done.out
    assert "+# better" in done.out
    assert "added notes.txt" in done.out
    assert walle("version", "diff", task, "1.0.0", "1.0.0").out == "1.0.0 and 1.0.0 have the same files.\n"


def test_what_is_hardly_meant_is_told_here_in_a_push_and_in_an_upload(walle, developer, clone, folder, task):
    scrolling = TASK.replace("every_s = 5", 'on = ["page_scroll"]')
    (folder / "task.toml").write_text(scrolling)
    done = walle("version", "validate", folder)
    assert done.status == 0
    warnings = walle("version", "validate", folder, "--json").json["warnings"]
    assert len(warnings) == 2
    told = [f"Warning: {text}" for text in warnings]
    assert done.err.splitlines() == told
    uploaded = walle("version", "upload", folder, task, "1.0.0")
    assert (uploaded.status, uploaded.err.splitlines()[-2:]) == (0, told)
    assert walle("version", "show", task, "1.0.0").err.splitlines()[-2:] == told
    assert walle("version", "show", task, "1.0.0", "--json").json["warnings"] == warnings
    made = clone(developer)
    made.commit({**GOOD, "task.toml": scrolling})
    made.git("checkout", "--quiet", "-b", "other")
    made.tag("other/1.0.0")
    said = re.sub(r"[ \t]+$", "", made.push("other", "--tags"), flags=re.MULTILINE)
    assert re.findall(r"^remote: warning: other/1\.0\.0: (.*)$", said, flags=re.MULTILINE) == warnings
