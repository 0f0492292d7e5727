"""What there is to choose from."""

from __future__ import annotations

import tomllib

import pytest

from walle.packaging.inventory import (
    DEVICE_PACKAGES,
    INTERPRETER,
    STANDARD_LIBRARY,
    WALLE,
    Inventory,
    NotInstalled,
    device_requirements,
    take_inventory,
)
from walleweb.config import BASE_DIR

DEVICE = tomllib.loads((BASE_DIR / "deploy" / "device" / "pyproject.toml").read_text())


@pytest.fixture(scope="module")
def inventory() -> Inventory:
    return take_inventory(["numpy", "json"])


def test_the_parts_are_those_of_a_device_and_of_its_tasks(inventory):
    assert [*inventory.parts][:3] == [INTERPRETER, STANDARD_LIBRARY, WALLE]
    assert {*inventory.parts} >= {"numpy", "httpx", "cryptography", "anyio"}
    assert not {"Django", "typer", "rich", "boto3"} & {*inventory.parts}
    assert "numpy" not in device_requirements()


def test_of_walle_there_is_what_devices_install(inventory):
    listed = DEVICE["tool"]["setuptools"]["packages"]["find"]["include"]
    assert {name.split(".")[1] for name in listed if name.startswith("walle.")} == set(DEVICE_PACKAGES)
    assert {name.partition(".")[0] for name in listed} == {"walle", "walle_task"}
    modules = inventory.parts[WALLE].modules
    assert {"walle", "walle.device.agent", "walle.container.worker.task", "walle_task.operators"} <= modules.keys()
    assert not any(name.startswith(("walle.device.emulator", "walle.cli")) for name in modules)


def test_of_the_standard_library_there_is_what_is_no_test(inventory):
    modules = inventory.parts[STANDARD_LIBRARY].modules
    assert {"json", "json.decoder", "_ctypes"} <= modules.keys()
    assert not {"test", "test.support"} & modules.keys()
    assert modules["_ctypes"].is_extension
    assert modules["json"].is_package


def test_what_is_not_installed_is_refused():
    with pytest.raises(NotInstalled, match="no_such_module_at_all"):
        take_inventory(["no_such_module_at_all"])
