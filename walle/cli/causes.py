"""Group what went wrong in the cells of a simulation by its cause. Pure.

Samples fail for the same cause if their errors, messages and unmet expectations are the same; where a version fails in
many app versions and systems, people read that once. Addresses in memory, which differ by process, do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

Cell = Mapping[str, Any]
CLOUD_HALF: Final = "the cloud half"
"""What logs call the part of them that the cloud half wrote."""
WITHOUT_CAUSE: Final = frozenset({"passed", "pending"})
"""States of cells in which nothing went wrong, or not yet."""
NAMED: Final = 5
_ADDRESS: Final = re.compile(r"\b0x[0-9a-fA-F]{4,}")
_HEADER: Final = re.compile(r"^-- (.*)\n", re.MULTILINE)


@dataclass
class Cause:
    """Why cells ended as they did: `what` in a line or more, in which cells and samples, and the distinct logs."""

    state: str
    what: str
    cells: list[Cell] = field(default_factory=list)
    samples: list[str] = field(default_factory=list)
    logs: list[str] = field(default_factory=list)

    def add(self, cell: Cell, sample: str | None, log: str) -> None:
        if not any(known is cell for known in self.cells):
            self.cells.append(cell)
        if sample is not None and sample not in self.samples:
            self.samples.append(sample)
        if log and _same(log) not in map(_same, self.logs):
            self.logs.append(log)


def causes_of(cells: Iterable[Cell]) -> list[Cause]:
    """Return the causes of all cells that did not pass: those of the most cells first, failures before the rest."""
    found: dict[tuple[str, str], Cause] = {}
    for cell in cells:
        if cell["state"] in WITHOUT_CAUSE:
            continue
        for what, sample, log in _parts(cell):
            found.setdefault((cell["state"], _same(what)), Cause(cell["state"], what)).add(cell, sample, log)
    return sorted(found.values(), key=lambda cause: (cause.state == "excluded", -len(cause.cells)))


def _parts(cell: Cell) -> Iterator[tuple[str, str | None, str]]:
    """Yield what went wrong in a cell: for each failed sample its error, its name and its log; else the sentence."""
    logs = log_sections(cell)
    failed = [sample for sample in cell["samples"] if not sample["passed"]]
    for sample in failed:
        yield _error(sample), sample["name"], logs.get(sample["name"], "")
    if not failed or CLOUD_HALF in logs:
        yield cell["sentence"], None, logs.get(CLOUD_HALF, "")


def _error(sample: Mapping[str, Any]) -> str:
    if sample["error_class"]:
        return f"{sample['error_class']}: {sample['message'] or 'without a message'}"
    return "\n".join(sample["mismatches"]) or "it did not meet what was expected"


def log_sections(cell: Cell) -> dict[str, str]:
    """Return the log of a cell by sample; a line of a task's own that looks like a heading begins no section."""
    names = {sample["name"] for sample in cell["samples"]} | {CLOUD_HALF}
    logs = cell["logs"]
    heads = []
    for head in _HEADER.finditer(logs):
        if head[1] in names:
            names.discard(head[1])
            heads.append(head)
    ends = [*(head.start() for head in heads), len(logs)][1:]
    return {head[1]: logs[head.end() : end].rstrip() for head, end in zip(heads, ends, strict=True)}


def _same(text: str) -> str:
    """Return a text as it is compared with others."""
    return _ADDRESS.sub("0x", text)


def which_cells(cells: Sequence[Cell], of: int) -> str:
    """Say which cells: `2 of 6 cells: app 1.0.0 on android 13, 14`; app versions with the same systems share a part."""
    by_version: dict[str, dict[str, list[str]]] = {}
    for cell in cells:
        by_version.setdefault(cell["app_version"], {}).setdefault(cell["os"], []).append(cell["os_version"])
    by_systems: dict[str, list[str]] = {}
    for version, systems in by_version.items():
        on = ", ".join(f"{os} {', '.join(versions)}" for os, versions in systems.items())
        by_systems.setdefault(on, []).append(version)
    where = "; ".join(f"app {', '.join(versions)} on {on}" for on, versions in by_systems.items())
    if len(cells) == of and of > 1:
        return f"all {of} cells: {where}"
    return f"{len(cells)} of {of} cells: {where}" if of > 1 else where


def which_samples(names: Sequence[str]) -> str:
    """Say which samples: `3 samples: dark, bright, empty`."""
    if len(names) == 1:
        return f"sample {names[0]}"
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{len(names)} samples: {', '.join(names[:NAMED])}{more}"
