"""walle_task inside the sandbox: every task can import it, and nothing else of Walle."""

from __future__ import annotations

import re

import pytest

from tests.container.support import manifest as manifest_of
from tests.container.support import run_source, write_bundle
from walle.container.profile import Profile
from walleweb.config import BASE_DIR

EVENTS = {"events": [{"kind": "click", "page": page, "at": float(at)} for at, page in enumerate("aabba")]}
DECLARED = {"inputs": {"events": {"type": "list"}}}
LAST_ON_A = """
    from walle_task import Events, Filter, KeyBy, Map, TimeWindow

    def run(inputs, context):
        lately = Events(inputs["events"]) | KeyBy("page", "a") | TimeWindow(3) | Filter(lambda e: e["kind"] == "click")
        return {"result": list(lately | Map(lambda event: event["at"]))}
"""


def test_a_task_imports_it_behind_any_walls(any_sandbox, tmp_path):
    result = any_sandbox.run(write_bundle(tmp_path, LAST_ON_A), manifest_of(**DECLARED), EVENTS)
    assert result.output == {"result": [1.0, 4.0]}, result


@pytest.mark.parametrize("module", ["walle", "walle.container", "walle.stream"])
def test_nothing_else_of_walle_is_there(sandbox, tmp_path, module):
    source = f"import walle_task, {module}\ndef run(i, c): return {{'result': []}}"
    result = run_source(sandbox, tmp_path, source)
    assert (result.error_class, "walle" in result.message) == ("import-missing", True), result


def test_what_a_task_changes_in_it_is_gone_with_its_process(sandbox, tmp_path):
    source = """
        import walle_task
        def run(inputs, context):
            before = walle_task.Map is None
            walle_task.Map = None
            return {"result": [before]}
    """
    for _ in range(2):
        assert run_source(sandbox, tmp_path, source).output == {"result": [False]}


IMAGES = """
    import numpy as np
    import walle_task.image as image

    def run(inputs, context):
        turned = image.rotate(np.array(inputs["events"], np.uint8), image.ROTATE_90_CLOCKWISE)
        return {"result": image.resize(turned, (4, 1), interpolation=image.INTER_NEAREST).tolist()}
"""


def test_a_task_processes_images_behind_any_walls(any_sandbox, tmp_path):
    declared = manifest_of(**DECLARED, requires={"modules": ["numpy"]})
    result = any_sandbox.run(write_bundle(tmp_path, IMAGES), declared, {"events": [[1, 2], [3, 4]]})
    assert result.output == {"result": [[3, 3, 1, 1]]}, result


def documented_session() -> str:
    """The task of docs/task-format.md that runs a session."""
    blocks = re.findall(r"```python\n(.*?)```", (BASE_DIR / "docs/task-format.md").read_text(), re.DOTALL)
    (found,) = (block for block in blocks if "walle_task.tensor" in block)
    return found


AVERAGE = {"inputs": {"rows": {"type": "list"}}, "outputs": {"average": {"type": "list"}}}


def test_a_task_runs_a_session_behind_any_walls(any_sandbox, tmp_path):
    declared = manifest_of(**AVERAGE, requires={"modules": ["numpy"]})
    bundle = write_bundle(tmp_path, documented_session())
    result = any_sandbox.run(bundle, declared, {"rows": [[1, 2, 3, 4], [3, 2, 1, 0]]})
    assert result.output == {"average": [2, 2, 2, 2]}, result


@pytest.mark.parametrize("module", ["arrays", "image", "tensor"])
def test_functions_that_need_numpy_say_so(sandbox, tmp_path, module):
    source = f"import walle_task.{module}\ndef run(inputs, context): return {{'result': []}}"
    profile = Profile(sdk="1.3.0", python="3.11", modules={})
    result = sandbox.run(write_bundle(tmp_path, source), manifest_of(), {}, profile=profile)
    expected = f'walle_task.{module} needs numpy: expected requires.modules = ["numpy"] in task.toml'
    assert result.error_class == "import-missing", result
    assert expected in result.message


@pytest.mark.parametrize("module", ["arrays", "image", "tensor", "training"])
@pytest.mark.parametrize(("sdk", "has_them"), [("1.1.0", False), ("1.2.9", False), ("1.3.0", True)])
def test_an_app_has_functions_that_need_numpy_from_runtime_1_3_on(sandbox, tmp_path, module, sdk, has_them):
    profile = Profile(sdk=sdk, python="3.11", modules={"numpy": "*"})
    source = f"import walle_task.{module}\ndef run(inputs, context): return {{'result': []}}"
    declared = manifest_of(requires={"modules": ["numpy"]})
    result = sandbox.run(write_bundle(tmp_path, source), declared, {}, profile=profile)
    assert result.error_class == (None if has_them else "import-missing"), result
    assert (profile.has("walle_task"), profile.has(f"walle_task.{module}")) == (True, has_them)


@pytest.mark.parametrize(("sdk", "has_it"), [("1.0.0", False), ("1.1.0-rc.1", False), ("1.1.0", True), ("2", True)])
def test_an_app_has_it_from_runtime_1_1_on(sandbox, tmp_path, sdk, has_it):
    bundle = write_bundle(tmp_path, LAST_ON_A)
    profile = Profile(sdk=sdk, python="3.11")
    result = sandbox.run(bundle, manifest_of(**DECLARED), EVENTS, profile=profile)
    assert result.error_class == (None if has_it else "import-missing"), result
    assert profile.has("walle_task") == has_it
