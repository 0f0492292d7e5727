"""The validation of a tree of files as a task that can be released.

Order of the checks: the paths and sizes of all entries; task.toml; then, against the valid parts of it, the entry point
and the sources, the samples and the exclusive files; the rules of its kind; pointers of Git LFS. Nothing is imported or
executed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from walle.bundle import kinds, sources
from walle.bundle.bytecode import COMPILED, Bytecode, compiled_path, is_source
from walle.bundle.globs import is_excluded
from walle.bundle.model_keys import model_warnings
from walle.bundle.models import BundleModels
from walle.bundle.spec import TASK_FILE, Sample, TaskSpec
from walle.bundle.stream_rules import trigger_warnings
from walle.bundle.taskfile import parse_task
from walle.bundle.tree import FileTree, TreeEntry
from walle.bundle.tree_listing import TreeLimits, is_readable, listing
from walle.bundle.tunnel_keys import CLOUD_FOLDER, cloud_files, upload_warnings
from walle.bundle.workflows.task_keys import DEVICE_FOLDER
from walle.container.worker.config import STANDARD_APIS, TASK_LIBRARY
from walle.protocol.kinds import WORKFLOW
from walle.protocol.names import (
    MAX_BUNDLE_PATH,
    RUNTIME_BEFORE_STREAMS,
    RUNTIMES_BEFORE_STANDARD_APIS,
    STANDARD_APIS_RUNTIME,
    STREAM_RUNTIME,
    SemVer,
    VersionRange,
    check_bundle_path,
    is_valid,
)
from walle.protocol.values import check_values
from walle.schema import Malformed, Problem, Problems, read_json
from walle.schema.values import shown
from walle.stream.session_samples import MAX_SESSION_BYTES, parse_sample_session

MAX_SAMPLE: Final = 8 * 1024 * 1024
MAX_SESSIONS: Final = 16 * 1024 * 1024
"""Of all sessions of a task together, in bytes."""
MAX_COMPILED_SOURCES: Final = 16 * 1024 * 1024
_LFS_POINTER: Final = b"version https://git-lfs.github.com/spec/"
_LONGEST_POINTER: Final = 1024


@dataclass(frozen=True)
class BundleValidation:
    """The result for one tree. `spec` is None if there are problems; `files` are those sent to devices, sorted.

    `cloud` are those of the cloud half, which stay in the cloud. `bytecode` is what is sent in the place of sources,
    once it is compiled (walle.bundle.compiling); `models` are there once they are imported (walle.bundle.models).
    """

    problems: tuple[Problem, ...]
    files: tuple[TreeEntry, ...]
    spec: TaskSpec | None
    bytecode: Bytecode | None = None
    cloud: tuple[TreeEntry, ...] = ()
    models: BundleModels = field(default_factory=BundleModels)

    @property
    def ok(self) -> bool:
        return self.spec is not None

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is valid, but hardly meant, in whole sentences."""
        if self.spec is None:
            return ()
        requires = self.spec.requires
        paths = [file.path for file in self.files]
        return (
            *trigger_warnings(self.spec.trigger, requires),
            *upload_warnings(self.spec.upload, requires),
            *model_warnings(self.spec.models, paths, self.spec.modules),
        )

    def travels_as_it_is(self, path: str) -> bool:
        """Return whether devices get a file itself, and nothing that was made of it."""
        return not (self.models.replaces(path) or (self.bytecode is not None and is_source(path)))


def validate_tree(
    tree: FileTree,
    limits: TreeLimits | None = None,
    known: kinds.Kinds | None = None,
    compiler: sources.Compiler = sources.compile_here,
) -> BundleValidation:
    """Check a tree completely, as a task of one of the `known` kinds (by default all of KINDS).

    What its kind asks for is checked once paths and sizes of all files are as they must be. `compiler` compiles its
    sources: whoever checks those of strangers brings one that has bounds.

    Problems are returned; only errors of reading the tree itself are raised.
    """
    limits = limits or TreeLimits()
    entries, problems, complete = listing(tree, limits)
    if not complete:
        return BundleValidation(tuple(problems), (), None)
    bundle = _Bundle(tree, {entry.path: entry for entry in entries if is_readable(entry, limits)})
    sound = not problems
    problems += bundle.check(compiler)
    if sound and TASK_FILE in bundle.readable:
        problems += (known or kinds.KINDS).check(bundle.spec, tree)
    problems += _lfs_pointers(tree, (*bundle.travelling, *bundle.cloud))
    unique = tuple(dict.fromkeys(problems))
    return BundleValidation(unique, bundle.travelling, None if unique else bundle.spec, cloud=bundle.cloud)


