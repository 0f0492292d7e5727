"""Which modules and files a build carries, over parts of one's own."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path, PurePosixPath

from walle.packaging.inventory import INTERPRETER, STANDARD_LIBRARY, WALLE, Inventory, Part
from walle.packaging.plan import EXTENSIONS, PACKAGES, Form, Plan, PlannedFile, TaskSources, make_plan

FILES = {
    INTERPRETER: {},
    STANDARD_LIBRARY: {
        "json.py": "import late\ndef load():\n    import hidden",
        "late.py": "def load():\n    import deeper",
        "hidden.py": "",
        "deeper.py": "",
        "fast.cpython-311-x86_64-linux-gnu.so": "",
    },
    WALLE: {
        "walle/__init__.py": "",
        "walle/container/__init__.py": "",
        "walle/container/worker/__init__.py": "",
        "walle/container/worker/__main__.py": "def main():\n    import walle.other",
        "walle/other.py": "",
        "walle/unused.py": "",
    },
    "tensors": {
        "tensors/__init__.py": "from tensors import core",
        "tensors/core.py": "def test():\n    import tensors.testing",
        "tensors/testing.py": "",
        "tensors/draws.py": "",
        "tensors/table.bin": "",
        "tensors/core.pyi": "",
        "tensors/include/tensors.h": "",
        "tensors-1.0.dist-info/METADATA": "",
        "tensors-1.0.dist-info/RECORD": "",
        "tensors-1.0.dist-info/licenses/LICENSE": "",
    },
    "unused": {"unused.py": "", "unused-1.0.dist-info/METADATA": ""},
}


EMPTY_LIBRARY = b"\x7fELF\x02\x01".ljust(64, b"\0")


def plan(task: str, *, asked: Collection[str] = (), loaded: Collection[str] = (), deep: Collection[str] = ()) -> Plan:
    """The plan for a task of this source."""
    contents = {Path(part, path): text.encode() for part, files in FILES.items() for path, text in files.items()}
    contents |= {path: EMPTY_LIBRARY for path in contents if path.suffix == ".so"}
    parts = {
        name: Part(name, {PurePosixPath(path): Path(name, path) for path in files}) for name, files in FILES.items()
    }
    sources = TaskSources("shop", {"main.py": task.encode(), "own/__init__.py": b""}, ())
    return make_plan(Inventory(parts), [sources], asked=asked, loaded=loaded, deep=deep, read=contents.__getitem__)


def modules(*arguments: str, **more: Collection[str]) -> set[str]:
    """Those of the plan that are not walle's."""
    return {name for name in plan(*arguments, **more).modules.needed_by if not name.startswith("walle")}


def test_nothing_is_needed_by_a_task_that_imports_nothing():
    assert modules("") == set()


def test_of_walle_all_is_there_that_the_device_reaches():
    needed = plan("").modules.needed_by
    assert "walle.other" in needed
    assert "walle.unused" not in needed


def test_what_a_task_names_of_the_standard_library_is_there_with_what_its_functions_import():
    assert modules("import json") == {"json", "late", "hidden"}
    assert modules("def run(inputs, context):\n    import late") == {"late", "deeper"}


def test_of_packages_there_is_what_is_loaded_with_them_and_what_was_seen():
    assert modules("import tensors") == {"tensors", "tensors.core"}
    assert modules("import tensors", loaded={"tensors.testing", "not.there"}) == {
        "tensors",
        "tensors.core",
        "tensors.testing",
    }
    assert "tensors.testing" in modules("import tensors", deep={"tensors"})


def test_a_submodule_that_a_task_reaches_by_its_package_is_there():
    assert "tensors.draws" in modules("import tensors as t\ndef run(inputs, context):\n    t.draws.draw()")


def test_modules_can_be_asked_for():
    assert modules("", asked={"tensors.draws"}) == {"tensors", "tensors.core", "tensors.draws"}


def test_what_a_task_names_and_nobody_has_is_told():
    assert plan("import own, elsewhere.far, sys").absent_of_tasks() == {"elsewhere": "the task shop"}


def test_what_is_left_out_is_told_without_what_is_inside_it():
    made = plan("import tensors, json")
    assert made.left_out("tensors") == ["tensors.draws", "tensors.testing"]
    assert made.left_out("unused") == ["unused"]
    assert made.left_out_whole() == ["unused"]
    assert (made.carried("tensors"), made.carried("unused")) == (2, 0)


def files(made: Plan, part: str) -> dict[str, PlannedFile]:
    return {str(file.target): file for file in made.files if file.part == part}


def test_pure_modules_of_the_standard_library_are_zipped_and_compiled():
    found = files(plan("import late, fast"), STANDARD_LIBRARY)
    extension = str(EXTENSIONS / "fast.cpython-311-x86_64-linux-gnu.so")
    assert found.keys() == {"late.pyc", "deeper.pyc", extension}
    assert (found["late.pyc"].form, found["late.pyc"].zipped) == (Form.COMPILED, True)
    assert (found[extension].form, found[extension].zipped) == (Form.STRIPPED, False)


def test_packages_have_their_data_and_licences_and_nothing_for_developers():
    found = files(plan("import tensors"), "tensors")
    names = ["__init__.pyc", "core.pyc", "table.bin"]
    legal = ["METADATA", "licenses/LICENSE"]
    assert found.keys() == {
        *(str(PACKAGES / "tensors" / name) for name in names),
        *(str(PACKAGES / "tensors-1.0.dist-info" / name) for name in legal),
    }


def test_what_is_started_by_its_path_stays_a_source():
    found = files(plan(""), WALLE)
    assert found[str(PACKAGES / "walle/container/worker/__main__.py")].form is Form.AS_IT_IS
