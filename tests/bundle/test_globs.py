"""Exclude patterns: what they match, and that no pattern can make matching slow."""

from __future__ import annotations

import subprocess
import sys

import pytest

from walle.bundle.globs import is_excluded


@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        ("README.md", ["README.md"], ["docs/README.md", "README.mdx"]),
        ("train/**", ["train/a", "train/a/b"], ["train", "trains/a", "a/train/b"]),
        ("train", ["train", "train/a/b"], ["training/a"]),
        ("*.md", ["a.md", "README.md", "x.md/inner"], ["docs/a.md", "a.mdx"]),
        ("**/*.md", ["a.md", "docs/a.md", "a/b/c.md"], ["a.txt"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b", "a/x/b/c"], ["a", "b", "x/a/b"]),
        ("a?c", ["abc"], ["ac", "abbc", "a/c"]),
        ("**", ["a", "a/b"], []),
        ("a*b*c", ["abc", "a-b-c"], ["acb", "a/b/c"]),
    ],
)
def test_patterns(pattern, inside, outside):
    assert [path for path in inside + outside if is_excluded([pattern], path)] == inside


def test_nothing_is_excluded_without_patterns():
    assert not is_excluded([], "a")


@pytest.mark.processes
def test_a_pattern_made_to_backtrack_costs_little():
    """In a process that can be ended: with backtracking it would go on for years."""
    patterns = ["*a" * 60 + "b", "/".join(["**", "a"] * 40)]
    program = f"from walle.bundle.globs import is_excluded\nprint(is_excluded({patterns!r}, 'a' * 200))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "False\n"
