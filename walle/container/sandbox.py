"""Runs tasks of bundles, one process each, behind the walls that the machine offers (docs/task-format.md).

`Sandbox.run` checks the inputs against the manifest, has the code run, and checks what came back. It may be
called from any number of threads at a time; `arun` is the same for asyncio.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Self

from walle.container import verdict
from walle.container.exchange import exchange
from walle.container.launching import SandboxLauncher, default_config
from walle.container.profile import Profile
from walle.container.result import INPUT_INVALID, SANDBOX_ERROR, RunResult, SandboxError, failure
from walle.container.runtime import Runtime
from walle.container.staging import grant_reading, staged
from walle.container.uids import DEFAULT_UIDS, UidPool
from walle.container.worker.config import EmulatedBuild, RunRequest
from walle.container.worker.wire import RUN, RUN_PRELOADED
from walle.protocol.values import check_values

_ANSWER_BEYOND_OUTPUT: Final = 128 * 1024


class Sandbox:
    """A place to run tasks on this machine.

    As root every run gets a user id of its own from `uids`; otherwise runs have the user of this process.
    `preload` are modules that the worker loads once for all the tasks that require them, which spares such a run
    their import; they must not start threads. `module_paths` replaces the folders where installed modules are
    looked for. `namespaces`, `seccomp` and `landlock` are off where the machine lacks them, and can be turned off.
    """

    def __init__(
        self,
        *,
        uids: range = DEFAULT_UIDS,
        preload: Sequence[str] = ("numpy",),
        module_paths: Sequence[str] | None = None,
        python: str = sys.executable,
        max_threads: int = 32,
        scratch_mb: int = 64,
        log_kb: int = 64,
        parallel: int | None = None,
        namespaces: bool = True,
        seccomp: bool = True,
        landlock: bool = True,
    ) -> None:
        self._preload = frozenset(preload)
        self._config = default_config(
            preload=tuple(preload),
            namespaces=namespaces,
            seccomp=seccomp,
            landlock=landlock,
            module_paths=module_paths,
        )
        self._launcher = SandboxLauncher(self._config, python)
        self._uids = UidPool(uids)
        self._max_threads, self._scratch_mb, self._log_bytes = max_threads, scratch_mb, log_kb * 1024
        self._executor = ThreadPoolExecutor(parallel or 2 * (os.cpu_count() or 1), "walle-sandbox")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Wait for the runs of `arun` and stop the worker; the sandbox cannot be used any more."""
        self._executor.shutdown()
        self._launcher.close()

    def missing(self) -> Mapping[str, str]:
        """Which of namespaces, seccomp and landlock this machine lacks, and why; raises SandboxError."""
        return self._launcher.reasons()

    def run(
        self,
        bundle: Path,
        manifest: Mapping[str, Any],
        inputs: Mapping[str, Any],
        *,
        profile: Profile | None = None,
    ) -> RunResult:
        """Run a task once.

        `bundle` is the folder of the installed bundle, `manifest` the manifest's payload. Inputs are JSON data;
        numpy arrays in them are accepted. With a `profile` the task finds no more than that app has. Never raises
        for what a task does; where the machine itself fails, the result is a failure of class `sandbox-error`.
        """
        try:
            runtime, values = Runtime.of(manifest), _plain(inputs)
            if mismatches := check_values(runtime.inputs, values):
                return failure(INPUT_INVALID, "; ".join(map(str, mismatches)))
            with self._request(bundle, runtime) as plain:
                request = plain if profile is None else _under(profile, plain)
                return self._carry_out(request, runtime, values)
        except (SandboxError, OSError, RecursionError) as error:
            return failure(SANDBOX_ERROR, str(error))

    async def arun(self, bundle: Path, manifest: Mapping[str, Any], inputs: Mapping[str, Any]) -> RunResult:
        """`run` without blocking the event loop; at most `parallel` at a time, the others wait."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, self.run, bundle, manifest, inputs)

    def _carry_out(self, request: RunRequest, runtime: Runtime, values: Mapping[str, Any]) -> RunResult:
        preloaded = not self._preload.isdisjoint(request.modules)
        found = exchange(
            lambda handles: self._launcher.fork(RUN_PRELOADED if preloaded else RUN, handles),
            request.to_json(),
            json.dumps(values).encode(),
            seconds=request.time_ms / 1000,
            answer_limit=request.output_kb * 1024 + _ANSWER_BEYOND_OUTPUT,
            log_limit=self._log_bytes,
        )
        return verdict.result_of(found, runtime)

    @contextmanager
    def _request(self, bundle: Path, runtime: Runtime) -> Iterator[RunRequest]:
        """The request of a run, with the user and the folders it needs for as long as it lasts."""
        if not bundle.is_dir():
            raise SandboxError(f"expected the folder of a bundle, found no {bundle}")
        private = "namespaces" not in self._launcher.reasons() and self._config.namespaces
        with self._user() as uid:
            if private:
                if uid is not None:
                    grant_reading(bundle)
                yield self._build(bundle, None, uid, runtime)
            else:
                with staged(bundle, uid) as (copy, scratch):
                    yield self._build(copy, scratch, uid, runtime)

    @contextmanager
    def _user(self) -> Iterator[int | None]:
        if os.geteuid() != 0:
            yield None
        else:
            with self._uids.lease() as uid:
                yield uid

    def _build(self, bundle: Path, scratch: Path | None, uid: int | None, runtime: Runtime) -> RunRequest:
        return RunRequest(
            bundle=str(bundle.resolve()),
            scratch=str(scratch) if scratch else None,
            uid=uid,
            entry_point=runtime.entry_point,
            modules=runtime.modules,
            tensors=runtime.tensors,
            metrics=runtime.metrics,
            fallbacks=runtime.fallbacks,
            time_ms=runtime.time_ms,
            memory_mb=runtime.memory_mb,
            output_kb=runtime.output_kb,
            max_threads=self._max_threads,
            scratch_mb=self._scratch_mb,
        )


def _under(profile: Profile, request: RunRequest) -> RunRequest:
    """The request of a run in an app of this profile."""
    most = request.memory_mb if profile.memory_mb is None else min(request.memory_mb, profile.memory_mb)
    tailoring = EmulatedBuild(profile.python, tuple(profile.modules), profile.without, profile.operators)
    return replace(request, memory_mb=most, tailoring=tailoring)


def _plain(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Inputs with their arrays as nested lists."""
    return {name: value.tolist() if hasattr(value, "tolist") else value for name, value in inputs.items()}
