"""Models for the tensor engine of tasks (walle_task.tensor): their import (Walle, section 4.1).

`importing` reads ONNX models, which come from strangers, in a process of its own with limits (`onnx`). What it makes is
a file of a graph, which devices load without any of this (docs/tensor-format.md). `from_torch` imports what
torch.export made, from the Python object (`aten`).
"""

from walle.tensor.aten.importing import from_torch

__all__ = ["from_torch"]
