"""Bytecode in the place of sources: compiled by a process of its interpreter, always the same, never run there."""

from __future__ import annotations

import importlib.util
import json
import marshal
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from tests.bundle.examples import MAIN, files
from walle.bundle.bytecode import Bytecode
from walle.bundle.compiling import BoundedCompiler, CompilerLimits, with_bytecode
from walle.bundle.interpreters import Interpreters
from walle.bundle.manifest import build_manifest
from walle.bundle.sources import compile_here
from walle.bundle.tree import MemoryTree
from walle.bundle.validation import BundleValidation, validate_tree
from walle.protocol.interpreters import THIS_INTERPRETER

pytestmark = pytest.mark.processes

SHIPS_BYTECODE = ('exclude = ["README.md", "train/**"]', 'exclude = ["README.md", "train/**"]\nsource = false')
SETS = b"STATES = {'on', 'off', 'unknown'}\n\n\ndef known(state):\n    return state in {'on', 'off', 'odd', 'even'}\n"


def compiled(changes=None, *, interpreter=None, interpreters=None, limits=None) -> BundleValidation:
    """The example without its sources, with some files changed, compiled."""
    old, new = SHIPS_BYTECODE
    if interpreter:
        new += f'\ninterpreter = "{interpreter}"'
    tree = MemoryTree(files(changes, (old, new)))
    validation = validate_tree(tree)
    assert validation.problems == ()
    return with_bytecode(tree, validation, interpreters or Interpreters(), limits)


def bytecode_of(changes=None, **more) -> Bytecode:
    result = compiled(changes, **more)
    assert result.problems == ()
    assert result.bytecode is not None
    return result.bytecode


def refusal(changes=None, **more) -> str:
    result = compiled(changes, **more)
    assert (result.spec, result.bytecode) == (None, None)
    [problem] = result.problems
    return problem.text


def test_sources_become_bytecode_and_nothing_else_changes():
    found = bytecode_of()
    assert found.interpreter == THIS_INTERPRETER
    assert sorted(found.compiled) == ["helper.pyc", "main.pyc"]
    shipped = [one.path for one in found.shipped(compiled().files)]
    assert sorted(shipped) == ["defaults/prefs.json", "helper.pyc", "main.pyc", "samples/seven.json", "task.toml"]


def test_a_tree_that_ships_its_source_is_left_as_it_is():
    tree = MemoryTree(files())
    validation = validate_tree(tree)
    assert with_bytecode(tree, validation, Interpreters()) is validation


def test_the_bytecode_is_bound_to_no_source_and_loads_as_a_module():
    content = bytecode_of({"helper.py": SETS}).compiled["helper.pyc"]
    assert content[:4] == importlib.util.MAGIC_NUMBER
    assert content[4:8] == b"\x01\x00\x00\x00", "by hash, and not to be checked"
    assert content[8:16] == importlib.util.source_hash(SETS)
    names: dict[str, object] = {}
    exec(marshal.loads(content[16:]), names)
    assert names["STATES"] == {"on", "off", "unknown"}


def test_the_same_source_gives_the_same_bytes_whatever_is_compiled_beside_it():
    first = bytecode_of({"helper.py": SETS}).compiled["helper.pyc"]
    beside = {f"a{number}.py": f"on = off = state_{number} = {number}\n".encode() for number in range(5)}
    for others in ({}, beside, beside):
        assert bytecode_of({"helper.py": SETS, **others}).compiled["helper.pyc"] == first


def test_the_digest_of_the_source_is_what_sha256sum_says_of_the_sources_by_path(tmp_path: Path):
    for name, content in {"helper.py": SETS, "main.py": MAIN}.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    found = bytecode_of({"helper.py": SETS})
    said = subprocess.run(["sha256sum", "helper.py", "main.py"], cwd=tmp_path, capture_output=True, check=True).stdout
    assert found.source_digest == sha256(said).hexdigest()
    assert bytecode_of({"helper.py": SETS + b"\n"}).source_digest != found.source_digest


def test_the_manifest_names_interpreter_and_source_and_the_files_that_are_shipped():
    result = compiled()
    names = {"scenario": "camera", "task": "digits", "version": "1.0.0", "commit": "0" * 40}
    assert result.spec is not None
    assert result.bytecode is not None
    manifest = build_manifest(result.spec, result.files, lambda path: "ab" * 32, **names, bytecode=result.bytecode)
    assert manifest["bytecode"] == {"interpreter": THIS_INTERPRETER, "source": result.bytecode.source_digest}
    shared = {one["path"]: one for one in manifest["files"] if one["kind"] == "shared"}
    assert "main.py" not in shared
    main = result.bytecode.compiled["main.pyc"]
    digest = sha256(main).hexdigest()
    assert shared["main.pyc"] == {"path": "main.pyc", "digest": digest, "size": len(main), "kind": "shared"}
    assert shared["task.toml"]["digest"] == "ab" * 32


def test_an_absent_interpreter_is_refused_with_those_that_are_present():
    said = refusal(interpreter="cpython-399")
    assert said.startswith("task.toml: files.interpreter: expected an interpreter that is present here, one of ")
    assert THIS_INTERPRETER in said
    assert said.endswith("found 'cpython-399'")


