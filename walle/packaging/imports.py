"""What a module imports, read from its source; nothing is executed.

What only type checkers or Windows import and what happens only in a program (`if __name__ == "__main__"`) does not
count. Imports inside functions, and those in the place of others that failed, are read if `whole` is asked for. Names
that are loaded by text count if the text is a constant.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Final

_BY_NAME: Final = frozenset({"import_module", "__import__"})
_LATER: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# Conditions as `ast.unparse` writes them, of what does not happen on a device.
_NEVER: Final = (
    *("TYPE_CHECKING", "typing.TYPE_CHECKING", "__name__ == '__main__'"),
    *("sys.platform == 'win32'", "sys.platform.startswith('win')", "os.name == 'nt'", "_os.name == 'nt'"),
)


class UnreadableSource(ValueError):
    """A source that this interpreter cannot parse."""


def imports_in(source: bytes, module: str, *, is_package: bool, whole: bool) -> set[str]:
    """Return the dotted names that a module may import: of `from a import b`, both `a` and `a.b`.

    Raises UnreadableSource if it is no Python.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise UnreadableSource(f"{module}: {error}") from error
    package = module if is_package else module.rpartition(".")[0]
    by_name = any(function.encode() in source for function in _BY_NAME)
    return {name for node in _reached(tree, whole, by_name) for name in _named(node, package)}


def attributes_in(source: bytes) -> set[str]:
    """Return the dotted names that are reached from imported ones: `numpy.random.rand` of `import numpy as np` and
    `np.random.rand()`. Some are submodules that their package loads when they are asked for."""
    tree = ast.parse(source)
    aliases = {
        alias.asname or alias.name.partition(".")[0]: alias.name if alias.asname else alias.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    chains = (_chain(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return {".".join([aliases[first], *rest]) for first, *rest in chains if first in aliases}


def _chain(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Attribute):
        return [*_chain(node.value), node.attr]
    return [node.id if isinstance(node, ast.Name) else ""]


def _reached(node: ast.AST, whole: bool, expressions: bool) -> Iterator[ast.AST]:
    """Every node that can be executed: when the module is loaded, or also (`whole`) later and where imports fail.

    Without `expressions` only statements: most nodes are others, in which nothing can be imported but by a function.
    """
    for child in _children(node):
        if not expressions and isinstance(child, ast.expr):
            continue
        yield child
        if whole or not (isinstance(child, _LATER) or _is_fallback(child)):
            yield from _reached(child, whole, expressions)


def _children(node: ast.AST) -> Iterable[ast.AST]:
    if isinstance(node, ast.If) and ast.unparse(node.test) in _NEVER:
        return node.orelse
    return ast.iter_child_nodes(node)


def _is_fallback(node: ast.AST) -> bool:
    return isinstance(node, ast.ExceptHandler) and node.type is not None and "ImportError" in ast.unparse(node.type)


def _named(node: ast.AST, package: str) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            yield from (alias.name for alias in names)
        case ast.ImportFrom(module=module, names=names, level=level):
            base = _base(module or "", package, level)
            if base:
                yield base
                yield from (f"{base}.{alias.name}" for alias in names if alias.name != "*")
        case ast.Call(func=function, args=[ast.Constant(value=str(name)), *_]):
            called = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            if called in _BY_NAME:
                yield name


def _base(module: str, package: str, level: int) -> str:
    """The absolute name that `from <level dots><module>` stands for; empty beyond the outermost package."""
    if not level:
        return module
    parts = package.split(".")
    if level > len(parts):
        return ""
    return ".".join([*parts[: len(parts) - level + 1], *([module] if module else [])])
