"""Claim: a build of walle-device with only what its tasks need takes much less than the whole, and costs nothing.

What each part takes (interpreter, standard library, walle-device, each package), whole and in a build that
`walle device package` makes: for a task that needs no package, and for the examples, which need numpy; in bytes,
compressed too. Whole is what is installed, in sources, without caches, the standard library's tests and debuggers'
sections. Then, in turns, whole and tailored: how long `import walle.device.embedding` takes in a new process, and the
memory that the process has for itself when it rests after it (USS), with numpy too. With each extra that walle-device declares, if any,
also what it adds. A ratio of sizes is whole to tailored; one of times is the median over rounds, with its interval.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks.support.harness import Benchmark, Dimension
from benchmarks.support.outcome import Target
from benchmarks.support.ratios import Ratio
from benchmarks.support.walle import ROOT
from walle.cli.commands.device.trial import prepare
from walle.packaging.inventory import INTERPRETER, STANDARD_LIBRARY, WALLE
from walle.packaging.making import InstalledTask, TailoredBuild, make_build
from walle.packaging.writing import Size, program_of
