"""Tests of one process that share the compiled kernels."""

import pytest

from walle.whitebox.kernels import Execute, load_kernels


@pytest.fixture(scope="package", autouse=True)
def kernels() -> Execute:
    return load_kernels()
