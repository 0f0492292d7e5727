"""Nothing is unpickled but in one command, which a person asks to load a model that they trust."""

from __future__ import annotations

import ast

import pytest

from tests.dependencies.test_declared import SERVER, imported_by, sources
from walleweb.config import BASE_DIR

pytestmark = pytest.mark.slow

UNPICKLING = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
LOADS_MODELS = "walle/cli/pipeline_models.py"
MAY = {
    "walle/bundle/compiler_process.py": "compiles sources to bytecode, which it writes and does not load",
    "walle/whitebox/runtime/executors/messages.py": "an executor reads what its own parent process wrote for it",
    "walle/whitebox/runtime/service.py": "writes bytes to compare records by, and loads none",
    "walle/packaging/writing.py": "writes compiled modules, and loads none",
}


def test_only_one_command_unpickles():
    found = {str(path.relative_to(BASE_DIR)) for path in sources(SERVER) if imported_by(path) & UNPICKLING}
    assert found - set(MAY) == {LOADS_MODELS}
    assert set(MAY) <= found


def test_arrays_are_never_loaded_as_objects():
    for path in sources(SERVER):
        for node in ast.walk(ast.parse(path.read_bytes())):
            assert not (isinstance(node, ast.keyword) and node.arg == "allow_pickle"), path


def test_only_the_command_imports_what_unpickles():
    importing = [str(path.relative_to(BASE_DIR)) for path in sources(SERVER) if b"pipeline_models" in path.read_bytes()]
    assert sorted(importing) == [
        "walle/cli/commands/pipeline.py",
        "walle/cli/pipeline_cascades.py",
        "walle/cli/pipeline_export.py",
    ]
