"""Running a task on this machine as a device would."""

from __future__ import annotations

import re

import pytest

from tests.tasks_app.working_copy import EXCLUSIVE, GOOD, MAIN, TASK
from walle.bundle import kinds
from walle.bundle.kinds import Kinds, TaskKind

pytestmark = pytest.mark.processes


@pytest.fixture
def task_folder(folder):
    """Changes files of the proper task."""

    def call(**files):
        for name, content in files.items():
            (folder / name.replace("__", ".")).write_text(content)
        return folder

    return call


def test_samples_run_in_the_sandbox(walle, task_folder):
    done = walle("device", "run", task_folder(), "--json")
    assert done.status == 0
    (run,) = done.json["runs"]
    assert (run["name"], run["passed"], run["output"]) == ("one", True, {"double": 2})
    assert run["duration_ms"] > 0
    assert run["peak_memory_kb"] > 1000
    assert {"time", "memory"} <= set(run["enforced"])
    told = walle("device", "run", task_folder()).out
    assert re.search(r"one\s+✓ passed\s+cold", told)
    assert "✓ 1 run, all passed." in told


def test_a_task_that_runs_many_times_shows_its_figures(walle, task_folder):
    done = walle("device", "run", task_folder(), "--repeat", "3", "--json")
    assert (done.status, len(done.json["runs"])) == (0, 3)
    assert {run["start"] for run in done.json["runs"]} == {"cold"}
    repeated = done.json["repeated"]
    assert (repeated["cold"]["runs"], repeated["warm"], repeated["kept"], repeated["failures"]) == (3, None, False, {})
    assert 0 < repeated["cold"]["task_ms"]["p50"] < repeated["cold"]["whole_ms"]["p50"]
    told = walle("device", "run", task_folder(), "--repeat", "3").out
    assert re.search(r"cold +3 +the whole run +[\d.]+ ms", told)
    assert "✓ 3 runs, all passed." in told
    assert "repeated" not in walle("device", "run", task_folder(), "--json").json


def test_of_many_failures_the_first_of_each_class_is_told(walle, task_folder):
    folder = task_folder(main__py="def run(inputs, context):\n    print('hello')\n    return {'double': 3}\n")
    done = walle("device", "run", folder, "--repeat", "3")
    assert done.status == 1
    assert done.out.count("✗ one: double: expected 2, found 3") == 1
    assert done.out.count("Log of one\nhello") == 1
    assert "failed: unexpected-output (3)" in done.out
    assert "3 of 3 runs failed." in done.out


def test_a_wrong_output_fails_with_its_reason(walle, task_folder):
    folder = task_folder(main__py="def run(inputs, context):\n    print('hello')\n    return {'double': 3}\n")
    done = walle("device", "run", folder)
    assert done.status == 1
    assert "✗ one: double: expected 2, found 3" in done.out
    assert "Log of one\nhello" in done.out
    assert "1 of 1 run failed." in done.out


def test_limits_are_those_of_the_task(walle, task_folder):
    endless = "def run(inputs, context):\n    while True: pass\n"
    folder = task_folder(main__py=endless, task__toml=TASK + "[limits]\ntime_ms = 300\n")
    done = walle("device", "run", folder, "--json")
    assert done.status == 1
    assert done.json["runs"][0]["error_class"] == "timeout"


def test_what_does_not_travel_is_not_there(walle, task_folder):
    folder = task_folder(
        main__py="def run(inputs, context):\n    context.path('secret.txt')\n    return {'double': 2}\n",
        task__toml=TASK + '[files]\nexclude = ["secret.txt"]\n',
        secret__txt="x",
    )
    assert walle("device", "run", folder, "--json").json["runs"][0]["error_class"] == "exception:FileNotFoundError"


