"""`walle tensor`: from a trained network to a model that the tensor engine of tasks runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from walle.cli import humanize
from walle.cli.declaring import command, group
from walle.cli.errors import FileMalformed, WrongUsage
from walle.cli.output import done, facts, say, show
from walle.cli.waiting import waiting

app = group("Models of the tensor engine: networks that tasks run on devices.", name="tensor")

Model = Annotated[Path, typer.Argument(metavar="MODEL", help="The file of an ONNX model.", show_default=False)]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="The file to write; MODEL.walle by default.")
]


@command(app, "import", "walle tensor import resnet18.onnx", "walle tensor import encoder.onnx -o encoder.walle")
def import_(model: Model, *, output: Output = None) -> None:
    """Import an ONNX model into a file that tasks load with walle_task.tensor.load.

    The model is read in a process of its own with limits; nothing in it is executed. All that is wrong with it is
    listed with its nodes, operators that cannot be imported all at once, and the status is 2. Lengths that the model
    leaves open stay open: they are given when the model is planned. Files beside the model are read where it refers to
    them.
    """
    from walle.cli.tensor_models import imported

    target = output or model.with_suffix(".walle")
    with waiting(f"Importing {model}"):
        graph = imported(model, target)
    document = {
        "file": str(target),
        "bytes": target.stat().st_size,
        "inputs": [
            {"name": name, "dtype": spec.dtype, "shape": list(spec.shape)} for name, spec in graph.inputs.items()
        ],
        "outputs": list(graph.outputs),
        "nodes": len(graph.nodes),
        "constants": len(graph.constants),
        "operators": dict(graph.operators.most_common()),
    }
    show(document, _tell_import)


def _tell_import(made: Mapping[str, Any]) -> None:
    size = humanize.size(made["bytes"])
    nodes, constants = (humanize.count(made[name], name[:-1]) for name in ("nodes", "constants"))
    done(f"{made['file']}: {nodes} and {constants} in {size}")
    facts(
        {
            "inputs": ", ".join(_told_input(each) for each in made["inputs"]),
            "outputs": ", ".join(made["outputs"]),
            "operators": ", ".join(f"{name} {count}" for name, count in made["operators"].items()),
        }
    )


def _told_input(spec: Mapping[str, Any]) -> str:
    axes = ", ".join("?" if axis is None else str(axis) for axis in spec["shape"])
    return f"{spec['name']} {spec['dtype']}[{axes}]"


Planned = Annotated[
    Path,
    typer.Argument(metavar="MODEL", help="The file of an imported or an ONNX model (.onnx).", show_default=False),
]
Shapes = Annotated[
    list[str] | None,
    typer.Option(
        "--shape", metavar="INPUT=AXES", help="The shape of an input that leaves lengths open: x=1,3,224,224."
    ),
]
Picture = Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Draw the steps into this file.")]


@command(
    app,
    "explain",
    "walle tensor explain resnet18.walle",
    "walle tensor explain encoder.onnx --shape tokens=1,128 --svg encoder.svg",
    "walle tensor explain resnet18.walle --json",
)
def explain(model: Planned, *, shape: Shapes = None, svg: Picture = None) -> None:
    """Show how a model is planned: the graph before and after each step, with operators, operations, bytes, memory.

    The steps are importing, lowering of transform and composite operators to rasters and atomic operators, folding of
    constants, vertical and horizontal merging of rasters, and the plan of memory. Repeated parts are shown once.
    """
    from walle.cli.tensor_models import read_model, read_shapes
    from walle.tensor.drawing import explanation_svg
    from walle.tensor.explaining import explanation_of
    from walle.tensor.explaining_text import explanation_text
    from walle_task.tensor.faults import GraphMalformed
    from walle_task.tensor.planning import plan_execution

    shapes = read_shapes(shape or ())
    with waiting(f"Planning {model}"):
        graph = read_model(model)
        try:
            found = explanation_of(plan_execution(graph, shapes))
        except GraphMalformed as error:
            raise FileMalformed(f"{model} cannot be planned:", [fault.text for fault in error.faults]) from None
    show(found, lambda document: say(explanation_text(document)))
    if svg:
        try:
            svg.write_text(explanation_svg(found), encoding="utf-8")
        except OSError as error:
            raise WrongUsage(f"cannot write {svg}: {error.strerror}") from error
        done(f"the steps are drawn in {svg}")