def _lfs_pointers(tree: FileTree, files: Iterable[TreeEntry]) -> Iterator[Problem]:
    """Yield the files of which the tree has only a Git LFS pointer: devices would get that instead of the model."""
    for file in files:
        if file.size < _LONGEST_POINTER and tree.read(file.path).startswith(_LFS_POINTER):
            yield Problem(file.path, "", "the file itself", "a Git LFS pointer", hint="push it as an ordinary file")


def _session_problems(path: str, content: bytes) -> tuple[Problem, ...]:
    try:
        parse_sample_session(content, path)
    except Malformed as error:
        return error.problems
    return ()


class _Bundle:
    """The readable files of a tree, checked against its task.toml."""

    def __init__(self, tree: FileTree, readable: dict[str, TreeEntry]) -> None:
        self._tree = tree
        self.readable = readable
        self.spec = TaskSpec()
        self._inputs_sound = False
        self._importing: dict[str, str] = {}
        self._sessions: dict[str, tuple[Problem, ...]] = {}
        self._shared: dict[str, TreeEntry] = {}
        self.cloud: tuple[TreeEntry, ...] = ()

    @property
    def travelling(self) -> tuple[TreeEntry, ...]:
        return tuple(self._shared[path] for path in sorted(self._shared))

    def check(self, compiler: sources.Compiler) -> Iterator[Problem]:
        if TASK_FILE not in self.readable:
            yield Problem(TASK_FILE, "", "this file at the top of the tree", "nothing")
            return
        task_file = parse_task(self._tree.read(TASK_FILE))
        self.spec = self._placed(task_file.sound)
        self._inputs_sound = not any(f"{problem.field}.".startswith("inputs.") for problem in task_file.problems)
        half = cloud_files(self.readable) if self.spec.cloud else ()
        self.cloud = tuple(self.readable[path] for path in half)
        self._shared = {
            path: entry for path, entry in self.readable.items() if path not in half and self._travels(path)
        }
        yield from task_file.problems
        yield from self._check_sources(compiler)
        yield from self._check_task_library(task_file.problems)
        yield from self._check_cloud(compiler)
        for sample in self.spec.samples:
            yield from self._check_sample(sample)
        yield from self._check_exclusive()
        if not self.spec.source:
            yield from self._check_compilable()

    def _placed(self, spec: TaskSpec) -> TaskSpec:
        """The spec of a workflow as its halves have it; any other as it is."""
        if spec.kind != WORKFLOW:
            return spec
        from walle.bundle.workflows.checking import placed_spec  # loads the placement engine

        return placed_spec(spec, self._tree)

    def _travels(self, path: str) -> bool:
        """Whether devices get a file that is not of the cloud half: of a workflow, those of their half."""
        if self.spec.kind == WORKFLOW:
            return bool(self.spec.placement) and path.startswith(DEVICE_FOLDER)
        return not is_excluded(self.spec.exclude, path)

    def _check_sources(self, compiler: sources.Compiler) -> Iterator[Problem]:
        module, _, function = self.spec.entry_point.partition(":")
        path = self._module_path(module)
        own = sources.own_modules(self._shared) | self._modules_of_half(self._shared, DEVICE_FOLDER)
        declared = frozenset(name.partition(".")[0] for name in self.spec.modules)
        for source in filter(is_source, self._shared):
            problems = Problems(source)
            if self._shared[source].size > sources.MAX_SOURCE:
                problems.say("", f"a source of at most {sources.MAX_SOURCE} bytes", f"{self._shared[source].size}")
                parsed = None
            else:
                parsed = sources.parsed(source, self._tree.read(source), problems, compiler)
            if parsed is not None:
                sources.check_imports(parsed, own, declared, problems)
                for name in sources.imported_of_task_library(parsed):
                    self._importing.setdefault(name, source)
                if source == path:
                    sources.check_function(parsed, function, problems)
            yield from problems.all
        if module and path is None:
            name = module.replace(".", "/")
            found = "only files that do not travel" if self._excluded_module(name) else "neither"
            yield Problem(TASK_FILE, "task.entry_point", f"{name}.py or {name}/__init__.py in the bundle", found)

    def _modules_of_half(self, paths: Iterable[str], folder: str) -> frozenset[str]:
        """The modules of a workflow's half: its runtime imports them from the half's folder, not from above it."""
        if self.spec.kind != WORKFLOW:
            return frozenset()
        return sources.own_modules({path.removeprefix(folder): None for path in paths})

    def _check_task_library(self, found: Collection[Problem]) -> Iterator[Problem]:
        """What stands against importing Walle's library for tasks, which devices have or have not by their runtime."""
        problems = Problems(TASK_FILE)
        for path in self._shared:
            if path.partition("/")[0].removesuffix(".py") == TASK_LIBRARY:
                yield Problem(path, "", f"another name than {TASK_LIBRARY}, which is Walle's", "it")
        if TASK_LIBRARY in self.spec.modules:
            expected = f"no {TASK_LIBRARY}, which every device of requires.runtime has"
            problems.say("requires.modules", expected, "it")
        sound = not any(f"{problem.field}.".startswith("requires.") for problem in found)
        if self.spec.models:
            self._importing.setdefault(f"{TASK_LIBRARY}.tensor", f"[models] of {TASK_FILE}")
        if self._importing and sound:
            self._check_imported(problems)
        yield from problems.all

    def _check_imported(self, problems: Problems) -> None:
        """Record that devices may have a runtime without the imported parts of Walle's library, or be without NumPy."""
        apis = [name for name in STANDARD_APIS if name in self._importing]
        name = apis[0] if apis else TASK_LIBRARY
        source = self._importing[name] if apis else next(iter(self._importing.values()))
        runtime = STANDARD_APIS_RUNTIME if apis else STREAM_RUNTIME
        before = RUNTIMES_BEFORE_STANDARD_APIS if apis else (RUNTIME_BEFORE_STREAMS,)
        wanted = self.spec.requires.get("runtime")
        if wanted is None or any(VersionRange.parse(wanted).allows(SemVer.parse(each)) for each in before):
            expected = f'a range such as ">={runtime}", as {source} imports {name}'
            problems.say("requires.runtime", expected, "nothing" if wanted is None else shown(wanted))
        if apis and "numpy" not in self.spec.modules:
            problems.say("requires.modules", f"numpy, as {source} imports {name}", shown(list(self.spec.modules)))

    def _check_cloud(self, compiler: sources.Compiler) -> Iterator[Problem]:
        """What stands against the cloud half: no main file, sources that do not compile or import what is not there."""
        half = self.spec.cloud
        if half is None:
            return
        paths = {entry.path: entry for entry in self.cloud}
        own = sources.own_modules(paths) | self._modules_of_half(paths, CLOUD_FOLDER)
        declared = frozenset(name.partition(".")[0] for name in half.modules)
        for entry in (one for one in self.cloud if is_source(one.path)):
            problems = Problems(entry.path)
            if entry.size > sources.MAX_SOURCE:
                problems.say("", f"a source of at most {sources.MAX_SOURCE} bytes", f"{entry.size}")
            elif parsed := sources.parsed(entry.path, self._tree.read(entry.path), problems, compiler):
                sources.check_imports(parsed, own, declared, problems, "cloud.modules")
                if entry.path == half.main:
                    sources.check_function(parsed, "answer", problems, ("features",))
            yield from problems.all
        if half.main not in self.readable:
            yield Problem(TASK_FILE, "cloud.main", "a file of the tree", f"no {half.main}")

    def _module_path(self, module: str) -> str | None:
        name = module.replace(".", "/")
        return next((path for path in (f"{name}.py", f"{name}/__init__.py") if path in self._shared), None)

    def _excluded_module(self, name: str) -> bool:
        return f"{name}.py" in self.readable or f"{name}/__init__.py" in self.readable

    def _check_session(self, sample: Sample) -> Iterator[Problem]:
        path, field, problems = str(sample.session), f"{sample.where}.session", Problems(TASK_FILE)
        if self._has(path, field, MAX_SESSION_BYTES, problems) and path not in self._sessions:
            total = sum(self.readable[one].size for one in {*self._sessions, path})
            if total > MAX_SESSIONS:
                problems.say(field, f"different sessions of at most {MAX_SESSIONS} bytes together", f"{total} bytes")
            else:
                self._sessions[path] = _session_problems(path, self._tree.read(path))
        yield from [*problems.all, *self._sessions.get(path, ())]

    def _has(self, path: str, field: str, most: int, problems: Problems) -> bool:
        """Whether the tree has a file that a sample names, of so many bytes at most; problems with it are recorded."""
        entry = self.readable.get(path)
        if entry is None:
            problems.say(field, "a file of the tree", f"no {path}")
        elif entry.size > most:
            problems.say(field, f"a file of at most {most} bytes", f"{entry.size} bytes")
        return entry is not None and entry.size <= most

    def _check_sample(self, sample: Sample) -> Iterator[Problem]:
        if sample.session is not None:
            yield from self._check_session(sample)
            return
        problems = Problems(TASK_FILE)
        inputs: Any = sample.input
        field = f"{sample.where}.input"
        if isinstance(sample.input, str):
            inputs = self._sample_file(sample, problems)
            problems_of_values, field = Problems(sample.input), ""
        else:
            problems_of_values = problems
        if self._inputs_sound and not problems.found:
            for mismatch in check_values(self.spec.inputs, inputs, field):
                problems_of_values.say(mismatch.field, mismatch.expected, mismatch.found)
        yield from dict.fromkeys([*problems.all, *problems_of_values.all])

    def _sample_file(self, sample: Sample, problems: Problems) -> object:
        """Return the JSON that a sample names; problems with it are recorded."""
        path, field = str(sample.input), f"{sample.where}.input"
        if self._has(path, field, MAX_SAMPLE, problems):
            try:
                return read_json(self._tree.read(path), path, MAX_SAMPLE)
            except Malformed as error:
                problems.say(field, f"JSON in {path}", error.problems[0].found)
        return None

    def _check_exclusive(self) -> Iterator[Problem]:
        folded = {path.casefold(): path for path in self._shared}
        problems = Problems(TASK_FILE)
        for file in self.spec.exclusive:
            field = f"files.exclusive ({file.path})"
            if file.default is not None and file.default not in self._shared:
                known = file.default in self.readable
                problems.say(
                    f"{field}.default", "a file that travels", "an excluded file" if known else f"no {file.default}"
                )
            if file.path.casefold() in folded:
                shared = folded[file.path.casefold()]
                problems.say(f"{field}.path", "a path that no shared file has", f"{shared}")
        yield from problems.all

    def _check_compilable(self) -> Iterator[Problem]:
        """What stands against bytecode in the place of sources: whatever would be code that no reviewer reads."""
        found = [path for path in self._shared if is_source(path)]
        total = sum(self._shared[path].size for path in found)
        if total > MAX_COMPILED_SOURCES:
            expected = f"at most {MAX_COMPILED_SOURCES} bytes of sources to compile"
            yield Problem(TASK_FILE, "files.source", expected, f"{total} bytes")
        for path in found:
            if not is_valid(check_bundle_path, compiled_path(path)):
                yield Problem(path, "", f"a path of at most {MAX_BUNDLE_PATH - 1} characters", f"{len(path)}")
        exclusive = [one.path for one in self.spec.exclusive]
        for path in [*self._shared, *exclusive]:
            if any(part.casefold().endswith(COMPILED) for part in path.split("/")):
                yield Problem(path, "", "no bytecode beside that of the registered sources", "a name in .pyc")
        for path in exclusive + [one.default for one in self.spec.exclusive if one.default]:
            if is_source(path):
                expected = "no source as an exclusive file or its default, as source = false"
                yield Problem(TASK_FILE, f"files.exclusive ({path})", expected, "a name in .py")
