"""Physical plans to and from JSON: what a host keeps of an archive that it has compiled once.

A dataclass is a list of its number in _TYPES and its fields, a tuple one that begins with TUPLE, bytes are hexadecimal.
It is read by the very sources that wrote it (`compiler_digest`), so it has no format of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from walle.whitebox.compiling.physical import (
    Answer,
    Capacity,
    Cell,
    CharacterClasses,
    Constant,
    Data,
    Dense,
    Instruction,
    PhysicalPlan,
    PhysicalStage,
    Place,
    Refusal,
    Room,
    Sparse,
    Stride,
    TextInput,
    Words,
)
from walle.whitebox.graph import Column, Parameter
from walle.whitebox.kernels.operations import Operation

_TYPES: Final = (
    *(PhysicalPlan, PhysicalStage, Instruction, Room, Place, Data, Stride, Capacity, Constant, CharacterClasses),
    *(Refusal, Dense, Sparse, Words, TextInput, Cell, Answer, Column, Parameter),
)
_NAMES: Final = {each: tuple(field.name for field in fields(each)) for each in _TYPES}
_CODES: Final = {each: code for code, each in enumerate(_TYPES)}
_TUPLE, _BYTES, _OPERATION = range(len(_TYPES), len(_TYPES) + 3)
_MAKERS: Final[tuple[Callable[..., Any], ...]] = (*_TYPES, lambda *items: items, bytes.fromhex, Operation)
_PLAIN: Final = frozenset((str, int, float, bool, type(None)))


def to_document(value: Any) -> Any:
    """Return a physical plan, or a part of one, as JSON has it."""
    kind = type(value)
    if kind in _CODES:
        return [_CODES[kind], *(to_document(getattr(value, name)) for name in _NAMES[kind])]
    if kind is tuple:
        return [_TUPLE, *map(to_document, value)]
    if kind is dict:
        return {name: to_document(each) for name, each in value.items()}
    if kind is bytes:
        return [_BYTES, value.hex()]
    if kind is Operation:
        return [_OPERATION, int(value)]
    if kind not in _PLAIN:
        raise TypeError(f"expected a part of a physical plan, found {value!r}")
    return value


def from_document(said: Any) -> Any:
    """Return what `to_document` said."""
    if type(said) is list:
        return _MAKERS[said[0]](*[each if type(each) in _PLAIN else from_document(each) for each in said[1:]])
    if type(said) is dict:
        return {name: from_document(each) for name, each in said.items()}
    return said


@cache
def compiler_digest() -> str:
    """Return the SHA-256 (hex) of all sources on which it depends what an archive is compiled to."""
    digest, package = sha256(), Path(__file__).parent.parent
    for folder in (".", "archive", "compiling", "kernels", "operators", "oven"):
        for path in sorted((package / folder).glob("*.py")):
            digest.update(f"{folder}/{path.name}\0".encode() + path.read_bytes())
    return digest.hexdigest()
