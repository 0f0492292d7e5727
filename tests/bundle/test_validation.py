"""A whole tree: paths, sizes, sources, samples and exclusive files, reported together and without running anything."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.bundle.examples import FILES, MAIN, files
from walle.bundle.samples import load_samples
from walle.bundle.tree import OTHER, SUBMODULE, SYMLINK, MemoryTree
from walle.bundle.tree_listing import TreeLimits
from walle.bundle.validation import validate_tree
from walle.stream.session_samples import MAX_SESSION_BYTES


def texts(changes=None, toml=None, *, modes=None, limits=None) -> list[str]:
    return [problem.text for problem in validate_tree(MemoryTree(files(changes, toml), modes), limits).problems]


def test_the_example_is_valid_and_says_which_files_travel():
    result = validate_tree(MemoryTree(FILES))
    assert result.problems == ()
    assert result.ok
    assert [entry.path for entry in result.files] == [
        "defaults/prefs.json",
        "helper.py",
        "main.py",
        "samples/seven.json",
        "task.toml",
    ]


def test_a_tree_without_task_toml_is_no_task():
    assert texts({"task.toml": None}) == ["task.toml: expected this file at the top of the tree, found nothing"]


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../x", "a/../b", "a b.txt", "é.txt", "a\\b", "a\nb", "x" * 201, "a//b", ""]
)
def test_odd_and_escaping_paths_are_refused(path):
    [problem] = texts({path: b"x"})
    assert "expected a relative path" in problem
    assert "\n" not in problem


@pytest.mark.parametrize(
    ("mode", "found"), [(SYMLINK, "a symbolic link"), (SUBMODULE, "a submodule"), (OTHER, "something else")]
)
def test_only_regular_files_travel(mode, found):
    assert texts({"data": b"x"}, modes={"data": mode}) == [f"data: expected a regular file, found {found}"]


def test_a_task_file_that_is_a_link_is_not_read():
    problems = texts(modes={"task.toml": SYMLINK})
    assert "task.toml: expected this file at the top of the tree, found nothing" in problems


@pytest.mark.parametrize(
    ("extra", "problem"),
    [
        ({"MAIN.py": "x = 1"}, "main.py: expected paths that differ in more than case, found 'MAIN.py'"),
        ({"Samples/x": "1"}, "samples/seven.json: expected paths that differ in more than case, found 'Samples'"),
        ({"helper.py/x": "1"}, "helper.py/x: expected a folder 'helper.py', found a file of that name"),
    ],
)
def test_paths_that_collide_on_some_file_system_are_refused(extra, problem):
    assert texts(extra) == [problem]


def test_sizes_are_limited_by_parameters():
    limits = TreeLimits(file_bytes=5000, total_bytes=8000, files=9)
    assert texts(limits=limits) == []
    assert texts({"big": b"x" * 5001}, limits=limits) == ["big: expected at most 5000 bytes, found 5001 bytes"]
    [total] = texts({"a": b"x" * 5000, "b": b"x" * 3000}, limits=limits)
    assert total.startswith("total size: expected at most 8000 bytes, found at least ")
    [count] = texts({"a": b"", "b": b"", "c": b""}, limits=limits)
    assert count == "number of files: expected at most 9, found at least 10"


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("def run(inputs, context)\n    pass", "main.py:1: expected Python that compiles, found expected ':'"),
        ("x = 1\nreturn x", "main.py:2: expected Python that compiles, found 'return' outside function"),
        ("def walk(): pass", "main.py: expected a function run(inputs, context), found no run in the module"),
        ("def run(inputs): pass", "main.py:1: expected a function run(inputs, context), found run(inputs)"),
        (
            "def run(a, b, c, *, d, **e): pass",
            "main.py:1: expected a function run(inputs, context), found run(a, b, c, *, d, **e)",
        ),
        ("async def run(a, b): pass", "main.py:1: expected a plain function run, found an async function"),
        (
            "import requests.api, json\ndef run(a, b): import yaml",
            "main.py:1: expected imports from the bundle, the standard library or requires.modules, found requests\n"
            "main.py:2: expected imports from the bundle, the standard library or requires.modules, found yaml",
        ),
        ("\0", None),
        ("(" * 5000, None),
        ("x = " + "-" * 100_000 + "1\ndef run(a, b): pass", None),
        ("\xff".encode("latin-1"), None),
    ],
)
def test_sources_must_compile_and_define_the_entry_point(source, problem):
    problems = texts({"main.py": source})
    if problem is None:
        assert problems[0].startswith("main.py")
    else:
        assert "\n".join(problems) == problem


@pytest.mark.parametrize(
    "source",
    [
        "def run(inputs, context, extra=None): pass",
        "def run(*args): pass",
        "def run(): pass\ndef run(inputs, context): pass",
        "from helper import scale as run",
        "run = lambda inputs, context: {}",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import walle\ndef run(i, c): pass",
        "try:\n    import cv2\nexcept ImportError:\n    cv2 = None\ndef run(i, c): pass",
        "from . import sibling\nimport numpy.linalg, helper\ndef run(i, c): pass",
        "if x:\n    pass\n" + "elif x:\n    pass\n" * 400 + "def run(i, c): pass",
        "s = '\\d'\ndef run(i, c): pass",
    ],
)
def test_other_ways_to_write_an_entry_point(source):
    assert texts({"main.py": source}) == []


def test_checking_a_source_runs_none_of_it():
    texts({"main.py": "import sys\nsys.walle_was_here = True\n" + MAIN})
    assert not hasattr(sys, "walle_was_here")


def test_an_entry_point_may_sit_in_a_package_but_must_travel():
    package = {"main.py": None, "pkg/__init__.py": "", "pkg/core.py": "def run(i, c): return {}"}
    assert texts(package, ('"main:run"', '"pkg.core:run"')) == []
    assert texts({}, ('"main:run"', '"pkg.core:run"')) == [
        "task.toml: task.entry_point: expected pkg/core.py or pkg/core/__init__.py in the bundle, found neither"
    ]
    assert texts({}, ('"README.md"', '"main.py"')) == [
        "task.toml: task.entry_point: expected main.py or main/__init__.py in the bundle, "
        "found only files that do not travel"
    ]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "task.toml: samples[0].input: expected a file of the tree, found no samples/seven.json"),
        (b"{", "task.toml: samples[0].input: expected JSON in samples/seven.json, found Expecting property name"),
        (b"\xff", "task.toml: samples[0].input: expected JSON in samples/seven.json"),
        (b"[" * 100_000, "task.toml: samples[0].input: expected JSON in samples/seven.json"),
        (b"[]", "samples/seven.json: value: expected an object of named values, found []"),
        (b'{"image": [[1, 2], [3]], "hint": 1}', "samples/seven.json: image: expected a tensor of float32 [2, -1], "
         "found rows of different lengths on axis 1"),
        (b'{"image": [[1], [NaN]], "hint": 1}', "samples/seven.json: image: expected a tensor of float32 [2, -1], "
         "found the element nan"),
        (b'{"image": [[], []]}', "samples/seven.json: hint: expected an integer of at least 0 and of at most 9, found"),
        (b'{"image": [[], []], "hint": 1, "x": 0}', "samples/seven.json: x: expected nothing, it is not declared"),
    ],
)  # fmt: skip
def test_samples_match_the_declared_inputs(content, problem):
    [found] = texts({"samples/seven.json": content})
    assert found.startswith(problem)


def test_samples_in_place_are_checked_too():
    assert texts({}, ("hint = 3", "hint = 30")) == [
        "task.toml: samples[1].input.hint: expected an integer of at least 0 and of at most 9, found 30"
    ]


def test_wrong_declarations_are_not_held_against_the_samples():
    assert len(texts({}, ("shape = [2, -1]", "shape = 2"))) == 1


def test_exclusive_files_need_their_default_and_their_own_path():
    assert texts({"defaults/prefs.json": None}) == [
        "task.toml: files.exclusive (prefs.json).default: expected a file that travels, found no defaults/prefs.json"
    ]
    assert texts({}, ('"README.md"', '"defaults/*"')) == [
        "task.toml: files.exclusive (prefs.json).default: expected a file that travels, found an excluded file"
    ]
    assert texts({"Prefs.json": "{}"}) == [
        "task.toml: files.exclusive (prefs.json).path: expected a path that no shared file has, found Prefs.json"
    ]


def test_pointers_of_git_lfs_are_told_apart_from_files():
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 12345\n"
    assert texts({"model.bin": pointer}) == [
        "model.bin: expected the file itself, found a Git LFS pointer (push it as an ordinary file)"
    ]
    assert texts({"model.bin": "version " + pointer}) == []


def test_problems_of_all_kinds_come_together():
    found = texts({"a b": "", "helper.py": "(", "samples/seven.json": "{}"}, ("time_ms", "time"))
    assert {text.split(":")[0] for text in found} == {"'a b'", "helper.py", "samples/seven.json", "task.toml"}


SESSION = {
    "task.toml": """
