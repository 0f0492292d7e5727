"""A run under an app's profile: what the profile does not have is missing in truth, in a real sandbox."""

from __future__ import annotations

import pytest

from tests.container.support import ATTEMPT, manifest, write_bundle
from walle.container.profile import Profile

NUMPY = {"modules": ["numpy"]}


def profile(**changes):
    return Profile(**{"sdk": "1.0.0", "python": "3.11", "modules": {"numpy": "*"}, **changes})


@pytest.fixture
def run(sandbox, tmp_path):
    """Runs a source under a profile."""

    def call(source, under, requires=None, files=None, given=None, **changes):
        bundle = write_bundle(tmp_path / "bundle", source, files)
        return sandbox.run(bundle, manifest(requires=requires or {}, **changes), given or {}, profile=under)

    return call


def trying(*expressions, prelude=""):
    """A task whose result is what each expression gave, or the error that it raised."""
    attempts = ", ".join(f"attempt(lambda: {expression})" for expression in expressions)
    return f"import importlib\n{prelude}\n{ATTEMPT}\ndef run(inputs, context):\n    return {{'result': [{attempts}]}}"


def outcomes(result):
    assert result.ok, result
    return result.output["result"]


def test_a_profile_that_has_all_changes_nothing(run):
    source = (
        "import numpy\ndef run(i, c): return {'result': [float(numpy.einsum('i,i', numpy.ones(3), numpy.ones(3)))]}"
    )
    result = run(source, profile(), NUMPY)
    assert result.output == {"result": [3.0]}
    assert result.enforced["profile"].startswith("Python 3.11")
    assert "profile" not in run(source, None, NUMPY).enforced


def test_a_module_outside_the_profile_is_not_there(run):
    result = run("def run(i, c):\n    import numpy\n    return {'result': []}", profile(modules={}))
    assert (result.error_class, result.message) == (
        "import-missing",
        "ModuleNotFoundError: No module named 'numpy' (main.py:2)",
    )


def test_nor_is_it_for_those_who_look_first(run):
    source = trying(
        "importlib.util.find_spec('numpy')", "'numpy' in __import__('sys').modules", prelude="import importlib.util"
    )
    assert outcomes(run(source, profile(modules={}))) == [["did", "None"], ["did", "False"]]
    # Once loaded for others, the worker has it at hand.
    assert outcomes(run(source, profile(), NUMPY))[1] == ["did", "True"]
    assert outcomes(run(source, profile(modules={}), NUMPY)) == [["did", "None"], ["did", "False"]]


def test_what_a_module_brought_along_is_not_there_either(run):
    source = trying("importlib.import_module('structlog')", "importlib.import_module('httpx').get")
    assert outcomes(run(source, profile(modules={"httpx": "*"})))[0] == ["refused", "ModuleNotFoundError"]


def test_the_bundle_and_the_standard_library_stay(run):
    files = {"helper.py": "VALUE = 1", "pkg/__init__.py": "", "pkg/deep/core.py": "from pkg import other\nVALUE = 2"}
    files |= {"pkg/other.py": "VALUE = 3", "scipy.py": "VALUE = 4"}
    source = (
        "import decimal, sqlite3, helper, pkg.deep.core, pkg.other, scipy, xml.etree.ElementTree\n"
        "def run(i, c): return {'result': [helper.VALUE, pkg.deep.core.VALUE, pkg.other.VALUE, scipy.VALUE]}"
    )
    assert outcomes(run(source, profile(modules={}), files=files)) == [1, 2, 3, 4]


def test_modules_of_the_standard_library_can_be_left_out(run):
    under = profile(without=("sqlite3", "xml", "ctypes"))
    source = trying(
        *(f"importlib.import_module({name!r})" for name in ("sqlite3", "xml.etree.ElementTree", "ctypes", "csv"))
    )
    assert [word for word, _ in outcomes(run(source, under))] == ["refused"] * 3 + ["did"]
    assert run("import sqlite3\ndef run(i, c): pass", under).error_class == "import-missing"


def test_a_function_that_is_left_out_is_an_attribute_error_in_the_task(run):
    source = "import numpy as np\ndef run(i, c):\n    return {'result': [float(np.einsum('i->', np.ones(3)))]}"
    result = run(source, profile(without=("numpy.einsum",)), NUMPY)
    assert result.error_class == "exception:AttributeError"
    assert result.message.startswith("AttributeError: module 'numpy' has no attribute 'einsum'")
    assert result.message.endswith("(main.py:3)")
    result = run("from numpy import einsum\ndef run(i, c): pass", profile(without=("numpy.einsum",)), NUMPY)
    assert result.error_class == "exception:ImportError"
    assert run(
        "from numpy import *\ndef run(i, c): return {'result': []}", profile(without=("numpy.einsum",)), NUMPY
    ).ok


