"""The cloud halves that this process calls: where their files lie, and the sandbox in which they run."""

import shutil
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from django.conf import settings

from tasks_app.models import TaskVersion
from tasks_app.services.bundles import half_of, lay_out_cloud
from walle.container.cloud_half import BatchAnswers, ask
from walle.container.result import SandboxError
from walle.container.sandbox import Sandbox
from walle.container.simulator import Simulator

_FOLDER: Final = "cloud-halves"


class CloudHalves:
    """Calls the cloud halves of versions, from any number of threads at a time."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._simulator = Simulator(sandbox)
        self._laying_out = threading.Lock()

    def ask(self, version: TaskVersion, features: Sequence[Mapping[str, Any]]) -> BatchAnswers:
        """Ask the cloud half of a version that has one about at most MAX_BATCH features.

        Raises SandboxError where this machine cannot isolate it, RepositoryError where git has lost its files.
        """
        if problem := self._simulator.missing_isolation():
            raise SandboxError(problem)
        return ask(self._sandbox.run, self._folder(version), half_of(version), features)

    def _folder(self, version: TaskVersion) -> Path:
        """Return where the files of a version lie: for all processes of this machine, once one needs them."""
        above = Path(settings.WALLE_DATA_DIR) / _FOLDER
        folder = above / version.manifest_digest
        with self._laying_out:
            if not folder.exists():
                above.mkdir(mode=0o700, exist_ok=True)
                fresh = Path(tempfile.mkdtemp(dir=above))
                lay_out_cloud(version, fresh)
                try:
                    fresh.rename(folder)
                except OSError:
                    # Another process was faster.
                    shutil.rmtree(fresh)
        return folder


@cache
def cloud_halves() -> CloudHalves:
    """Return the cloud halves of this process."""
    return CloudHalves(Sandbox())