def test_inputs_of_ones_own(walle, task_folder, tmp_path):
    lines = tmp_path / "inputs.jsonl"
    lines.write_text('{"inputs": {"number": 4}}\n{"number": 5}\n')
    runs = walle("device", "run", task_folder(), "--input", lines, "--json").json["runs"]
    assert [run["output"] for run in runs] == [{"double": 8}, {"double": 10}]
    piped = walle("device", "run", task_folder(), "-i", "-", "--json", stdin='{"number": 6}')
    assert piped.json["runs"][0]["output"] == {"double": 12}
    wrong = walle("device", "run", task_folder(), "-i", "-", "--json", stdin='{"nmber": 6}')
    assert (wrong.status, wrong.json["runs"][0]["error_class"]) == (1, "input-invalid")


@pytest.mark.parametrize("stdin", ["", "{", "[1]", "3", '{"a": 1}\n{', "[" * 100_000])
def test_nonsense_is_no_input(walle, task_folder, stdin):
    assert walle("device", "run", task_folder(), "-i", "-", stdin=stdin).status == 2


def test_requirements_are_a_devices(walle, task_folder):
    folder = task_folder(task__toml=TASK + '[requires]\napp = ">=2"\npython = ">=9"\n[requires.os]\nandroid = ">=10"\n')
    done = walle("device", "run", folder, "--os", "android", "--os-version", "9", "--app-version", "2.1.0", "--json")
    assert done.status == 1
    assert done.json["runs"] == []
    assert [reason.partition(":")[0] for reason in done.json["unmet"]] == ["python", "os.android"]
    unclaimed = walle("device", "run", folder, "--json")
    assert [reason.partition(":")[0] for reason in unclaimed.json["unmet"]] == ["python"]
    assert "Not checked, because the attributes of this device are unknown: app" in unclaimed.err


def test_exclusive_files_have_a_default_or_are_given(walle, task_folder, tmp_path):
    reads = "import json\ndef run(inputs, context):\n    return json.loads(context.path('prefs.json').read_text())\n"
    folder = task_folder(main__py=reads, task__toml=EXCLUSIVE)
    (folder / "defaults").mkdir()
    (folder / "defaults" / "prefs.json").write_text('{"double": 2}')
    assert walle("device", "run", folder).status == 0
    own = tmp_path / "own.json"
    own.write_text('{"double": 3}')
    given = walle("device", "run", folder, "--variant", f"prefs.json={own}", "--json")
    assert given.json["runs"][0]["output"] == {"double": 3}
    assert walle("device", "run", folder, "--variant", f"other.json={own}").status == 2
    (folder / "task.toml").write_text(EXCLUSIVE.replace('default = "defaults/prefs.json"\n', ""))
    asked = walle("device", "run", folder)
    assert (asked.status, "--variant prefs.json=FILE" in asked.err) == (2, True)


def test_a_task_without_samples_was_not_tried(walle, task_folder):
    done = walle("device", "run", task_folder(task__toml=TASK.partition("[[samples]]")[0]))
    assert done.status == 1
    assert "nothing was run" in done.out


def test_a_kind_that_devices_do_not_run_is_told(walle, task_folder, monkeypatch):
    monkeypatch.setattr(kinds, "KINDS", Kinds(TaskKind("device", on_devices=True), TaskKind("model", on_devices=False)))
    done = walle("device", "run", task_folder(task__toml=TASK.replace("[task]", '[task]\nkind = "model"')))
    assert (done.status, done.err) == (1, "walle: devices do not run tasks of the kind model\n")


def test_a_folder_that_is_no_task_is_told(walle, task_folder, tmp_path):
    done = walle("device", "run", task_folder(main__py="if x\n"))
    assert done.status == 1
    assert "main.py:1: expected Python that compiles" in done.err
    assert walle("device", "run", tmp_path / "nothing").status == 2
    which = walle("device", "run", "camera/digits")
    assert (which.status, "walle version list camera/digits" in which.err) == (2, True)


