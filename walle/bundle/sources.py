"""Checks of Python sources without running them: that they compile, what they define and import."""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from walle.container.worker.config import TASK_LIBRARY
from walle.schema import Problems

MAX_SOURCE: Final = 2 * 1024 * 1024
# Guards under which an import may fail or never happens at run time.
_OPTIONAL: Final = (ast.Try, ast.TryStar)


@dataclass(frozen=True)
class SourceFault:
    """Why a source does not compile, and its line where that is known."""

    message: str
    line: int | None = None


Compiler = Callable[[str, bytes], SourceFault | None]
"""Compiles a source with a path; returns what is wrong with it, if anything is."""


def compile_here(path: str, source: bytes) -> SourceFault | None:
    """Compile a source in this process, without bounds: for whoever trusts it (else walle.bundle.compiling)."""
    return _fault(lambda: compile(source, path, "exec", dont_inherit=True))


def _fault(action: Callable[[], object]) -> SourceFault | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            action()
    except SyntaxError as error:
        return SourceFault(error.msg, error.lineno)
    except (ValueError, RecursionError, MemoryError) as error:
        return SourceFault(str(error) or "too deep nesting")
    return None


def parsed(path: str, source: bytes, problems: Problems, compiler: Compiler) -> ast.Module | None:
    """Return the syntax tree of a source; None if it does not compile, which is recorded as a problem with its line.

    Parsing takes time and memory in proportion to the source; compiling may not.
    """
    modules: list[ast.Module] = []
    fault = _fault(lambda: modules.append(ast.parse(source, path))) or compiler(path, source)
    if fault is not None:
        problems.say("", "Python that compiles", fault.message, line=fault.line)
        return None
    return modules[0]


def check_function(
    module: ast.Module, name: str, problems: Problems, parameters: tuple[str, ...] = ("inputs", "context")
) -> None:
    """Check that `name` is a plain function at the top of the module that accepts as many positional arguments."""
    wanted = f"a function {name}({', '.join(parameters)})"
    function = next((found for found in _definitions(module) if found.name == name), None)
    if function is None:
        if not _binds(module, name):
            problems.say("", wanted, f"no {name} in the module")
    elif isinstance(function, ast.AsyncFunctionDef):
        problems.say("", f"a plain function {name}", "an async function", line=function.lineno)
    elif not _accepts(function.args, len(parameters)):
        found = f"{name}({', '.join(_parameter_names(function.args))})"
        problems.say("", wanted, found, line=function.lineno)


def _definitions(module: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Return the functions at the top by name, the last definition first, which is the one that counts."""
    found = [node for node in module.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return reversed(found)


def _binds(module: ast.Module, name: str) -> bool:
    """Return whether a name is bound at the top in another way: imported from a helper module, or assigned."""
    for node in module.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            if any((alias.asname or alias.name) == name for alias in node.names):
                return True
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                return True
    return False


def _parameter_names(arguments: ast.arguments) -> Iterator[str]:
    yield from (argument.arg for argument in [*arguments.posonlyargs, *arguments.args])
    if arguments.vararg or arguments.kwonlyargs:
        yield f"*{arguments.vararg.arg if arguments.vararg else ''}"
    yield from (argument.arg for argument in arguments.kwonlyargs)
    if arguments.kwarg:
        yield f"**{arguments.kwarg.arg}"


def _accepts(arguments: ast.arguments, count: int) -> bool:
    positional = len(arguments.posonlyargs) + len(arguments.args)
    needed = positional - len(arguments.defaults)
    keywords_needed = sum(default is None for default in arguments.kw_defaults)
    return needed <= count and keywords_needed == 0 and (positional >= count or arguments.vararg is not None)


def check_imports(
    module: ast.Module,
    own: frozenset[str],
    declared: frozenset[str],
    problems: Problems,
    declaring: str = "requires.modules",
) -> None:
    """Check that imports from outside are declared, so that a device can refuse the task before it downloads it.

    Walle's own library for tasks need not be: a range of runtimes declares it (walle.bundle.validation).
    """
    for name, line in sorted(set(_imports(module)), key=lambda found: (found[1], found[0])):
        if name not in own | declared | sys.stdlib_module_names | {TASK_LIBRARY}:
            problems.say("", f"imports from the bundle, the standard library or {declaring}", name, line=line)


def imported_of_task_library(module: ast.Module) -> frozenset[str]:
    """Return what a module needs of walle_task, as walle_task or walle_task.<part>.

    Imports that may fail and those for typing do not count.
    """
    names = (name.split(".") for name, _ in _dotted_imports(module))
    return frozenset(".".join(parts[:2]) for parts in names if parts[0] == TASK_LIBRARY)


def _imports(module: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield the top-level names of absolute imports and their lines; not those that may fail or are for typing."""
    yield from ((name.partition(".")[0], line) for name, line in _dotted_imports(module))


def _dotted_imports(module: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield the same with their dotted names: of `from a import b`, a.b."""
    waiting: list[ast.AST] = [module]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level == 0 and node.module:
                yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)
        elif not isinstance(node, _OPTIONAL) and not _for_typing_only(node):
            waiting += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr)]


def _for_typing_only(node: ast.AST) -> bool:
    test = node.test if isinstance(node, ast.If) else None
    name = test.attr if isinstance(test, ast.Attribute) else test.id if isinstance(test, ast.Name) else ""
    return name == "TYPE_CHECKING"


def own_modules(paths: Mapping[str, object]) -> frozenset[str]:
    """Return the top-level modules and packages in the files of a bundle."""
    return frozenset(path.partition("/")[0].removesuffix(".py") for path in paths if path.endswith(".py"))
