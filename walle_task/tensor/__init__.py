"""The tensor engine: graphs of operators, geometric computing, sessions (Walle, sections 4.1 and 4.2).

A `Graph` (`graph`, checked by `checking`) applies operators of the catalogue (`operators`). `Session` runs it in the
paper's four steps: order it, infer its shapes (`inference`), lower its transform and composite operators to rasters and
atomic operators (`lowering`) and merge these (`merging`), plan its memory (`memory`) and execute kernels (`kernels`,
`raster`) in sequence. `Module` runs graphs with control flow, in parts that are sessions. `load` and
`save` read and write files of models. It needs NumPy, and nothing else of Walle.
"""

try:
    import numpy as _numpy  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        'walle_task.tensor needs numpy: expected requires.modules = ["numpy"] in task.toml', name="numpy"
    ) from error

from walle_task.tensor.building import GraphBuilder as GraphBuilder
from walle_task.tensor.faults import GraphMalformed as GraphMalformed
from walle_task.tensor.graph import Graph as Graph
from walle_task.tensor.model_file import load as load
from walle_task.tensor.model_file import save as save
from walle_task.tensor.module import Module as Module
from walle_task.tensor.session import InputsUnfit as InputsUnfit
from walle_task.tensor.session import RunFailed as RunFailed
from walle_task.tensor.session import Session as Session
