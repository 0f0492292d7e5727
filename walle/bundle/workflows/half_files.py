"""What lies in each half of a placed workflow: its operators' files, the document that its runtime reads, its entry."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from walle.bundle.workflows.documents import CODE_FILE, WorkflowSources
from walle.placement.halves import CLOUD_HALF, DEVICE_HALF
from walle.schema import Problem

HALVES: Final = (DEVICE_HALF, CLOUD_HALF)
ENTRY: Final = "walle_half.py"
DOCUMENT: Final = "walle_half.json"
_MAIN: Final = '''"""The {half} half of this workflow, made from placement.json: change that, not this file."""

from walle_task import {half}_half

{function} = {half}_half(__file__)
'''
_FUNCTIONS: Final[Mapping[str, str]] = {DEVICE_HALF: "run", CLOUD_HALF: "answer"}
DEVICE_ENTRY: Final = f"{DEVICE_HALF}.{ENTRY.removesuffix('.py')}:{_FUNCTIONS[DEVICE_HALF]}"
_CODED: Final[Mapping[str, tuple[str, ...]]] = {
    "model": ("entry",),
    "map": ("entry",),
    "filter": ("entry",),
    "join": (),
    "group-by": ("entry", "key"),
}
"""The functions that an operator of each kind has."""
_WINDOW_HINT: Final = "run its plans with `walle workflow run`, or leave the window out"
Operators = Mapping[str, Mapping[str, Any]]
"""By operator, its `half` and `model`."""


def is_of_a_half(path: str) -> bool:
    """Return whether a file lies in a half, where applying a plan puts it."""
    return path.partition("/")[0] in HALVES and "/" in path


def half_files(sources: WorkflowSources, operators: Operators, inputs: Mapping[str, Any]) -> dict[str, str | bytes]:
    """Return the files of both halves by path: the path of the source that each is a copy of, or its content.

    `inputs` are those that task.toml declares. The operators' code must be without problems (`code_problems`).
    """
    found: dict[str, str | bytes] = {}
    halves = {DEVICE_HALF, *(each["half"] for each in operators.values())}
    for half in sorted(halves):
        for name, given in operators.items():
            if given["half"] == half:
                files = operator_files(sources, name, given["model"])
                found |= {f"{half}/{path}": path for path in files}
        document = half_document(sources, operators, inputs, half)
        found[f"{half}/{DOCUMENT}"] = (json.dumps(document, indent=1) + "\n").encode()
        found[f"{half}/{ENTRY}"] = _MAIN.format(half=half, function=_FUNCTIONS[half]).encode()
    return found


def operator_files(sources: WorkflowSources, operator: str, model: str) -> list[str]:
    """Return the paths of the files that an operator needs with a model, as far as the tree has them."""
    code = sources.code.get(operator, {})
    named = {path for _, paths in _named(code, model) for path in paths}
    folders = tuple(path for path in named if path.endswith("/"))
    beside = (path for path in sources.paths if path in named or path.startswith(folders))
    return [*_modules(sources, code), *beside]


def _named(code: Mapping[str, Any], model: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the lists of paths of an operator with a model, each with its place in what code.json says of it."""
    yield "files", code.get("files", [])
    yield f"models.{model}", code.get("models", {}).get(model, [])


def _modules(sources: WorkflowSources, code: Mapping[str, Any]) -> Iterator[str]:
    for key in ("entry", "key"):
        if key in code:
            yield from _module_files(sources, code[key])


def _module_files(sources: WorkflowSources, reference: str) -> list[str]:
    """Return the file of a function's module, and the packages around it; nothing for one that is not in the tree."""
    path = reference.partition(":")[0].replace(".", "/")
    around = [path.rsplit("/", steps)[0] for steps in range(1, path.count("/") + 1)]
    own = next((each for each in (f"{path}.py", f"{path}/__init__.py") if each in sources.paths), None)
    packages = [each for folder in around if (each := f"{folder}/__init__.py") in sources.paths]
    return [own, *packages] if own else []


