"""What devices install: its list of packages, and the wheel in an environment of its own.

That environment has the declared dependencies and nothing else, lent by the one that runs the tests.
"""

from __future__ import annotations

import json
import sys
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path
from zipfile import ZipFile

import grimp
import pytest

from tests.device.conftest import TASK
from tests.support.environments import PIP, bare_environment, lend, output_of
from walleweb.config import BASE_DIR

pytestmark = pytest.mark.processes

PROJECT = tomllib.loads((BASE_DIR / "deploy" / "device" / "pyproject.toml").read_text())
DECLARED = PROJECT["project"]["dependencies"]
MAX_BYTES = 550_000
"""The wheel; the pure Python of a device, compressed."""
MAX_MODULES = 530
"""Loaded by an app that embeds Walle, the standard library and all dependencies included."""
OF_THE_CLOUD = {
    *("artifacts", "bundle", "cli", "conformance", "forecast", "gateway", "packaging", "release", "webhooks"),
    *("placement", "tensor", "whitebox"),
}
NOT_FOR_DEVICES = {"django", "celery", "torch", "numpy", "uvicorn", "typer", "rich", "boto3", "pip", "setuptools"}
CODE = b"""
from walle_task import Events, Map
def run(inputs, context):
    return {'y': sum(Events([inputs['x']]) | Map(lambda x: x * 2))}
"""


# -- the list of packages


def is_listed(package: str) -> bool:
    """As setuptools reads the list."""
    find = PROJECT["tool"]["setuptools"]["packages"]["find"]
    named = any(fnmatchcase(package, pattern) for pattern in find["include"])
    return named and not any(fnmatchcase(package, pattern) for pattern in find["exclude"])


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("walle", include_external_packages=True, cache_dir=None)


def package_of(module: str) -> str:
    path = BASE_DIR / module.replace(".", "/")
    return module if path.is_dir() else module.rpartition(".")[0]


def imported_by_the_listed(graph: grimp.ImportGraph) -> set[str]:
    listed = [module for module in graph.modules if module.startswith("walle.") and is_listed(package_of(module))]
    assert "walle.device.embedding" in listed
    return {found for module in listed for found in graph.find_modules_directly_imported_by(module)}


def test_the_list_has_all_that_its_packages_import(graph):
    own = {module for module in imported_by_the_listed(graph) if module.startswith("walle.")}
    assert {module for module in own if not is_listed(package_of(module))} == set()


def test_the_dependencies_are_those_that_are_imported(graph):
    tops = {module.partition(".")[0] for module in imported_by_the_listed(graph)}
    assert tops - sys.stdlib_module_names - {"walle"} == {line.partition(">")[0] for line in DECLARED}


def test_it_is_of_the_same_version_as_the_library():
    library = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())["project"]
    same = ("version", "requires-python", "dependencies", "license", "license-files")
    assert {name: PROJECT["project"][name] for name in same} == {name: library[name] for name in same}


# -- the wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    output_of(sys.executable, BASE_DIR / "deploy" / "device" / "build.py", folder)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def python(wheel) -> Path:
    """The interpreter of an environment in which the wheel is installed, with what it declares to need."""
    python = bare_environment(wheel.parent / "venv")
    output_of(*PIP, "--python", python, "install", "-q", "--no-index", "--no-deps", wheel)
    lend(python, DECLARED)
    return python


@pytest.mark.slow
def test_the_wheel_has_no_part_of_the_cloud_and_is_small(wheel):
    names = ZipFile(wheel).namelist()
    parts = {name.split("/")[1] for name in names if name.startswith("walle/") and name.count("/") > 1}
    assert parts >= {"protocol", "container", "device"}
    assert not parts & OF_THE_CLOUD
    assert "walle/py.typed" in names
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    assert not any(name.startswith("walle/device/emulator") for name in names)
    assert wheel.stat().st_size < MAX_BYTES


@pytest.mark.slow
def test_a_device_has_all_parts_of_walle_that_are_in_the_wheel(python):
    """Each module of it can be imported without the parts that stay in the cloud."""
    source = """
import importlib, pkgutil, walle
for module in pkgutil.walk_packages(walle.__path__, "walle."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
print(walle.__path__[0])
"""
    assert Path(output_of(python, "-I", "-c", source).strip()).is_relative_to(python.parents[1])


@pytest.mark.slow
def test_what_an_app_loads_with_it_is_little(python):
    """Counted in modules, which say on every machine what a time says on one."""
    bare = modules_after(python, "")
    assert modules_after(python, "import walle.device") - bare == {"walle", "walle.device"}
    found = modules_after(python, "import walle.device.embedding, walle.device.__main__")
    assert len(found) < MAX_MODULES
    assert not {name.partition(".")[0] for name in found} & NOT_FOR_DEVICES


def modules_after(python: Path, source: str) -> set[str]:
    program = f"import json, sys\n{source}\nprint(json.dumps([*sys.modules]))"
    return set(json.loads(output_of(python, "-I", "-c", program)))


@pytest.mark.slow
def test_the_command_line_of_a_device_is_there(python):
    told = output_of(python, "-I", "-m", "walle.device", "--help")
    assert told.startswith("usage: python -m walle.device ")


@pytest.mark.slow
def test_a_device_runs_from_the_wheel_alone(python, address, repository, tmp_path):
    repository.publish(TASK, "1.0.0", {"main.py": CODE})
    (tmp_path / "inputs.jsonl").write_text('{"inputs": {"x": 4}}\n')
    told = output_of(
        *(python, "-I", "-m", "walle.device", "--server", address, "--app", "shop", "--app-key", "app-key", "--once"),
        *("--store", tmp_path / "device", "--inputs", f"{TASK}={tmp_path / 'inputs.jsonl'}"),
    )
    assert f"{TASK} 1.0.0: {{'y': 8}}" in told
    assert [report["kind"] for report in repository.reports] == ["install", "run"]
