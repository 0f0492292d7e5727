"""A package that is hidden from the imports of one thread, and of nothing else."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module

import pytest

from walle.protocol.signing_libraries import hide_package

PACKAGE = "this"
"""A module of the standard library that nothing imports."""


@pytest.fixture(autouse=True)
def _not_loaded(capsys):
    sys.modules.pop(PACKAGE, None)
    yield
    sys.modules.pop(PACKAGE, None)


def test_it_looks_as_if_the_package_were_not_installed_and_only_meanwhile():
    before = list(sys.meta_path)
    with hide_package(PACKAGE), pytest.raises(ImportError):
        import_module(PACKAGE)
    assert sys.meta_path == before
    assert import_module(PACKAGE)


def test_what_fails_meanwhile_leaves_nothing_behind():
    before = list(sys.meta_path)
    with pytest.raises(RuntimeError), hide_package(PACKAGE):
        raise RuntimeError
    assert sys.meta_path == before


def test_another_thread_can_import_it_meanwhile():
    with ThreadPoolExecutor(1) as other, hide_package(PACKAGE):
        assert other.submit(import_module, PACKAGE).result()


def test_a_package_that_is_loaded_stays():
    loaded = import_module(PACKAGE)
    with hide_package(PACKAGE):
        assert import_module(PACKAGE) is loaded


def test_other_packages_are_found_meanwhile():
    with hide_package(f"{PACKAGE}.too"):
        assert import_module(PACKAGE)
