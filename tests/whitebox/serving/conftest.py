"""A site with one released pipeline."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.whitebox.serving.simulator import Site
from walle.whitebox.serving import plan_host


@pytest.fixture
async def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    monkeypatch.setattr(plan_host, "LOOK_EVERY_S", 0.01)
    site = Site(tmp_path)
    site.release("1.0.0", bias=0.0)
    return site
