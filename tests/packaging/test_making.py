"""What a build cannot be made of."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest

from walle.packaging.making import make_build


def test_debians_layout_of_packages_is_refused_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sysconfig, "get_scheme_names", lambda: ("deb_system", "posix_prefix"))
    with pytest.raises(ValueError, match="found Debian's, which keeps packages elsewhere"):
        make_build([], tmp_path / "build", asked=(), tell=lambda _: None)
    assert not (tmp_path / "build").exists()
