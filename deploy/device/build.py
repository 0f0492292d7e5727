"""Builds the wheel that devices install, into a folder.

python deploy/device/build.py dist
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def build(folder: Path) -> None:
    """Write the wheel. It is built from a copy, so that no files of an earlier build get into it."""
    with TemporaryDirectory() as name:
        source = Path(name)
        for package in ("walle", "walle_task"):
            shutil.copytree(ROOT / package, source / package, ignore=shutil.ignore_patterns("__pycache__"))
        for file in ("pyproject.toml", "README.md"):
            shutil.copy(HERE / file, source / file)
        shutil.copy(ROOT / "LICENSE", source / "LICENSE")
        command = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, source)
        subprocess.run(command, check=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} FOLDER")
    build(Path(sys.argv[1]))
