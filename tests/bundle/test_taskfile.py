"""task.toml: every problem is reported at its field, with what was expected and found, and nothing raises."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.bundle.examples import TASK_TOML
from walle.bundle.spec import ExclusiveFile, TaskSpec
from walle.bundle.taskfile import TASK_SCHEMA, check_task, parse_task

MISTAKES = tomllib.loads((Path(__file__).parent / "mistakes.toml").read_text())["mistake"]


def problem_texts(old: str, new: str) -> list[str]:
    assert old in TASK_TOML
    return [problem.text for problem in parse_task(TASK_TOML.replace(old, new, 1).encode()).problems]


def test_a_valid_file_becomes_a_spec_in_the_manifests_shape():
    parsed = parse_task(TASK_TOML.encode())
    spec = parsed.sound
    assert parsed.problems == ()
    assert spec.inputs["image"] == {"type": "tensor", "dtype": "float32", "shape": [2, -1]}
    assert spec.limits == {"time_ms": 1000, "memory_mb": 256, "output_kb": 64}
    assert spec.trigger == {"every_s": 5}
    assert spec.modules == ("numpy",)
    assert spec.exclusive == (ExclusiveFile("prefs.json", "{age_band}-{region}", "defaults/prefs.json"),)
    assert [sample.name for sample in spec.samples] == ["a seven", "in place"]


def test_the_share_of_failures_that_a_task_allows_itself_stands_beside_its_limits():
    spec = parse_task(TASK_TOML.replace("time_ms = 1000", "failure_rate = 0.05").encode()).sound
    assert spec.limits == {"time_ms": 2000, "memory_mb": 256, "output_kb": 64, "failure_rate": 0.05}


@pytest.mark.parametrize(
    ("said", "vm"),
    [
        ("keep = true", {"keep": True, "idle_s": 600, "held_mb": 256}),
        ("keep = true\nidle_s = 0.5e2\nheld_mb = 64", {"keep": True, "idle_s": 50.0, "held_mb": 64}),
        ("keep = false", {}),
    ],
)
def test_a_kept_task_says_how_long_and_how_much_its_vm_keeps(said, vm):
    parsed = parse_task(f"{TASK_TOML}\n[vm]\n{said}\n".encode())
    assert parsed.problems == ()
    assert parsed.sound.vm == vm


def test_a_vm_holds_no_more_than_a_run_may():
    little = TASK_TOML.replace("time_ms = 1000", "memory_mb = 32")
    assert parse_task(f"{little}\n[vm]\nkeep = true\n".encode()).sound.vm["held_mb"] == 32
    wrong = TASK_TOML.replace("time_ms = 1000", "memory_mb = 0")
    fields = {problem.field for problem in parse_task(f"{wrong}\n[vm]\nkeep = true\nheld_mb = 512\n".encode()).problems}
    assert fields == {"limits.memory_mb"}


@pytest.mark.parametrize(("said", "trigger"), [("true", {"every_s": 5, "background": True}), ("false", {"every_s": 5})])
def test_a_trigger_says_that_it_is_of_the_background_only_if_it_is(said, trigger):
    parsed = parse_task(TASK_TOML.replace("every_s = 5", f"every_s = 5\nbackground = {said}").encode())
    assert parsed.problems == ()
    assert parsed.sound.trigger == trigger


def test_a_minimal_file_is_valid():
    parsed = parse_task(b'task = {entry_point = "main:run"}\ntrigger = {on = ["page_exit:item"]}')
    assert parsed.problems == ()
    assert parsed.sound.inputs == {}


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake["problem"].partition(":")[0])
def test_one_mistake_gives_one_problem(mistake):
    assert problem_texts(mistake["old"], mistake["new"]) == [f"task.toml: {mistake['problem']}"]


def test_all_mistakes_are_reported_together():
    wrong = (
        TASK_TOML.replace("main:run", "nowhere")
        .replace("time_ms = 1000", 'time_ms = "soon"')
        .replace("[metrics", "[metric")
    )
    fields = {problem.field for problem in parse_task(wrong.encode()).problems}
    assert fields == {"task.entry_point", "limits.time_ms", "metric"}


def test_what_is_sound_survives_the_rest():
    wrong = TASK_TOML.replace("main:run", "nowhere").replace('name = "a seven"', "name = 4")
    sound = parse_task(wrong.encode()).sound
    assert sound.entry_point == ""
    assert [(sample.name, sample.position) for sample in sound.samples] == [("in place", 1)]
    assert set(sound.inputs) == {"image", "hint"}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"[task", "expected valid TOML in UTF-8, found Expected ']' at the end of a table declaration"),
        (b"\xff", "expected valid TOML in UTF-8"),
        (b"a = " + b"[" * 100_000, "expected valid TOML in UTF-8"),
        (b"#" * 300_000, "expected at most 262144 bytes, found 300000 bytes"),
        (b"a = 1\na = 2", "Cannot overwrite a value"),
        (b"a." * 40_000 + b"a = 1", "found a key of more than 16 parts"),
    ],
)
def test_text_that_is_not_toml_is_one_problem(content, expected):
    [problem] = parse_task(content).problems
    assert problem.text.startswith("task.toml: expected")
    assert expected in problem.text


toml_values = st.recursive(
    st.one_of(st.text(max_size=8), st.integers(), st.floats(), st.booleans(), st.dates(), st.times(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=10,
)
known_keys = st.sampled_from([*TASK_SCHEMA.fields, "entry_point", "input", "expect", "equals", "type", "shape", "os"])
likely_values = st.recursive(
    st.one_of(st.sampled_from(["tensor", "integer", "main:run", ">=1", "a/b"]), toml_values),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(known_keys, inner, max_size=4)),
    max_leaves=12,
)


@given(st.dictionaries(st.one_of(known_keys, st.text(max_size=8)), likely_values, max_size=6))
def test_nonsense_gives_problems_and_never_raises(data):
    parsed = check_task(data)
    assert isinstance(parsed.sound, TaskSpec)
    for problem in parsed.problems:
        assert problem.expected
        assert problem.found
        assert "\n" not in problem.text


VALID = tomllib.loads(TASK_TOML)


def leaves(value, path=()):
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from leaves(child, (*path, key))


def replaced(value, path, new):
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


@given(st.sampled_from([path for path in leaves(VALID) if path]), toml_values)
def test_a_valid_file_with_one_part_replaced_never_raises(path, new):
    check_task(replaced(VALID, path, new))


@pytest.mark.parametrize("data", [None, [], "text", 3, date(2024, 1, 1), {1: 2, None: 3}])
def test_things_that_are_not_tables_never_raise(data):
    assert check_task(data).problems


def test_values_nested_beyond_reach_are_a_problem():
    deep: object = 1
    for _ in range(5000):
        deep = [deep]
    for data in [{"task": deep}, {"samples": [{"name": "x", "input": {"a": deep}}]}, {"limits": {"time_ms": deep}}]:
        assert check_task(data).problems
