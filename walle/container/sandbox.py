"""Runs tasks of bundles with the isolation that the machine offers (docs/task-format.md).

`Sandbox.run` checks the inputs against the manifest, has the code run, and checks what came back. Each run is a new
VM, unless the task asks to be kept: then its VM waits for the next run, with what it has loaded. `run` may be called
from any number of threads at a time; `arun` is the same for asyncio.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Self

from walle.container import calibration, verdict
from walle.container.calibration import Calibration
from walle.container.inputs import InputInvalid, opened_inputs
from walle.container.launching import SandboxLauncher, default_config
from walle.container.pool import VMPool, VMSlot
from walle.container.profile import Profile
from walle.container.result import INPUT_INVALID, SANDBOX_ERROR, RunResult, SandboxError, failure
from walle.container.runtime import Runtime
from walle.container.staging import grant_reading, staged
from walle.container.tensors import OutputMemory, slots_of
from walle.container.uids import DEFAULT_UIDS, UidPool
from walle.container.vm import RunInputs, TaskVM
from walle.container.worker.config import EmulatedBuild, VMRequest
from walle.container.worker.linux import IS_LINUX
from walle.container.worker.wire import RUN, RUN_PRELOADED

# Of the machine's memory, idle VMs take this part at most.
_KEPT_PART: Final = 1 / 8
# Each also takes a user id, four handles of this program and three processes.
_MOST_KEPT: Final = 128


@dataclass(frozen=True)
class _VMKey:
    """What runs have in common that may take the same VM: each installed version has a folder of its own, on each
    device."""

    bundle: str
    folder: tuple[int, int, int]
    profile: str
    arrays: bool

    @classmethod
    def of(cls, bundle: Path, profile: Profile | None, arrays: bool) -> Self:
        try:
            found = os.stat(bundle)
        except FileNotFoundError as error:
            raise SandboxError(f"expected the folder of a bundle, found no {bundle}") from error
        folder = (found.st_dev, found.st_ino, found.st_mtime_ns)
        return cls(str(bundle), folder, repr(profile), arrays)


class Sandbox:
    """A place to run tasks on this machine.

    As root every VM gets a user id of its own from `uids`; otherwise VMs have the user of this process.
    `preload` are modules that the worker loads once for all the tasks that require them, which spares their VMs
    the import; they must not start threads. `module_paths` replaces the folders where installed modules are
    looked for. `namespaces`, `seccomp` and `landlock` are off where the machine lacks them, and can be turned off.
    How fast models run on this machine is measured before the first run of a task that declares some, and kept in
    `calibration_folder`, or without one for as long as this sandbox is there.
    Idle VMs take no more than `kept_mb` mebibytes of memory together, by default an eighth of what the machine has,
    and no more than half of `uids`; they are 128 at most.

    `beside_app` is for devices: VMs are started on the first half of the processors, and tasks that run periodically
    stay there. The other half is left to the app, and to tasks that something waits for.
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
        kept_mb: float | None = None,
        beside_app: bool = False,
        calibration_folder: Path | None = None,
        namespaces: bool = True,
        seccomp: bool = True,
        landlock: bool = True,
    ) -> None:
        self._preload = frozenset(preload)
        self._processors, self._shared = _processors() if beside_app else ((), ())
        self._config = default_config(
            preload=tuple(preload),
            namespaces=namespaces,
            seccomp=seccomp,
            landlock=landlock,
            module_paths=module_paths,
            processors=self._shared,
        )
        self._launcher = SandboxLauncher(self._config, python)
        self._uids = UidPool(uids)
        self._max_threads, self._scratch_mb, self._log_bytes = max_threads, scratch_mb, log_kb * 1024
        most_mb = _machine_mb() * _KEPT_PART if kept_mb is None else kept_mb
        self._pool = VMPool(most_mb, min(_MOST_KEPT, len(uids) // 2))
        digest = partial(calibration.digest_of_machine, self._config.module_paths, self._shared)
        self._calibration = Calibration(calibration_folder, digest)
        self._executor = ThreadPoolExecutor(parallel or 2 * (os.cpu_count() or 1), "walle-sandbox")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Wait for the runs of `arun`, end the VMs and stop the worker; the sandbox cannot be used any more."""
        self._executor.shutdown()
        self._pool.end(lambda _: True, "closed")
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
        arrays: bool = False,
        answered: Callable[[RunResult], None] | None = None,
    ) -> RunResult:
        """Run a task once.

        `bundle` is the folder of the installed bundle, `manifest` the manifest's payload. Inputs are JSON data; numpy
        arrays and `SharedTensor`s are accepted for tensors. With a `profile` the task finds no more than that app has.
        With `arrays` the output tensors whose lengths are declared, and that fit in the task's limit of memory, come as
        read-only numpy arrays, in memory that the task wrote to and that its next run writes to again: copy what is to
        last. `answered` is given the result, without `held_mb`, as soon as it is known, while a kept VM is still to be
        made ready for its next run. Never raises for what a task does; where the machine itself fails, the result is a
        failure of class `sandbox-error`.
        """
        try:
            runtime = Runtime.of(manifest)
            with opened_inputs(runtime, inputs) as ready:
                start = partial(self._start, bundle, runtime, profile, arrays=arrays)
                if runtime.keeping is not None and IS_LINUX:
                    with self._pool.slot(_VMKey.of(bundle, profile, arrays)) as slot:
                        return _run_kept(slot, start, ready, runtime, answered)
                with closing(start()) as vm:
                    return verdict.result_of(vm.run(ready), runtime, vm.outputs)
        except InputInvalid as error:
            return failure(INPUT_INVALID, str(error))
        except (SandboxError, OSError, RecursionError) as error:
            return failure(SANDBOX_ERROR, str(error))

    async def arun(
        self, bundle: Path, manifest: Mapping[str, Any], inputs: Mapping[str, Any], *, arrays: bool = False
    ) -> RunResult:
        """`run` without blocking the event loop; at most `parallel` at a time, the others wait.

        Returns as soon as the result is known, without `held_mb`.
        """
        result: Future[RunResult] = Future()
        result.set_running_or_notify_cancel()  # whoever stops waiting does not stop the run
        run = partial(self.run, bundle, manifest, inputs, arrays=arrays, answered=result.set_result)
        self._executor.submit(_resolve, result, run)
        return await asyncio.wrap_future(result)

    def relieve(self, bytes_wanted: int) -> int:
        """End idle VMs, the largest first, until about so many bytes of memory are given back; those that were."""
        return int(self._pool.relieve(bytes_wanted / 2**20) * 2**20)

    def end(self, bundle: Path) -> None:
        """End the VMs of a bundle that is not run any more, after their run if they have one now."""
        self._pool.end(lambda key: isinstance(key, _VMKey) and key.bundle == str(bundle), "replaced")

    def _start(self, bundle: Path, runtime: Runtime, profile: Profile | None, *, arrays: bool) -> TaskVM:
        """A new VM, with the user and the folders it needs for as long as it lives."""
        if not bundle.is_dir():
            raise SandboxError(f"expected the folder of a bundle, found no {bundle}")
        known = self._calibration.known(self._calibrate) if runtime.models else {}
        private = "namespaces" not in self._launcher.reasons() and self._config.namespaces
        with ExitStack() as stack:
            uid = stack.enter_context(self._uids.lease()) if os.geteuid() == 0 else None
            scratch = None
            if not private:
                bundle, scratch = stack.enter_context(staged(bundle, uid))
            elif uid is not None:
                grant_reading(bundle)
            request = replace(self._request(bundle, scratch, uid, runtime, arrays=arrays), calibration=known)
            if profile is not None:
                request = _under(profile, request)
            outputs = stack.enter_context(closing(OutputMemory(request.slots))) if request.slots else None
            preloaded = not self._preload.isdisjoint(request.modules)
            fork = partial(self._launcher.fork, RUN_PRELOADED if preloaded else RUN)
            return TaskVM(fork, request, outputs, stack.pop_all(), log_limit=self._log_bytes)

    def _calibrate(self) -> RunResult:
        with tempfile.TemporaryDirectory(prefix="walle-calibration-") as nothing:
            return self.run(Path(nothing), calibration.MANIFEST, {})

    def _request(
        self, bundle: Path, scratch: Path | None, uid: int | None, runtime: Runtime, *, arrays: bool
    ) -> VMRequest:
        keeping = runtime.keeping if IS_LINUX else None
        shares = arrays and IS_LINUX and "numpy" in runtime.modules
        return VMRequest(
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
            keep=keeping is not None,
            idle_s=keeping.idle_s if keeping else 0.0,
            held_mb=keeping.held_mb if keeping else 0,
            nice=runtime.nice,
            processors=self._processors if runtime.waited_for else self._shared,
            slots=slots_of(runtime.outputs, runtime.memory_mb * 2**20) if shares else {},
            models=runtime.models,
        )


def _resolve(result: Future[RunResult], run: Callable[[], RunResult]) -> None:
    """Carry out a run, and set its result unless the run has done so."""
    try:
        found = run()
    except BaseException as error:
        if not result.done():
            result.set_exception(error)
        raise
    if not result.done():
        result.set_result(found)


def _run_kept(
    slot: VMSlot,
    start: Callable[[], TaskVM],
    inputs: RunInputs,
    runtime: Runtime,
    answered: Callable[[RunResult], None] | None,
) -> RunResult:
    """A run in the slot's VM, or in a new one that stays there if nothing speaks against it."""
    if slot.vm is not None:
        if slot.runtime != runtime:
            slot.end("replaced")
        elif ended := slot.vm.reason_of_end():
            slot.end(ended)
    if slot.vm is None:
        slot.runtime, slot.vm = runtime, start()
    vm = slot.vm
    warm = vm.runs > 0
    try:
        found = vm.run(inputs)
        if vm.outputs is not None:
            vm.settle(found)  # until it is stopped, a task could change tensors that were checked
        result = verdict.result_of(found, runtime, vm.outputs)
        if found.took_place:
            result = replace(result, start="warm" if warm else "cold", vm_end=slot.take_end())
            if answered is not None:
                answered(result)
        ended = vm.settle(found)
    except BaseException:
        slot.end("failed")
        raise
    if not found.took_place:
        slot.end(ended)
        return _run_kept(slot, start, inputs, runtime, answered)
    if ended or not result.ok:
        slot.end(ended if result.ok else "failed")
    return replace(result, held_mb=vm.held_mb)


def _under(profile: Profile, request: VMRequest) -> VMRequest:
    """The request of a VM in an app of this profile."""
    most = request.memory_mb if profile.memory_mb is None else min(request.memory_mb, profile.memory_mb)
    build = EmulatedBuild(profile.python, profile.importable, profile.left_out, profile.operators)
    return replace(request, memory_mb=most, build=build)


def _processors() -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The processors of this process, and the first half of them; phones have their slow ones there."""
    if not IS_LINUX:
        return (), ()
    found = tuple(sorted(os.sched_getaffinity(0)))
    return found, found[: max(1, len(found) // 2)]


def _machine_mb() -> float:
    """The memory of this machine, in mebibytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**20
