"""What is wrong with a rule."""

from __future__ import annotations


class RuleMalformed(ValueError):
    """A rule that means nothing; `path` says where in its JSON the fault is."""

    def __init__(self, path: str, expected: str) -> None:
        super().__init__(f"{path}: expected {expected}")
        self.path = path
        self.expected = expected
