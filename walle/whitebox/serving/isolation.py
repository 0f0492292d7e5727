"""Plans that made the serving process hang or crash: kept out, longer each time, also after a restart of everything."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

log = logging.getLogger(__name__)

FIRST_S: Final = 300.0
LONGEST_S: Final = 86_400.0


@dataclass(frozen=True)
class IsolatedPlan:
    """Why a plan is kept out, until when (Unix seconds), and how often that happened."""

    reason: str
    until: float
    times: int = 1


def isolated_again(before: IsolatedPlan | None, reason: str, now: float) -> IsolatedPlan:
    """Return the isolation of a plan that has just failed: five minutes, doubled each time up to a day."""
    times = before.times + 1 if before else 1
    return IsolatedPlan(reason, now + min(LONGEST_S, FIRST_S * 2.0 ** min(times - 1, 16)), times)


class IsolationFile:
    """The isolated plans by id, on disk; one that cannot be read counts as empty."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> dict[str, IsolatedPlan]:
        try:
            said = json.loads(self._path.read_bytes())
            return {str(plan): IsolatedPlan(**values) for plan, values in said.items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, AttributeError) as error:
            log.warning("%s cannot be read, no plan is isolated: %s", self._path, error)
            return {}

    def write(self, isolated: Mapping[str, IsolatedPlan]) -> None:
        """Replace the file, durably."""
        write_durably(self._path, json.dumps({plan: asdict(each) for plan, each in isolated.items()}).encode())


def write_durably(path: Path, content: bytes) -> None:
    """Replace a file as a whole: after a crash there is the old content or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    fsync_folder(path.parent)


def fsync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
