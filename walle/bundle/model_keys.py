"""What a task.toml says of its models: [models.<name>], networks that the tensor engine runs (docs/task-format.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from walle.protocol.names import MAX_BUNDLE_PATH, check_bundle_path, is_valid
from walle.schema import Fields, Items, Named, Node, Number, Problems, Text, Value

ONNX: Final = ".onnx"
MODEL: Final = ".walle"
MOST_MODELS: Final = 16
"""The most models of a task."""


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A declared model: its file in the tree, the shapes of inputs whose lengths it leaves open, and whether it may be
    computed with 8-bit products."""

    file: str
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    int8: bool = False

    @property
    def installed(self) -> str:
        """The path that devices have it at: a model of ONNX is imported, and lies beside where that would be."""
        return self.file.removesuffix(ONNX) + MODEL if self.file.endswith(ONNX) else self.file

    def to_dict(self) -> dict[str, Any]:
        """Return what the manifest says of it."""
        shapes = {name: list(shape) for name, shape in self.shapes.items()}
        return {"file": self.installed, "shapes": shapes, "int8": self.int8}


def _is_model(text: str) -> bool:
    return text.endswith((ONNX, MODEL)) and len(text) <= MAX_BUNDLE_PATH - 1 and is_valid(check_bundle_path, text)


_SHAPE: Final = Items(Number(1, 2**31, integer=True), "the lengths of the axes, such as [1, 3, 224, 224]", 0, 8)
_INPUT: Final = Text("the name of an input, 1 to 1000 characters", lambda text: 0 < len(text) <= 1000)


def models_node(name: Node) -> Named:
    """Return the schema of [models], of names that another node accepts."""
    model = Fields(
        {
            "file": Text(f"a path inside the bundle that ends with {ONNX} or {MODEL}", _is_model),
            "shapes": Named(_INPUT, _SHAPE),
            "int8": Value("true or false", lambda value: isinstance(value, bool)),
        },
        ("file",),
    )
    return Named(name, model, f"a table of at most {MOST_MODELS} models", at_most=MOST_MODELS)


def models_of(table: Mapping[str, Any]) -> dict[str, ModelSpec]:
    """Return the models of a valid part of [models]."""
    return {
        name: ModelSpec(
            model["file"],
            {each: tuple(shape) for each, shape in model.get("shapes", {}).items()},
            model.get("int8", False),
        )
        for name, model in table.items()
    }


def check_models(models: Mapping[str, ModelSpec], problems: Problems) -> None:
    """Report models whose files would be at one path of a device."""
    paths = [model.installed for model in models.values()]
    for path in sorted({path for path in paths if paths.count(path) > 1}):
        problems.say("models", "different files", f"{path} {paths.count(path)} times")


def model_warnings(models: Mapping[str, ModelSpec], paths: Iterable[str], modules: Iterable[str]) -> list[str]:
    """Return a warning for each ONNX file that is neither declared nor read by another library."""
    if "onnxruntime" in modules:
        return []
    declared = {model.file for model in models.values()}
    return [
        f"{path} is sent to devices as it is, and is not imported for the tensor engine: declare it as the file of a "
        "[models.<name>], or name it in files.exclude"
        for path in paths
        if path.endswith(ONNX) and path not in declared
    ]
