"""The code of a workflow, as its document in JSON names it (docs/guides/workflows.md). Reading it loads none of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from walle.placement.problem.outline import MAX_MODELS
from walle.placement.processor.network import LinkShape
from walle.placement.processor.planning import WorkflowCode
from walle.placement.processor.specs import OperatorCode
from walle.protocol.names import check_bundle_path, is_valid
from walle.schema import Fields, Items, Malformed, Named, Node, Number, OneOfTexts, Problems, Text, read_json

MAX_BYTES: Final = 256 * 1024
MAX_OPERATORS: Final = 64
MAX_PATHS: Final = 200
"""The most files that an operator, or one of its models, names."""
_REFERENCE: Final = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")

_MODULE_NAME: Final = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)

_FUNCTION: Final = Text("a function as module:name", _REFERENCE.fullmatch)
_NAME: Final = Text("a name")
_PATH: Final = Text(
    "a path beside the document; one that ends in / is all of a folder",
    lambda text: is_valid(check_bundle_path, text.removesuffix("/")),
)
_PATHS: Final = Items(_PATH, f"a list of at most {MAX_PATHS} paths", 0, MAX_PATHS, unique=True)
_MODULE: Final = Text("a module's name", _MODULE_NAME.fullmatch)
FILE_KEYS: Final[Mapping[str, Node]] = {
    "files": _PATHS,
    "models": Named(_NAME, _PATHS, "a table of files by model", 0, MAX_MODELS),
    "modules": Items(_MODULE, "a list of modules", 0, 100, unique=True),
}
"""What an operator needs beside the modules of its functions, for a half that has it alone (walle.bundle.workflows)."""
_OPERATOR: Final = Fields(
    {
        "entry": _FUNCTION,
        "key": _FUNCTION,
        "metric": _FUNCTION,
        "batch": Number(1, 4096, integer=True),
        "window": Number(1, 1_000_000, integer=True),
        "join_wait_s": Number(0.001, 86400),
        **FILE_KEYS,
    }
)
_NOT_RUN: Final = ("metric", *FILE_KEYS)
_LINK: Final = Fields(
    {"from": _NAME, "to": _NAME, "mbps": Number(0.001, 1e6), "delay_ms": Number(0, 60_000)}, required=("from", "to")
)
_DOCUMENT: Final = Fields(
    {
        "format": OneOfTexts(("walle-workflow-code/1",)),
        "items": _FUNCTION,
        "validation": _FUNCTION,
        "operators": Named(_NAME, _OPERATOR, "a table of operators", 1, MAX_OPERATORS),
        "slowdown": Named(_NAME, Number(1, 1000), "a table of factors by type of worker", 0, 1000),
        "network": Items(_LINK, "a list of links between tiers", at_most=64),
    },
    required=("format", "operators"),
)


class CodeMalformed(Malformed):
    """A document does not name the code of a workflow."""


@dataclass(frozen=True)
class CodeDocument:
    """What a document names: code, and the functions that give items to run on, and items to measure accuracy on.

    `items` takes nothing and yields, for each item, the record of each source by name. `validation` returns pairs
    of such an item and its truths by operator. `metrics` are by operator: functions from the envelopes of its output
    and the truths of all items to an accuracy.
    """

    folder: Path
    code: WorkflowCode
    items: str
    validation: str
    metrics: Mapping[str, str]


def read_code(path: Path, tiers: tuple[str, ...]) -> CodeDocument:
    """Read a document; the code is in its folder. Raises CodeMalformed with all problems, and OSError."""
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    try:
        document = read_json(content, path.name, MAX_BYTES)
    except Malformed as error:
        raise CodeMalformed(error.problems) from error
    problems = checked_code(document, path.name)
    for index, link in enumerate(document.get("network", ()) if isinstance(document, dict) else ()):
        for end in ("from", "to"):
            if not problems.touches("network") and link[end] not in tiers:
                problems.add(f"network[{index}].{end}", f"one of {', '.join(tiers)}", link[end])
    if problems.found:
        raise CodeMalformed(problems.all)
    return _built(path.parent.resolve(), document, tiers)


def checked_code(document: Any, file: str) -> Problems:
    """Return what is wrong with a parsed document, wherever its code is."""
    problems = Problems(file)
    _DOCUMENT.check(document, "", problems)
    return problems


def _built(folder: Path, document: Mapping[str, Any], tiers: tuple[str, ...]) -> CodeDocument:
    operators = {
        name: OperatorCode(str(folder), **{key: each for key, each in given.items() if key not in _NOT_RUN})
        for name, given in document["operators"].items()
    }
    links = {
        (tiers.index(each["from"]), tiers.index(each["to"])): LinkShape(
            each.get("mbps"), each.get("delay_ms", 0.0) / 1e3
        )
        for each in document.get("network", ())
    }
    return CodeDocument(
        folder,
        WorkflowCode(operators, dict(document.get("slowdown", {})), links),
        document.get("items", ""),
        document.get("validation", ""),
        {name: given["metric"] for name, given in document["operators"].items() if "metric" in given},
    )