task = {entry_point = "main:run"}
trigger = {on = ["page_exit"]}
samples = [{name = "one", session = "one.jsonl"}, {name = "again", session = "one.jsonl"}]
""",
    "main.py": "def run(inputs, context):\n    return {}\n",
    "one.jsonl": '{"kind": "page_exit", "page": "home", "at": 1}\n',
}


def session_problems(content: str | None) -> list[str]:
    found = {path: text.encode() for path, text in {**SESSION, "one.jsonl": content}.items() if text is not None}
    return [problem.text for problem in validate_tree(MemoryTree(found)).problems]


def test_a_session_is_a_file_of_the_tree_with_an_event_on_each_line():
    assert session_problems(SESSION["one.jsonl"]) == []
    fields = [f"task.toml: samples[{at}].session" for at in range(2)]
    assert session_problems(None) == [f"{field}: expected a file of the tree, found no one.jsonl" for field in fields]
    large = "\n" * (MAX_SESSION_BYTES + 1)
    expected = f"expected a file of at most {MAX_SESSION_BYTES} bytes, found {MAX_SESSION_BYTES + 1} bytes"
    assert session_problems(large) == [f"{field}: {expected}" for field in fields]
    [problem] = session_problems('{"kind": "page_exit", "page": "home", "at": 1}\n{"kind": "swipe"}')
    assert problem.startswith("one.jsonl:2: expected a behaviour event, found kind: expected page_enter")


def test_all_sessions_together_are_bounded():
    names = [f"{letter}.jsonl" for letter in "abcdee"]
    samples = ", ".join(f'{{name = "{at}", session = "{name}"}}' for at, name in enumerate(names))
    task = f'task = {{entry_point = "main:run"}}\ntrigger = {{on = ["page_exit"]}}\nsamples = [{samples}]\n'
    long = ("\n" * 19_000).ljust(MAX_SESSION_BYTES).encode()
    tree = {"task.toml": task.encode(), "main.py": SESSION["main.py"].encode(), **dict.fromkeys(names, long)}
    expected = "expected different sessions of at most 16777216 bytes together, found 20971520 bytes"
    assert [problem.text for problem in validate_tree(MemoryTree(tree)).problems] == [
        f"task.toml: samples[{at}].session: {expected}" for at in (4, 5)
    ]


IMPORTING = {"helper.py": "from walle_task import Events\ndef scale(x):\n    return x\n"}
RUNTIME = 'runtime = ">=1.0.0"\n'


@pytest.mark.parametrize(
    ("runtime", "found"),
    [
        ("", "nothing"),
        ('runtime = ">=1.0.0"\n', "'>=1.0.0'"),
        ('runtime = "<2"\n', "'<2'"),
        ('runtime = "*"\n', "'*'"),
        ('runtime = ">=1.1.0"\n', None),
        ('runtime = ">1.0,<2"\n', None),
    ],
)
def test_importing_walle_task_takes_a_runtime_that_has_it(runtime, found):
    expected = (
        'task.toml: requires.runtime: expected a range such as ">=1.1.0", as helper.py imports walle_task, found '
    )
    assert texts(IMPORTING, (RUNTIME, runtime)) == ([f"{expected}{found}"] if found else [])


IMAGES = "from walle_task import image\ndef scale(x):\n    return x\n"
ARRAYS = "import walle_task.arrays.boxes as boxes\ndef scale(x):\n    return x\n"
TENSORS = "from walle_task.tensor import Session\ndef scale(x):\n    return x\n"


@pytest.mark.parametrize(("source", "part"), [(IMAGES, "image"), (ARRAYS, "arrays"), (TENSORS, "tensor")])
@pytest.mark.parametrize("runtime", [">=1.1.0", ">=1.2.0", "*"])
def test_importing_standard_apis_takes_a_newer_runtime(source, part, runtime):
    expected = f'expected a range such as ">=1.3.0", as helper.py imports walle_task.{part}, found {runtime!r}'
    assert texts({"helper.py": source}, (RUNTIME, f'runtime = "{runtime}"\n')) == [
        f"task.toml: requires.runtime: {expected}"
    ]
    assert texts({"helper.py": source}, (RUNTIME, 'runtime = ">=1.3.0"\n')) == []


def test_importing_standard_apis_takes_numpy():
    declared = (f'{RUNTIME}python = ">=3.11"\nmodules = ["numpy"]', 'runtime = ">=1.3.0"\nmodules = ["torch"]')
    problems = texts({"helper.py": IMAGES}, declared)
    expected = "task.toml: requires.modules: expected numpy, as helper.py imports walle_task.image, found ['torch']"
    assert expected in problems


def test_whoever_can_do_without_walle_task_needs_no_runtime_that_has_it():
    optional = "try:\n    import walle_task\nexcept ImportError:\n    walle_task = None\ndef scale(x):\n    return x\n"
    assert texts({"helper.py": optional}) == []


def test_a_malformed_range_of_runtimes_is_one_problem():
    assert len(texts(IMPORTING, (RUNTIME, 'runtime = "new"\n'))) == 1


def test_walle_task_is_neither_required_by_name_nor_a_module_of_the_bundle():
    newest = (RUNTIME, 'runtime = ">=1.1.0"\n')
    for path in ("walle_task.py", "walle_task/__init__.py"):
        assert texts({path: ""}, newest) == [
            f"{path}: expected another name than walle_task, which is Walle's, found it"
        ]
    expected = "expected no walle_task, which every device of requires.runtime has, found it"
    assert texts(
        IMPORTING, (f'{RUNTIME}python = ">=3.11"\nmodules = ["numpy"]', f'{newest[1]}modules = ["numpy", "walle_task"]')
    ) == [f"task.toml: requires.modules: {expected}"]


def test_samples_are_loaded_from_files_and_from_the_task_file():
    result = validate_tree(MemoryTree(FILES))
    assert result.spec is not None
    loaded = load_samples(MemoryTree(FILES), result.spec.samples, {"outputs": result.spec.outputs})
    assert [(sample.name, sample.inputs["hint"]) for sample in loaded] == [("a seven", 7), ("in place", 3)]


@given(
    st.dictionaries(st.one_of(st.sampled_from(list(FILES)), st.text(max_size=12)), st.binary(max_size=60), max_size=4)
)
def test_no_tree_makes_validation_raise(changes):
    result = validate_tree(MemoryTree({**FILES, **changes}))
    assert result.ok == (not result.problems)


EXCLUSIVE = 'path = "prefs.json"\ntemplate = "{age_band}-{region}"\ndefault = "defaults/prefs.json"\n'


def without_source(changes=None, exclusive=EXCLUSIVE) -> list[str]:
    """What is wrong with the example where it ships bytecode, with another exclusive file."""
    old = f'exclude = ["README.md", "train/**"]\n[[files.exclusive]]\n{EXCLUSIVE}'
    return texts(changes, (old, old.replace(EXCLUSIVE, exclusive).replace("[[", "source = false\n[[")))


def test_a_task_may_ship_bytecode_alone():
    assert without_source() == []


@pytest.mark.parametrize("path", ["other.pyc", "lib/OTHER.Pyc", "main.pyc", "odd.pyc/data.json"])
def test_no_bytecode_travels_but_that_of_the_registered_sources(path):
    expected = "expected no bytecode beside that of the registered sources, found a name in .pyc"
    assert f"{path}: {expected}" in without_source({path: b"x"})
    assert texts({path: b"x"}) == [], "where the source is shipped, bytecode is a file like others"


def test_no_exclusive_file_is_code_where_only_bytecode_ships():
    said = without_source(exclusive=EXCLUSIVE.replace('"prefs.json"', '"extra.py"'))
    assert said == [
        "task.toml: files.exclusive (extra.py): "
        "expected no source as an exclusive file or its default, as source = false, found a name in .py"
    ]
    said = without_source(exclusive=EXCLUSIVE.replace('"defaults/prefs.json"', '"helper.py"'))
    assert any(one.startswith("task.toml: files.exclusive (helper.py): expected no source") for one in said)
    said = without_source(exclusive=EXCLUSIVE.replace('"prefs.json"', '"main.pyc"'))
    assert any(one.startswith("main.pyc: expected no bytecode") for one in said)


def test_a_source_whose_bytecode_would_have_too_long_a_path_is_refused():
    long = "x" * 197 + ".py"
    assert texts({long: b""}) == []
    assert without_source({long: b""}) == [f"{long}: expected a path of at most 199 characters, found 200"]


def test_the_sources_to_compile_have_a_limit_together():
    many = {f"m{number}.py": b"#" * 2_000_000 for number in range(9)}
    [problem] = without_source(many)
    assert problem.startswith(
        "task.toml: files.source: expected at most 16777216 bytes of sources to compile, found 18"
    )