def test_it_is_gone_under_its_other_names_and_for_its_own_package(run):
    source = trying(
        "np.core.einsumfunc.einsum", "np.linalg.pinv(np.eye(2))", "np.linalg.svd", "np.linalg.det(np.eye(2))",
        prelude="import warnings\nwarnings.simplefilter('ignore')\nimport numpy as np",
    )  # fmt: skip
    under = profile(without=("numpy.einsum", "numpy.linalg.svd"))
    assert outcomes(run(source, under, NUMPY)) == [
        ["refused", "AttributeError"],
        ["refused", "NameError"],
        ["refused", "AttributeError"],
        ["did", repr_of_det()],
    ]


def repr_of_det() -> str:
    import numpy as np

    return repr(np.linalg.det(np.eye(2)))


def test_a_module_that_is_loaded_late_is_tailored_then(run):
    under = profile(
        without=("math.comb", "statistics.fmean", "collections.abc.Sized"), operators={"colorsys": ("rgb_to_hsv",)}
    )
    source = trying(
        "importlib.import_module('math').comb", "importlib.import_module('math').sqrt(4)",
        "importlib.import_module('statistics').fmean", "importlib.import_module('statistics').median([1])",
        "importlib.import_module('colorsys').rgb_to_hsv(0, 0, 0)", "importlib.import_module('colorsys').hsv_to_rgb",
    )  # fmt: skip
    assert [word for word, _ in outcomes(run(source, under))] == ["refused", "did", "refused", "did", "did", "refused"]


def test_a_package_that_is_loaded_late_is_tailored_as_a_whole(tmp_path, run):
    source = trying("importlib.import_module('numpy').einsum", "importlib.import_module('numpy').ones(1).sum()")
    assert [word for word, _ in outcomes(run(source, profile(without=("numpy.einsum",))))] == ["refused", "did"]


def test_only_some_functions_of_a_module(run):
    under = profile(operators={"math": ("sqrt",), "numpy.linalg": ("norm",)})
    source = trying(
        "math.sqrt(4)", "math.pi", "math.exp(1)", "float(np.linalg.norm(np.ones(1)))", "np.linalg.inv",
        "np.linalg.LinAlgError", "np.exp(0)", prelude="import math, numpy as np",
    )  # fmt: skip
    words = [word for word, _ in outcomes(run(source, under, NUMPY))]
    assert words == ["did", "did", "refused", "did", "refused", "did", "did"]


def test_a_submodule_can_be_left_out(run):
    source = trying(
        "np.fft.fft([1])", "importlib.import_module('numpy.fft')", "np.ones(1)", prelude="import numpy as np"
    )
    words = [word for word, _ in outcomes(run(source, profile(without=("numpy.fft",)), NUMPY))]
    assert words == ["refused", "refused", "did"]


def test_inputs_arrive_as_arrays_even_where_the_task_cannot_make_them(run):
    declared = {"x": {"type": "tensor", "dtype": "float32", "shape": [2]}}
    source = "def run(i, c): return {'result': [str(i['x'].dtype), i['x'].tolist()]}"
    under = profile(without=("numpy.asarray", "numpy.random.seed"))
    assert outcomes(run(source, under, NUMPY, given={"x": [1, 2]}, inputs=declared)) == ["float32", [1.0, 2.0]]


def test_another_python_is_seen_and_lacks_what_came_later(run):
    source = trying(
        "sys.version_info >= (3, 10)", "sys.version_info[:2]", "__import__('platform').python_version()",
        "importlib.import_module('tomllib')", "sys.version_info.minor", prelude="import sys",
    )  # fmt: skip
    assert outcomes(run(source, profile(python="3.9.4"))) == [
        ["did", "False"], ["did", "(3, 9)"], ["did", "'3.9.4'"], ["refused", "ModuleNotFoundError"], ["did", "9"],
    ]  # fmt: skip


def test_memory_is_the_lesser_of_the_tasks_limit_and_the_profiles(run):
    source = "def run(i, c):\n    x = bytearray(60_000_000)\n    return {'result': []}"
    assert run(source, profile()).ok
    assert run(source, profile(memory_mb=512)).ok
    assert run(source, profile(memory_mb=32)).error_class == "memory-limit"
    assert run(source, profile(memory_mb=512), limits={"memory_mb": 32}).error_class == "memory-limit"


def test_walls_stand_as_in_any_run(any_sandbox, tmp_path):
    bundle = write_bundle(tmp_path, "import os\ndef run(i, c): return {'result': [sorted(os.environ)]}")
    free = any_sandbox.run(bundle, manifest(), {})
    tailored = any_sandbox.run(bundle, manifest(), {}, profile=profile(without=("sqlite3",)))
    assert tailored.output == free.output
    assert set(tailored.enforced) == {*free.enforced, "profile"}
