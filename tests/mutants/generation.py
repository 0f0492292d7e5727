"""Generated bugs: every small change that a slip of the hand could make to a file, by its syntax tree.

Comparisons one off or the wrong way round, operators and arguments swapped, conditions negated, numbers changed,
returned values and whole statements left out. What no test should ask for is left alone: annotations, decorators, the
words of messages and errors, log lines.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import Final, NamedTuple

_COMPARED: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_CALCULATED: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
_SYMMETRIC: Final = frozenset({"max", "min"})
_TYPES: Final = frozenset({"int", "float", "str", "bytes", "bool", "dict", "list", "tuple", "set"})


class Change(NamedTuple):
    """A file with one change, made in this line."""

    line: int
    source: str


def changes(source: str) -> Iterator[Change]:
    """All changes of a file, in the order of its lines."""
    starts = _line_starts(source)
    for node, text in sorted(
        _replacements(ast.parse(source)), key=lambda found: (found[0].lineno, found[0].col_offset)
    ):
        start, end = starts(node.lineno, node.col_offset), starts(node.end_lineno, node.end_col_offset)
        changed = source[:start] + text.replace("{segment}", source[start:end]) + source[end:]
        yield Change(node.lineno, changed)


def _line_starts(source: str):
    """Where a place that the parser gives (a line, and bytes within it) is in the text."""
    lines = source.splitlines(keepends=True)
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line))
    return lambda line, column: offsets[line - 1] + len(lines[line - 1].encode()[:column].decode())


def _replacements(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Nodes, each with the text in its place."""
    for node in _walk(tree):
        yield from ((node, text) for text in _texts(node))
        if isinstance(node, ast.If | ast.IfExp) and not isinstance(node.test, ast.UnaryOp):
            yield node.test, "(not ({segment}))"


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below one, but for those that are left alone."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _left_alone(child):
                yield child
                if not isinstance(child, ast.Raise):
                    yield from _walk(child)


def _left_alone(node: ast.AST) -> bool:
    match node:
        case ast.JoinedStr() | ast.keyword(arg="expected" | "words" | "repr"):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="log")))):
            return True
    return False


def _texts(node: ast.AST) -> Iterator[str]:  # one case for each kind of change
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in _COMPARED:
            yield _with(node, ops=[_COMPARED[type(operator)]()])
        case ast.BoolOp():
            yield f"({_with(node, op=ast.And() if isinstance(node.op, ast.Or) else ast.Or())})"
        case ast.BinOp() if type(node.op) in _CALCULATED and not _is_type(node):
            yield f"({_with(node, op=_CALCULATED[type(node.op)]())})"
        case ast.UnaryOp(op=ast.Not()):
            yield f"({ast.unparse(node.operand)})"
        case ast.Constant(value=bool()):
            yield str(not node.value)
        case ast.Constant(value=int() | float()):
            yield str(node.value + 1)
        case ast.Call(args=[first, second], keywords=[]) if _order_counts(node):
            yield _with(node, args=[second, first])
        case ast.Return(value=ast.AST()) if not _is_none(node.value):
            yield "return None"
        case ast.Raise() | ast.AugAssign() | ast.Delete() | ast.Expr(value=ast.Call() | ast.Await()):
            yield "pass"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield "pass"


def _with(node: ast.AST, **changes: object) -> str:
    changed = copy.copy(node)
    for name, value in changes.items():
        setattr(changed, name, value)
    return ast.unparse(changed)


def _order_counts(call: ast.Call) -> bool:
    starred = any(isinstance(one, ast.Starred) for one in call.args)
    alike = ast.unparse(call.args[0]) == ast.unparse(call.args[1])
    return not starred and not alike and not (isinstance(call.func, ast.Name) and call.func.id in _SYMMETRIC)


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_type(node: ast.BinOp) -> bool:
    """Whether `a | b` is a union of types."""
    return isinstance(node.op, ast.BitOr) and any(
        _is_none(one)
        or (isinstance(one, ast.Name) and (one.id in _TYPES or one.id[0].isupper()))
        or (isinstance(one, ast.BinOp) and _is_type(one))
        for one in (node.left, node.right)
    )
