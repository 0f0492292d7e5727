"""walle_task inside the sandbox: every task can import it, and nothing else of Walle."""

from __future__ import annotations

import pytest

from tests.container.support import manifest as manifest_of
from tests.container.support import run_source, write_bundle
from walle.container.profile import Profile

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


@pytest.mark.parametrize(("sdk", "has_them"), [("1.1.0", False), ("1.2.9", False), ("1.3.0", True)])
def test_an_app_has_image_functions_from_runtime_1_3_on(sandbox, tmp_path, sdk, has_them):
    profile = Profile(sdk=sdk, python="3.11", modules={"numpy": "*"})
    declared = manifest_of(**DECLARED, requires={"modules": ["numpy"]})
    bundle = write_bundle(tmp_path, IMAGES)
    result = sandbox.run(bundle, declared, {"events": [[1, 2], [3, 4]]}, profile=profile)
    assert result.error_class == (None if has_them else "import-missing"), result
    assert (profile.has("walle_task"), profile.has("walle_task.image")) == (True, has_them)


@pytest.mark.parametrize(("sdk", "has_it"), [("1.0.0", False), ("1.1.0-rc.1", False), ("1.1.0", True), ("2", True)])
def test_an_app_has_it_from_runtime_1_1_on(sandbox, tmp_path, sdk, has_it):
    bundle = write_bundle(tmp_path, LAST_ON_A)
    profile = Profile(sdk=sdk, python="3.11")
    result = sandbox.run(bundle, manifest_of(**DECLARED), EVENTS, profile=profile)
    assert result.error_class == (None if has_it else "import-missing"), result
    assert profile.has("walle_task") == has_it