def code_problems(sources: WorkflowSources, models: Mapping[str, str]) -> Iterator[Problem]:
    """Yield what stands against running the operators, each with its model, from files of the tree."""
    for name in sources.graph.order:
        code, place = sources.code.get(name, {}), f"operators.{name}"
        for function in _CODED[sources.graph.by_name[name].kind]:
            if function not in code:
                yield Problem(CODE_FILE, f"{place}.{function}", "a function as module:name", "nothing")
            elif not _module_files(sources, code[function]) and not _is_declared(code, code[function]):
                yield Problem(CODE_FILE, f"{place}.{function}", "a module of the tree", code[function])
        if name in models:
            yield from _file_problems(sources, name, code, models[name])


def window_problems(sources: WorkflowSources) -> Iterator[Problem]:
    """Yield the windows that no half has: sources with them are measured and placed, and run on Ray alone."""
    for name in sources.graph.order:
        if (window := sources.code.get(name, {}).get("window", 1)) > 1:
            expected = "1 in a version that devices run: a device has one item at a time, and so has what answers it"
            yield Problem(CODE_FILE, f"operators.{name}.window", expected, str(window), hint=_WINDOW_HINT)


def _is_declared(code: Mapping[str, Any], reference: str) -> bool:
    return reference.partition(":")[0].partition(".")[0] in {each.partition(".")[0] for each in code.get("modules", ())}


def _file_problems(sources: WorkflowSources, name: str, code: Mapping[str, Any], model: str) -> Iterator[Problem]:
    if "models" in code and model not in code["models"]:
        yield Problem(CODE_FILE, f"operators.{name}.models.{model}", "the files of the model", "nothing")
    for place, paths in _named(code, model):
        for index, path in enumerate(paths):
            if path not in sources.paths and path.removesuffix("/") not in sources.folders:
                yield Problem(CODE_FILE, f"operators.{name}.{place}[{index}]", "a file of the tree", f"no {path}")
    for path in operator_files(sources, name, model):
        if is_of_a_half(path) or path in (ENTRY, DOCUMENT):
            expected = f"files outside of {DEVICE_HALF}/ and {CLOUD_HALF}/, and of other names than {ENTRY}, {DOCUMENT}"
            yield Problem(CODE_FILE, f"operators.{name}", expected, path)


def half_document(
    sources: WorkflowSources, operators: Operators, inputs: Mapping[str, Any], half: str
) -> dict[str, Any]:
    """Return what the runtime of a half reads (walle_task.workflows)."""
    graph, crossing = sources.graph, crossing_of(sources, operators)
    given = list(graph.sources) if half == DEVICE_HALF else []
    return {
        "format": 1,
        "inputs": given,
        "crossing": crossing,
        "tensors": {name: inputs[name]["dtype"] for name in given if is_tensor(inputs.get(name, {}))},
        "sink": graph.sink if operators[graph.sink]["half"] == half else None,
        "steps": [_step(sources, operators, name) for name in graph.order if operators[name]["half"] == half],
    }


def is_tensor(declared: Mapping[str, Any]) -> bool:
    """Return whether a declared input is an array of NumPy in a workflow."""
    return declared.get("type") == "tensor"


def _step(sources: WorkflowSources, operators: Operators, name: str) -> dict[str, Any]:
    code = sources.code.get(name, {})
    return {
        "operator": name,
        "kind": sources.graph.by_name[name].kind,
        "model": operators[name]["model"],
        "inputs": [edge.source for edge in sources.graph.into[name]],
        **{key: code[key] for key in ("entry", "key") if key in code},
    }


def crossing_of(sources: WorkflowSources, operators: Operators) -> list[str]:
    """Return the sources and operators of the device whose records operators in the cloud go on with."""
    above = [edge for edge in sources.graph.edges if operators[edge.target]["half"] == CLOUD_HALF]
    cloud = {name for name, each in operators.items() if each["half"] == CLOUD_HALF}
    return sorted({edge.source for edge in above} - cloud)


def modules_of(sources: WorkflowSources, operators: Operators, half: str) -> list[str]:
    """Return the modules from outside that the operators of a half need."""
    used = (sources.code.get(name, {}) for name, each in operators.items() if each["half"] == half)
    return sorted({module for code in used for module in code.get("modules", ())})