def test_a_named_interpreter_counts_only_as_what_it_says_it_is(tmp_path: Path):
    named = tmp_path / "python"
    named.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    named.chmod(0o755)
    assert Interpreters({THIS_INTERPRETER: str(named)}).find(THIS_INTERPRETER) == str(named)
    assert Interpreters({"cpython-399": str(named)}).find("cpython-399") is None
    assert Interpreters({THIS_INTERPRETER: "/nowhere/python"}).find(THIS_INTERPRETER) == sys.executable
    found = bytecode_of(interpreter=THIS_INTERPRETER, interpreters=Interpreters({THIS_INTERPRETER: str(named)}))
    assert found.compiled == bytecode_of().compiled


def test_an_interpreter_of_another_version_has_the_last_word_on_syntax(tmp_path: Path):
    """It answers as one would that does not know the syntax yet: with a problem instead of bytecode."""
    said = json.dumps({"message": "invalid syntax", "line": 3})
    answer = f"import struct,sys\nt=b'p'+{said.encode()!r}\nsys.stdout.buffer.write((struct.pack('>I',len(t))+t)*2)"
    script, older = tmp_path / "answer.py", tmp_path / "python3.99"
    script.write_text(f"import sys\nif sys.argv[1:2] == ['x']: pass\n{answer}\n")
    older.write_text(f'#!/bin/sh\n[ "$3" = -c ] && echo cpython-399 || exec {sys.executable} {script}\n')
    older.chmod(0o755)
    result = compiled(interpreter="cpython-399", interpreters=Interpreters({"cpython-399": str(older)}))
    assert [one.text for one in result.problems] == [
        f"{name}:3: expected Python that cpython-399 compiles, found invalid syntax"
        for name in ("helper.py", "main.py")
    ]


# The interpreter compiles each finally twice, and so the innermost 2 ** 19 times.
NESTED_FINALLY = (
    "".join(f"{'  ' * n}try:\n{'  ' * n}  a\n{'  ' * n}finally:\n" for n in range(19)).encode() + b"  " * 19 + b"b"
)


@pytest.mark.parametrize(
    ("source", "limits", "found"),
    [
        (b"x = [" + b"y.z(1.5), " * 40_000 + b"]", {"memory": 100 << 20}, "too deep nesting or too much data"),
        (
            b"x = [" + b"'%s', " * 3000 % tuple(b"%04d" % n for n in range(3000)) + b"]",
            {"file_bytes": 9000},
            "more of it",
        ),
        (b"x = 1", {"total_bytes": 100}, "more of it than the limit"),
        (
            NESTED_FINALLY,
            {"cpu_s": 1, "memory": 8 << 30, "file_bytes": 1 << 30, "total_bytes": 1 << 30},
            "what the compiler takes more than 1 s for",
        ),
    ],
)
def test_what_takes_too_much_is_refused_and_nothing_else_suffers(source, limits, found):
    result = compiled({"helper.py": source}, limits=CompilerLimits(**limits))
    texts = {one.file: one.text for one in result.problems}
    assert found in texts["helper.py"]
    assert bytecode_of().compiled


def test_what_takes_too_long_in_all_is_ended():
    expected = f"task.toml: files.source: expected sources that {THIS_INTERPRETER} compiles"
    assert refusal(limits=CompilerLimits(seconds=0.0)) == f"{expected}, found what takes more than 0 s in all"


def test_nothing_of_the_task_is_run_or_imported_while_it_is_compiled(tmp_path: Path):
    told = tmp_path / "told"
    code = f"open({str(told)!r}, 'w')\n".encode()
    shadows = {"marshal.py": code, "warnings.py": code, "json/__init__.py": code, "helper.py": code}
    assert "helper.pyc" in bytecode_of(shadows).compiled
    assert not told.exists()


def test_sources_of_strangers_are_checked_within_bounds():
    tree = MemoryTree(files() | {"helper.py": NESTED_FINALLY})
    limits = CompilerLimits(cpu_s=1, memory=8 << 30, file_bytes=1 << 30, total_bytes=1 << 30)
    with BoundedCompiler(limits) as compiler:
        result = validate_tree(tree, compiler=compiler)
    expected = "helper.py: expected Python that compiles, found what the compiler takes more than 1 s for"
    assert [problem.text for problem in result.problems] == [expected]
    with BoundedCompiler(CompilerLimits(seconds=0.0)) as compiler:
        time_out = validate_tree(MemoryTree(files()), compiler=compiler)
    assert "found more than compiles in 0 s, with all sources" in time_out.problems[0].text


@pytest.mark.parametrize(
    "source",
    [b"x = 1", b"return 1", b"def f(:", b"x = '\0'", b"# coding: nothing\n", b"(" * 300, b"\xff", b"nonlocal x"],
)
def test_a_process_with_bounds_says_the_same_as_this_one(source: bytes):
    results = []
    with BoundedCompiler() as bounded:
        for compiler in (bounded, compile_here):
            found = validate_tree(MemoryTree(files() | {"helper.py": source}), compiler=compiler)
            results.append([problem.text for problem in found.problems])
    assert results[0] == results[1]
    assert (results[0] == []) == (source == b"x = 1")
