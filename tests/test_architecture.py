"""Who may import whom, who may read whose rows by SQL (only the owner), and that names are of one thing that exists."""

import ast
import builtins
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from django.apps import apps

ROOT = Path(__file__).resolve().parent.parent
# pg_dump is told by name which tables of libraries it leaves out.
TABLES_BY_NAME = {
    ("walleweb/backup/database.py", "channels_postgres_groupchannel"),
    ("walleweb/backup/database.py", "channels_postgres_message"),
    ("walleweb/backup/database.py", "django_session"),
    ("walleweb/backup/database.py", "accounts_app_browsersession"),
}


RAISES = re.compile(
    r"[Rr]aises? (?:an? |the )?([A-Z]\w+(?:\.\w+)*(?:(?:, or |, and |, | or | and )[A-Z]\w+(?:\.\w+)*)*)"
)
"""Where a docstring says what is raised."""


@pytest.mark.processes
def test_import_contracts_hold():
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_worker_inside_the_sandbox_has_the_standard_library_only():
    folder = ROOT / "walle" / "container" / "worker"
    own = "walle.container.worker"
    for path in folder.rglob("*.py"):
        foreign = {
            name
            for name in _imported(path)
            if name.partition(".")[0] not in sys.stdlib_module_names and not f"{name}.".startswith(f"{own}.")
        }
        assert not foreign, f"{path.relative_to(ROOT)} imports {', '.join(sorted(foreign))}"


def _imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            found.add(node.module or "")
    return found


def owners() -> dict[str, str]:
    """The app of each table that Django knows."""
    return {model._meta.db_table: model._meta.app_label for model in apps.get_models(include_auto_created=True)}


def foreign_tables(source: str, app: str, owner: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """The line and the name of each table of another app than `app` that a string of a module names."""
    names = re.compile(r"\b(?:" + "|".join(owner) + r")\b")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for match in names.finditer(node.value):
                if owner[match[0]] != app:
                    yield node.lineno + node.value.count("\n", 0, match.start()), match[0]


def test_an_apps_sql_names_no_table_of_another_app():
    """It reads another's rows through its selectors; SQL that joins them takes these as kit.sql makes them."""
    owner = owners()
    found = [
        (str(path.relative_to(ROOT)), line, table)
        for config in apps.get_app_configs()
        if Path(config.path).parent == ROOT
        for path in sorted(Path(config.path).rglob("*.py"))
        if "migrations" not in path.parts
        for line, table in foreign_tables(path.read_text(), config.label, owner)
    ]
    wrong = [
        f"{path}:{line}: {table} belongs to {owner[table]}"
        for path, line, table in found
        if (path, table) not in TABLES_BY_NAME
    ]
    assert not wrong, "\n".join(wrong)
    assert {(path, table) for path, _, table in found} == TABLES_BY_NAME


def test_the_search_for_tables_finds_them_wherever_a_string_can_name_them():
    owner = {"shops_app_shop": "shops_app", "shops_app_shopper": "shops_app", "mine_app_thing": "mine_app"}
    source = '''
"SELECT 1 FROM shops_app_shop"
f"SELECT {1} FROM shops_app_shopper"
ALL = ["mine_app_thing", "shops_app_shop" "s", "public.shops_app_shop"]
"""SELECT FROM mine_app_thing
JOIN shops_app_shop USING (id)"""
'''
    assert sorted(foreign_tables(source, "mine_app", owner)) == [
        (2, "shops_app_shop"),
        (3, "shops_app_shopper"),
        (4, "shops_app_shop"),
        (6, "shops_app_shop"),
    ]


def import_layers() -> dict[str, tuple[str, ...]]:
    """The row of its contract in which each app and each part of the library stands."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    rows = {each["name"]: each["layers"] for each in contracts if each["type"] == "layers"}
    apps_ = next(layers for name, layers in rows.items() if name.startswith("Apps"))
    parts = next(layers for name, layers in rows.items() if name.startswith("Parts of the library"))
    named = [[name.strip(" ()") for name in row.split("|")] for row in apps_]
    named += [[f"walle/{name.strip(' ()')}" for name in row.split("|")] for row in parts]
    return {folder: tuple(row) for row in named for folder in row}


def class_names(path: Path) -> Iterator[str]:
    """The classes of a module, but for those inside others, which are read with the name of the outer one."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ClassDef):
            yield node.name


def test_a_class_name_stands_for_one_thing_within_an_import_layer():
    found: dict[tuple[tuple[str, ...], str], list[str]] = defaultdict(list)
    for folder, layer in import_layers().items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            # Django finds commands and migrations by the name of their class.
            if {"commands", "migrations"}.isdisjoint(path.relative_to(ROOT).parts) or folder.startswith("walle/"):
                for name in class_names(path):
                    found[layer, name].append(str(path.relative_to(ROOT)))
    assert len(found) > 900
    assert not {name: paths for (_, name), paths in found.items() if len(paths) > 1}


def test_docstrings_name_exceptions_that_exist():
    """A class that is renamed is renamed there, too."""
    packages = {folder.partition("/")[0] for folder in import_layers()} | {"kit", "walleweb"}
    texts = {path: path.read_text() for package in packages for path in sorted((ROOT / package).rglob("*.py"))}
    exist = {"CalledProcessError", "DoesNotExist", *dir(builtins)}
    for text in texts.values():
        exist.update(re.findall(r"^ *class (\w+)", text, re.MULTILINE))
        exist.update(re.findall(r"\w+", " ".join(re.findall(r"^ *from \S+ import (\([^)]*\)|.*)", text, re.MULTILINE))))
    named = [
        (name.rpartition(".")[2], str(path.relative_to(ROOT)))
        for path, text in texts.items()
        for found in RAISES.findall(text)
        for name in re.split(r", or |, and |, | or | and ", found)
    ]
    assert len(named) > 500
    assert [each for each in named if each[0] not in exist] == []
