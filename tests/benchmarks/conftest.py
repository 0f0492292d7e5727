"""One migrated cluster for all tiny benchmarks, which copy it: migrating takes longer than most of them."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.support.walle import CLUSTER
from benchmarks.support.whitebox.models import VARIABLE as MODELS
from tests.support.cluster import copy_template


def environment(**extra: str) -> dict[str, str]:
    """That of a tiny run from a shell: nothing of the tests' own Django, no variable of a benchmark."""
    ours = ("BENCH_", "WALLE_", "DJANGO_", "DATABASE_URL", "PYTEST_", "SECRET_KEY")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return {**kept, "BENCH_SCALE": "tiny", **extra}


@pytest.fixture(scope="session")
def migrated_cluster() -> Iterator[Path]:
    """A folder with a stopped cluster whose database is migrated and empty: a copy of the tests' own template."""
    # Where the account that PostgreSQL runs as can reach it; pytest's own folders are closed to others.
    with tempfile.TemporaryDirectory(prefix="walle-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        copy_template(folder / "postgres")
        yield folder / "postgres"


@pytest.fixture(scope="session")
def trained_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which tiny benchmarks of one process of tests keep what they train."""
    return tmp_path_factory.mktemp("models")


@pytest.fixture
def tiny_environment(migrated_cluster: Path, trained_models: Path) -> dict[str, str]:
    return environment(**{CLUSTER: str(migrated_cluster), MODELS: str(trained_models)})