def test_a_version_of_the_server_runs_as_it_was_tagged(walle, clone, releaser, task):
    copy = clone(releaser)
    sample = TASK.replace("input = { number = 1 }", 'input = "samples/one.json"')
    copy.commit(
        {**GOOD, "task.toml": sample + '[files]\nexclude = ["samples/**"]\n', "samples/one.json": '{"number": 1}'}
    )
    copy.tag("digits/1.0.0")
    copy.commit({"main.py": MAIN.replace("2 *", "3 *")})
    copy.push("digits", "--tags")
    done = walle("device", "run", task, "1.0.0", "--json")
    assert (done.status, done.json["runs"][0]["output"]) == (0, {"double": 2})
    assert walle("device", "run", task, "9.9.9").status == 4


def test_a_task_that_ships_bytecode_runs_as_bytecode(walle, task_folder):
    listing = "print(sorted(context.path('.').glob('*.py*')))"
    source = f"\n\n\ndef run(inputs, context):\n    {listing}\n    raise KeyError('x')\n"
    folder = task_folder(main__py=source, task__toml=TASK + "[files]\nsource = false\n")
    (run,) = walle("device", "run", folder, "--json").json["runs"]
    assert (run["error_class"], run["message"]) == ("exception:KeyError", "KeyError: 'x' (main.py:6)")
    assert "main.pyc')]" in run["logs"]
    assert 'File "/bundle/main.py", line 6, in run' in run["logs"]


def test_bytecode_for_another_interpreter_is_not_run_here(walle, task_folder):
    toml = TASK + '[files]\nsource = false\ninterpreter = "cpython-399"\n'
    done = walle("device", "run", task_folder(task__toml=toml))
    assert done.status == 1
    assert "its bytecode is for cpython-399, and this is cpython-3" in done.err


COUNTING = """\
from walle_task import Events, Filter

runs = 0


def run(inputs, context):
    global runs
    runs += 1
    clicks = Events(inputs["events"]) | Filter(lambda event: event["kind"] == "click")
    return {"clicks": len(list(clicks)), "runs": runs}
"""
STREAM = """\
[task]
entry_point = "main:run"
[inputs.events]
type = "list"
[outputs.clicks]
type = "integer"
[outputs.runs]
type = "integer"
[[samples]]
name = "two visits"
session = "visits.jsonl"
[samples.expect]
clicks = { equals = 2 }
[trigger]
on = ["page_exit"]
[vm]
keep = true
[requires]
runtime = ">=1.1.0"
[files]
exclude = ["*.jsonl"]
"""
VISITS = [("page_enter", 1), ("click", 2), ("page_exit", 3), ("page_enter", 4), ("click", 5), ("click", 6)]


def stream_folder(task_folder, *, left: bool = True):
    """A stream task whose session visits a page twice; the second visit ends only if it is `left`."""
    events = [*VISITS, *([("page_exit", 7)] if left else [])]
    session = "\n".join(f'{{"kind": "{kind}", "page": "home", "at": {at}}}' for kind, at in events)
    return task_folder(main__py=COUNTING, task__toml=STREAM, visits__jsonl=session)


def test_a_session_is_the_runs_that_it_triggers_in_one_vm(walle, task_folder):
    done = walle("device", "run", stream_folder(task_folder), "--json")
    assert done.status == 0, done
    assert [(run["name"], run["start"], run["output"]) for run in done.json["runs"]] == [
        ("two visits, run 1 of 2", "cold", {"clicks": 1, "runs": 1}),
        ("two visits, run 2 of 2", "warm", {"clicks": 2, "runs": 2}),
    ]
    repeated = walle("device", "run", stream_folder(task_folder), "--repeat", "2", "--json").json["repeated"]
    assert (repeated["cold"]["runs"], repeated["warm"]["runs"]) == (1, 3)


def test_a_session_with_another_end_or_none_fails(walle, task_folder):
    done = walle("device", "run", stream_folder(task_folder, left=False))
    assert done.status == 1
    assert "✗ two visits: clicks: expected 2, found 1" in done.out
    folder = stream_folder(task_folder)
    (folder / "task.toml").write_text(STREAM.replace('"page_exit"', '"page_exit:basket"'))
    done = walle("device", "run", folder)
    assert done.status == 1
    assert "✗ two visits: input-invalid: no event of the session triggers the task" in done.out
