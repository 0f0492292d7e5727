"""The commands as a whole: what their help promises, how they start and end, and what the guide says of them."""

from __future__ import annotations

import json
import os
import re
import resource
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main

from walle.cli.app import COMMANDS, app
from walle.cli.errors import Exit

pytestmark = pytest.mark.processes

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "guides" / "cli.md").read_text(encoding="utf-8")


def commands(group=None, words=()):
    """Every command with the words that lead to it."""
    group = group or typer.main.get_command(app)
    for name, found in group.commands.items():
        if hasattr(found, "commands"):
            yield from commands(found, (*words, name))
        else:
            yield (*words, name), found


ALL = {" ".join(words): found for words, found in commands()}


@pytest.mark.parametrize("name", ALL)
def test_every_command_says_what_it_does_and_its_examples_are_real(name):
    found = ALL[name]
    assert found.help
    assert {"--json", "--no-color"} <= {option for param in found.params for option in param.opts}
    examples = [line.strip() for line in found.epilog.splitlines() if line.strip().startswith("walle ")]
    assert examples
    for example in examples:
        line = re.split(r" [|<>] ", example)[0]
        words = shlex.split(line)
        assert words[: 1 + len(name.split())] == ["walle", *name.split()]
        # Raises for an unknown option, a missing argument or a malformed name.
        found.make_context(name, words[1 + len(name.split()) :])
        assert len(example) <= 110


def test_the_app_is_put_together_from_all_modules_of_commands():
    assert {place.stem for place in (ROOT / "walle" / "cli" / "commands").glob("[a-z]*")} == set(COMMANDS)


def test_every_command_is_in_the_guide():
    for name in ALL:
        assert f"`walle {name}" in GUIDE, name


def test_the_guide_has_every_exit_status():
    table = dict(re.findall(r"^\| (\d+) \| (.+?) \|$", GUIDE, flags=re.MULTILINE))
    assert {int(status) for status in table} == {int(status) for status in Exit}


def test_every_option_takes_json_anywhere(walle):
    for words in (["--json", "release", "list"], ["release", "--json", "list"], ["release", "list", "--json"]):
        done = walle(*words)
        assert (done.status, json.loads(done.err)["error"]["exit"]) == (3, 3)


@pytest.mark.parametrize(
    "words",
    [
        ["nonsense"],
        ["release"],
        ["release", "nonsense"],
        ["release", "show", "x"],
        ["release", "show", "0"],
        ["--what"],
    ],
)
def test_a_wrong_command_line_is_status_2(walle, words):
    assert walle(*words).status == 2


def environment(**more):
    """As of a new terminal; a token that is never used."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**kept, "PYTHONPATH": str(ROOT), "WALLE_URL": "http://127.0.0.1:1", "WALLE_TOKEN": "wl_x", **more}


def ended(*words, env=None):
    """This interpreter, run to its end."""
    argv = [sys.executable, *words]
    return subprocess.run(argv, env=env or environment(), check=False, capture_output=True, text=True)


def test_help_is_quick():
    """The machine may be busy, so processor time counts, and the best of a few tries."""

    def seconds():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "walle.cli", "--help"], env=environment(), check=True, capture_output=True
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(seconds() for _ in range(3)) < 0.5


def test_help_loads_neither_http_nor_what_runs_tasks():
    source = "import sys, walle.cli.app; print(*{name.partition('.')[0] for name in sys.modules})"
    loaded = subprocess.run(
        [sys.executable, "-c", source], env=environment(), check=True, capture_output=True, text=True
    )
    assert not set(loaded.stdout.split()) & {"httpx", "rich", "numpy", "cryptography", "uvicorn", "django"}


def test_a_reader_that_has_read_enough_is_no_failure(tmp_path):
    folder = tmp_path / "task"
    folder.mkdir()
    for number in range(3000):
        (folder / f"bad name {number}").write_text("")
    line = f"{shlex.quote(sys.executable)} -m walle.cli version validate {folder} | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], env=environment(), capture_output=True, text=True, check=True)
    assert "Traceback" not in done.stderr
    assert len(done.stdout.splitlines()) == 2


def test_shells_complete_commands():
    env = environment(_WALLE_COMPLETE="complete_bash", COMP_WORDS="walle rel", COMP_CWORD="1")
    done = ended("-m", "walle.cli", env=env)
    assert "release" in done.stdout.split()


def test_colours_are_for_terminals_that_want_them(tmp_path):
    def run_in_terminal(*options, **more):
        words = [sys.executable, "-m", "walle.cli", "device", "run", str(tmp_path), *options]
        line = f"stty cols 80; {shlex.join(words)}"
        env = environment(TERM="xterm", **more)
        done = subprocess.run(
            ["script", "-qec", line, "/dev/null"], env=env, capture_output=True, text=True, check=False
        )
        assert "no device would ever be offered this" in done.stdout
        return "\x1b[1;31m" in done.stdout

    assert run_in_terminal()
    assert not run_in_terminal("--no-color")
    assert not run_in_terminal(NO_COLOR="1")
