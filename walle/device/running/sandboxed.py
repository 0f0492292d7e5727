"""The executor of real and emulated devices: it runs tasks in the compute container."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from walle.container.sandbox import Sandbox
from walle.device.running.runner import Execution
from walle.device.running.tailored import message_of
from walle.protocol.documents import Manifest


class SandboxExecutor:
    """Runs bundles in a sandbox, which may be shared by many devices."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    async def __call__(self, bundle: Path, manifest: Manifest, inputs: Mapping[str, Any]) -> Execution:
        result = await self._sandbox.arun(bundle, manifest.values, inputs)
        return Execution(
            output=result.output,
            metrics=result.metrics,
            duration_ms=result.duration_ms,
            peak_memory_kb=result.peak_memory_kb,
            error_class=result.error_class if not result.ok else None,
            message=message_of(result, Path(sys.prefix)),
            start=result.start,
            vm_end=result.vm_end,
            backends=result.backends,
            cpu_ms=result.cpu_ms,
        )

    async def end(self, bundle: Path) -> None:
        """End the VM of a bundle that is not current any more, after its run if it has one now."""
        await asyncio.to_thread(self._sandbox.end, bundle)
