"""What a build cannot be made of."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from walle.packaging.making import make_build


def test_programs_that_cannot_be_relocated_are_refused_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(ValueError, match="expected Linux, whose programs can be relocated, found darwin"):
        make_build([], tmp_path / "build", asked=(), tell=lambda _: None)
    assert not (tmp_path / "build").exists()
