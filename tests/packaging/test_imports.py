"""What a module imports, read from its source."""

from __future__ import annotations

import pytest

from walle.packaging.imports import UnreadableSource, attributes_in, imports_in


def found(source: str, module: str = "shop.cart", *, is_package: bool = False, whole: bool = False) -> set[str]:
    return imports_in(source.encode(), module, is_package=is_package, whole=whole)


def test_names_of_imports():
    assert found("import a.b, c as d") == {"a.b", "c"}
    assert found("from a.b import c, d as e") == {"a.b", "a.b.c", "a.b.d"}
    assert found("from a import *") == {"a"}


@pytest.mark.parametrize(
    ("source", "is_package", "expected"),
    [
        ("from . import items", False, {"shop", "shop.items"}),
        ("from .items import Item", False, {"shop.items", "shop.items.Item"}),
        ("from . import items", True, {"shop.cart", "shop.cart.items"}),
        ("from ..goods import Item", True, {"shop.goods", "shop.goods.Item"}),
        ("from ... import beyond", False, set()),
    ],
)
def test_relative_imports(source, is_package, expected):
    assert found(source, is_package=is_package) == expected


def test_names_that_are_loaded_by_text():
    assert found("import importlib\nx = importlib.import_module('a.b')\ny = __import__('c')") == {
        "importlib",
        "a.b",
        "c",
    }
    assert found("import_module(name)") == set()


@pytest.mark.parametrize(
    "source",
    [
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import x",
        "import typing\nif typing.TYPE_CHECKING:\n    import x",
        "import sys\nif sys.platform == 'win32':\n    import x",
        "import os\nif os.name == 'nt':\n    import x",
        "if __name__ == '__main__':\n    import x",
    ],
)
@pytest.mark.parametrize("whole", [True, False])
def test_what_does_not_happen_on_a_device_does_not_count(source, whole):
    assert "x" not in found(source, whole=whole)
    assert "y" in found(f"{source}\nelse:\n    import y", whole=whole)


def test_a_condition_that_may_hold_counts():
    assert "x" in found("from typing import TYPE_CHECKING\nif TYPE_CHECKING or not lazy():\n    import x")


@pytest.mark.parametrize(
    "source",
    [
        "def call():\n    import x",
        "async def call():\n    import x",
        "class A:\n    def call(self):\n        import x",
        "try:\n    import a\nexcept ImportError:\n    import x",
        "try:\n    import a\nexcept (ImportError, OSError):\n    import x",
    ],
)
def test_what_happens_later_or_where_imports_fail_counts_if_all_is_asked_for(source):
    assert "x" not in found(source)
    assert "x" in found(source, whole=True)


def test_what_happens_while_a_module_is_loaded_counts():
    assert {"x", "y"} <= found("class A:\n    import x\ntry:\n    import y\nfinally:\n    pass")


def test_attributes_of_imported_modules():
    source = b"import numpy as np\nimport os.path\nfrom a import b\nnp.random.rand(3)\nos.path.join('x')\nb.c()\nd.e()"
    assert attributes_in(source) == {"numpy.random.rand", "numpy.random", "os.path.join", "os.path"}


@pytest.mark.parametrize("source", [b"def", b"\xff\xfe", b"x = \0"])
def test_what_is_no_python_is_refused(source):
    with pytest.raises(UnreadableSource, match="shop"):
        imports_in(source, "shop", is_package=False, whole=True)
