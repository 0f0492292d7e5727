"""Physical plans to and from lines of JSON: what a host keeps of an archive that it has compiled once.

A line is an instruction, a stage, or, the first one, all else. Hundreds of plans have most of theirs in common: a line
that was read before is not read again, and what it says is in memory once.

A dataclass is a list of its number in _TYPES and its fields, a tuple one that begins with TUPLE, bytes are hexadecimal.
They are read by the very sources that wrote them (`compiler_digest`), so there is no format of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from functools import cache, lru_cache
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
    PlanInterface,
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
    PlanInterface,
)
_NAMES: Final = {each: tuple(field.name for field in fields(each)) for each in _TYPES}
_CODES: Final = {each: code for code, each in enumerate(_TYPES)}
_TUPLE, _BYTES, _OPERATION = range(len(_TYPES), len(_TYPES) + 3)
_MAKERS: Final[tuple[Callable[..., Any], ...]] = (*_TYPES, lambda *items: items, bytes.fromhex, Operation)
_KNOWN_LINES: Final = 8192
"""How many lines are kept with what they say; those of 250 plans with 40 each, of which most are equal, are fewer."""
_PLAIN: Final = frozenset((str, int, float, bool, type(None)))


def to_lines(plan: PhysicalPlan) -> list[str]:
    """Return a physical plan as lines. Raises TypeError for what is no part of one."""
    frame = replace(plan, stages=(), instructions=())
    return [to_line(each) for each in (frame, *plan.stages, *plan.instructions)]


def from_lines(lines: Iterable[str]) -> PhysicalPlan:
    """Return the physical plan of which `to_lines` made lines."""
    frame, *parts = map(part_of_line, lines)
    stages = tuple(each for each in parts if type(each) is PhysicalStage)
    plan: PhysicalPlan = replace(frame, stages=stages, instructions=tuple(parts[len(stages) :]))
    return plan


def to_line(part: Any) -> str:
    """Return a part of a plan as a line. Raises TypeError for what is none."""
    return json.dumps(_said(part), separators=(",", ":"))


@lru_cache(_KNOWN_LINES)
def part_of_line(line: str) -> Any:
    """Return the part of a plan of which `to_line` made a line."""
    return _meant(json.loads(line))


def _said(value: Any) -> Any:
    """Return a part of a plan as JSON has it."""
    kind = type(value)
    if kind in _CODES:
        return [_CODES[kind], *(_said(getattr(value, name)) for name in _NAMES[kind])]
    if kind is tuple:
        return [_TUPLE, *map(_said, value)]
    if kind is dict:
        return {name: _said(each) for name, each in value.items()}
    if kind is bytes:
        return [_BYTES, value.hex()]
    if kind is Operation:
        return [_OPERATION, int(value)]
    if kind not in _PLAIN:
        raise TypeError(f"expected a part of a physical plan, found {value!r}")
    return value


def _meant(said: Any) -> Any:
    if type(said) is list:
        return _MAKERS[said[0]](*[each if type(each) in _PLAIN else _meant(each) for each in said[1:]])
    if type(said) is dict:
        return {name: _meant(each) for name, each in said.items()}
    return said


@cache
def compiler_digest() -> str:
    """Return the SHA-256 (hex) of all sources on which it depends what an archive is compiled to."""
    digest, package = sha256(), Path(__file__).parent.parent
    for folder in (".", "archive", "compiling", "kernels", "operators", "oven"):
        for path in sorted((package / folder).glob("*.py")):
            digest.update(f"{folder}/{path.name}\0".encode() + path.read_bytes())
    return digest.hexdigest()
