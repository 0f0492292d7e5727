"""The files of a cloud half in a tree: devices get none of them, and their sources are checked like all others."""

from __future__ import annotations

import pytest

from tests.bundle.test_tunnel_keys import TUNNEL_TOML
from walle.bundle.tree import MemoryTree
from walle.bundle.validation import validate_tree

ANSWER = "import numpy\nfrom cloud.items import ITEMS\n\n\ndef answer(features):\n    return [None for _ in features]\n"
FILES = {
    "task.toml": TUNNEL_TOML,
    "main.py": "def run(inputs, context):\n    return {}\n",
    "cloud/recommend.py": ANSWER,
    "cloud/items.py": "ITEMS = []\n",
    "cloud/items.json": "[]",
}


def with_cloud(path: str, content: str | None):
    files = {**FILES, path: content}
    return validate_tree(MemoryTree({path: text.encode() for path, text in files.items() if text is not None}))


def test_devices_get_no_file_of_the_cloud_half():
    found = validate_tree(MemoryTree({path: text.encode() for path, text in FILES.items()}))
    assert found.problems == ()
    assert [file.path for file in found.files] == ["main.py", "task.toml"]
    assert [file.path for file in found.cloud] == ["cloud/items.json", "cloud/items.py", "cloud/recommend.py"]


def test_a_folder_of_that_name_travels_where_there_is_no_cloud_half():
    found = with_cloud("task.toml", TUNNEL_TOML.partition("[cloud]")[0])
    assert [file.path for file in found.files][:3] == ["cloud/items.json", "cloud/items.py", "cloud/recommend.py"]
    assert found.cloud == ()


@pytest.mark.parametrize(
    ("path", "content", "problem"),
    [
        ("cloud/recommend.py", None, "task.toml: cloud.main: expected a file of the tree, found no cloud/recommend.py"),
        ("cloud/recommend.py", "x = 1", "cloud/recommend.py: expected a function answer(features), found no answer in"),
        (
            "cloud/recommend.py",
            "def answer(features, context): pass",
            "cloud/recommend.py:1: expected a function answer(features), found answer(features, context)",
        ),
        ("cloud/items.py", "x = (", "cloud/items.py:1: expected Python that compiles, found"),
        (
            "cloud/items.py",
            "import torch",
            "cloud/items.py:1: expected imports from the bundle, the standard library or cloud.modules, found torch",
        ),
        (
            "cloud/items.py",
            "import main",
            "cloud/items.py:1: expected imports from the bundle, the standard library or cloud.modules, found main",
        ),
        (
            "main.py",
            "import cloud\n\n\ndef run(inputs, context): pass",
            "main.py:1: expected imports from the bundle, the standard library or requires.modules, found cloud",
        ),
        (
            "cloud/items.json",
            "version https://git-lfs.github.com/spec/v1",
            "cloud/items.json: expected the file itself, found a Git LFS pointer",
        ),
    ],
)
def test_a_mistake_in_it_is_found_on_push(path, content, problem):
    [found] = with_cloud(path, content).problems
    assert found.text.startswith(problem)
