"""Images of plans to and from bytes: what a host maps at a restart, without reading a line of what plans have alike.

A header says the version of the layout, and the bytes of each section behind it; then come lines of JSON (interface,
frame, outline), the lines of parameters and of stages that are shareable, the program's words, where addresses are
added to which, constants, and the lines of the whole plan. A line that was read before is not read again.
"""

from __future__ import annotations

import json
import struct
from functools import lru_cache
from itertools import accumulate, pairwise
from sys import intern
from typing import Final

import numpy as np

from walle.whitebox.compiling.image import CLASSES, Frame, Outline, PlanImage, ProgramImage
from walle.whitebox.compiling.physical import PlanInterface, Refusal
from walle.whitebox.compiling.plan_document import part_of_line, to_line
from walle.whitebox.graph import DIGEST, DTYPES, Parameter

_MAGIC: Final = b"walleimg"
_LAYOUT: Final = 1
"""The version of the layout: another one is refused."""
_SECTIONS: Final = 9
_HEADER: Final = struct.Struct(f"<8s{1 + _SECTIONS}I")
_KNOWN_PARAMETERS: Final = 16384


class ImageMalformed(ValueError):
    """Bytes are no image of a plan."""


def write_image(image: PlanImage) -> bytes:
    """Return an image as bytes. Raises TypeError for what is no part of a plan."""
    program = image.program
    sections = [
        *(
            line.encode()
            for line in (to_line(image.interface), _frame_line(program.frame), _outline_line(program.outline))
        ),
        "\n".join(map(_parameter_line, program.parameters)).encode(),
        "\n".join(image.shareable).encode(),
        program.words,
        program.places + program.targets,
        program.constants,
        "\n".join(image.document).encode(),
    ]
    return b"".join([_HEADER.pack(_MAGIC, _LAYOUT, *map(len, sections)), *sections])


def read_image(content: bytes) -> PlanImage:
    """Return the image that bytes are. Raises ImageMalformed for what `write_image` does not write."""
    if len(content) < _HEADER.size:
        raise ImageMalformed(f"expected a header of {_HEADER.size} bytes, found {len(content)} bytes")
    magic, layout, *sizes = _HEADER.unpack_from(content)
    if (magic, layout) != (_MAGIC, _LAYOUT):
        raise ImageMalformed(f"expected an image of layout {_LAYOUT}, found {magic!r} of {layout}")
    ends = list(accumulate(sizes, initial=_HEADER.size))
    if ends[-1] != len(content):
        raise ImageMalformed(f"expected {ends[-1]} bytes, found {len(content)}")
    parts = [content[start:end] for start, end in pairwise(ends)]
    interface, frame, outline, parameters, shareable, words, added, constants, document = parts
    try:
        program = ProgramImage(
            _frame(frame),
            _outline(outline),
            tuple(map(_parameter, _lines(parameters))),
            words,
            added[: len(added) // 2],
            added[len(added) // 2 :],
            constants,
        )
        image = PlanImage(_interface(interface), program, _lines(shareable), _lines(document))
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError, OverflowError) as error:
        raise ImageMalformed(f"expected the parts of a plan: {error}") from error
    _check_places(program)
    return image


def _check_places(program: ProgramImage) -> None:
    """Refuse addresses that would be added outside the words, or that are of no parameter."""
    if len(program.words) % 8 or len(program.places) % 4 or len(program.places) != len(program.targets):
        raise ImageMalformed("expected whole words, and a target for each place")
    places, targets = np.frombuffer(program.places, np.int32), np.frombuffer(program.targets, np.int32)
    count = len(program.words) // 8
    if places.size and (places.min() < 0 or places.max() >= count or targets.min() < CLASSES):
        raise ImageMalformed(f"expected places from 0 to {count}")
    if targets.size and targets.max() >= len(program.parameters):
        raise ImageMalformed(f"expected targets below {len(program.parameters)}")


def _lines(section: bytes) -> tuple[str, ...]:
    """Return lines, each of which is in memory once for all images."""
    return tuple(map(intern, section.decode().split("\n"))) if section else ()


@lru_cache(maxsize=1024)
def _interface(line: bytes) -> PlanInterface:
    found = part_of_line(line.decode())
    if type(found) is not PlanInterface:
        raise ImageMalformed(f"expected what a plan takes and answers, found {found!r}")
    return found


def _frame_line(frame: Frame) -> str:
    return json.dumps([frame.capacity, frame.size, frame.answer, frame.kept, frame.texts, dict(frame.offsets)])


@lru_cache(maxsize=1024)
def _frame(line: bytes) -> Frame:
    capacity, size, answer, kept, texts, offsets = json.loads(line)
    places = {str(slot): int(offset) for slot, offset in offsets.items()}
    return Frame(int(capacity), int(size), int(answer), int(kept), int(texts), places)


def _outline_line(outline: Outline) -> str:
    refusals = {str(word): [each.column, each.expected] for word, each in outline.refusals.items()}
    return json.dumps([list(outline.bounds), refusals, outline.has_trees])


@lru_cache(maxsize=1024)
def _outline(line: bytes) -> Outline:
    bounds, refusals, has_trees = json.loads(line)
    said = {int(word): Refusal(str(column), str(expected)) for word, (column, expected) in refusals.items()}
    return Outline(tuple(map(int, bounds)), said, bool(has_trees))


def _parameter_line(parameter: Parameter) -> str:
    shape = "x".join(map(str, parameter.shape))
    return f"{parameter.digest} {parameter.dtype} {int(parameter.packed)} {shape}"


@lru_cache(maxsize=_KNOWN_PARAMETERS)
def _parameter(line: str) -> Parameter:
    digest, dtype, packed, shape = line.split(" ")
    if not DIGEST.fullmatch(digest) or dtype not in DTYPES or packed not in ("0", "1"):
        raise ImageMalformed(f"expected a parameter, found {line!r}")
    return Parameter(digest, dtype, tuple(map(int, shape.split("x"))), packed=packed == "1")
