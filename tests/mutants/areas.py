"""What bugs are generated in, and which tests should notice them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.mutants.generation import changes
from tests.mutants.rewrites import ROOT, Mutant, harmless


@dataclass(frozen=True)
class Area:
    """Source files and folders, and the folders and files of tests for them, the quickest first."""

    sources: tuple[str, ...]
    tests: tuple[str, ...]


AREAS: Final = {
    "release": Area(("walle/release",), ("tests/release",)),
    "protocol": Area(("walle/protocol",), ("tests/protocol",)),
    "stream": Area(("walle/stream", "walle/device/streaming"), ("tests/stream", "tests/device/streaming")),
    "device": Area(("walle/device",), ("tests/device",)),
    "tunnel": Area(
        ("walle/gateway/tunnel", "walle/device/tunnel", "walle/protocol/tunnel_messages.py"),
        ("tests/gateway/tunnel", "tests/device/tunnel", "tests/protocol/test_tunnel_messages.py"),
    ),
    "features": Area(
        (
            *(f"devices_app/services/{name}.py" for name in ("features", "feature_counts", "feature_partitions")),
            *(f"devices_app/services/{name}.py" for name in ("consumers", "answers")),
            *(f"devices_app/selectors/{name}.py" for name in ("features", "feature_views", "feature_consumers")),
            *(f"tasks_app/services/{name}.py" for name in ("answering", "cloud_consumers", "dictionaries")),
        ),
        (
            *("tests/features", "tests/api/test_features.py", "tests/live_app/test_features.py"),
            *(f"tests/tasks_app/test_{name}.py" for name in ("answering", "dictionaries", "cloud_jobs")),
        ),
    ),
    "pipelines": Area(
        (
            *(f"walle/whitebox/{name}" for name in ("archive", "operators", "oven")),
            *(f"walle/whitebox/{name}.py" for name in ("graph", "ngram_table", "program", "flour")),
        ),
        tuple(
            f"tests/whitebox/test_{name}.py"
            for name in ("graph", "ngram_table", "flour", "explain", "archive", "oven", "oven_rules")
        ),
    ),
    "scheduling": Area(
        (
            *(f"walle/whitebox/runtime/{name}.py" for name in ("admission", "schedule", "reservations", "isolation")),
            *(f"walle/whitebox/runtime/{name}.py" for name in ("chunks", "delayed_batching", "engines", "ledger")),
            *(f"walle/whitebox/runtime/{name}.py" for name in ("byte_lru", "materialisation", "latencies")),
            "walle/whitebox/zero_packing.py",
        ),
        (
            *(f"tests/whitebox/runtime/test_{name}.py" for name in ("admission", "schedule", "decisions", "byte_lru")),
            *(f"tests/whitebox/runtime/test_{name}.py" for name in ("latencies", "parameter_store", "materialisation")),
        ),
    ),
    "placement": Area(("walle/placement",), ("tests/placement",)),
    "permissions": Area(
        ("accounts_app/permissions.py", "accounts_app/scopes.py", "accounts_app/selectors.py"),
        (
            *("tests/accounts_app", "tests/api/test_members.py", "tests/api/test_tokens.py", "tests/api/test_audit.py"),
            "tests/matrix/test_table.py",
        ),
    ),
}


def generated(name: str, *, seed: int, count: int) -> list[Mutant]:
    """A sample of an area's bugs that the same seed draws again, as long as the code is the same."""
    area = AREAS[name]
    known = {(one.file, one.rewritten()) for one in harmless()}
    found = [
        one for path in files(area.sources) for one in _mutants(name, area, path) if (one.file, one.source) not in known
    ]
    return random.Random(seed).sample(found, min(count, len(found)))


def _mutants(name: str, area: Area, path: Path) -> Iterator[Mutant]:
    file = path.relative_to(ROOT).as_posix()
    tests = tuple(_nearest_first(file, area.tests))
    for change in changes(path.read_text()):
        yield Mutant(name, f"{file}:{change.line}", file, change.source, tests)


def _nearest_first(file: str, given: tuple[str, ...]) -> list[str]:
    """All test files of an area: the one named for a file, those that import it, then the others."""
    module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    package, _, name = module.rpartition(".")
    imported = re.compile(rf"\b({re.escape(module)}|{re.escape(package)} import .*\b{name})\b")

    def distance(path: Path) -> int:
        return 0 if path.stem == f"test_{name}" else 1 if imported.search(path.read_text()) else 2

    return [path.relative_to(ROOT).as_posix() for path in sorted(files(given, "test_*.py"), key=distance)]


def files(places: tuple[str, ...], pattern: str = "*.py") -> list[Path]:
    """The files in some places, in the order of these and then of their names."""
    return [
        path
        for place in places
        for path in (sorted((ROOT / place).rglob(pattern)) if (ROOT / place).is_dir() else [ROOT / place])
    ]
