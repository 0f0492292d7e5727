"""What pre- and post-processing needs of arrays and NumPy does not have (Walle, section 4.4).

Where NumPy is on a device, its API is NumPy itself: tasks import numpy for creation, manipulation and linear algebra,
and nothing here is another name for that. Here are only the few functions around a model that every task would write
again: scores (softmax, topk, one_hot), boxes (box_iou, nms) and batches (standardize, pad_batch). Arguments are named
as NumPy names them (`axis`, `dtype`), functions as the libraries that made them known do. Bad arguments raise TypeError
or ValueError, which say what was expected.
"""

try:
    import numpy as _numpy  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        'walle_task.arrays needs numpy: expected requires.modules = ["numpy"] in task.toml', name="numpy"
    ) from error

from walle_task.arrays.batches import pad_batch as pad_batch
from walle_task.arrays.batches import standardize as standardize
from walle_task.arrays.boxes import box_iou as box_iou
from walle_task.arrays.boxes import nms as nms
from walle_task.arrays.scores import one_hot as one_hot
from walle_task.arrays.scores import softmax as softmax
from walle_task.arrays.scores import topk as topk
