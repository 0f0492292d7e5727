"""Image processing for the pre- and post-processing of tasks (Walle, sections 4.2 and 4.4), in NumPy.

Names, order of arguments, defaults and constants are OpenCV's, and so are results: within 1 of OpenCV 4 for uint8 and
within 1e-4 for floats from 0 to 1. So `import walle_task.image as cv2` is a way to bring code along. Where OpenCV has
an argument `dst`, it is None or an array that the result is written to.

An image is an array (height, width) or (height, width, channels) of uint8, uint16, int16, float32 or float64, with
sizes and points as (width, height) and (x, y). What is cut out is a slice, `image[y : y + height, x : x + width]`. Bad
arguments raise TypeError or ValueError, which say what was expected. Images are gone through in blocks of rows: beside
the result, and a copy with a border where one is needed, functions take a few MB.
"""

try:
    import numpy as _numpy  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        'walle_task.image needs numpy: expected requires.modules = ["numpy"] in task.toml', name="numpy"
    ) from error

from walle_task.image.arithmetic import flip as flip
from walle_task.image.arithmetic import normalize as normalize
from walle_task.image.arithmetic import rotate as rotate
from walle_task.image.arithmetic import threshold as threshold
from walle_task.image.arithmetic import transpose as transpose
from walle_task.image.borders import copyMakeBorder as copyMakeBorder
from walle_task.image.colors import cvtColor as cvtColor
from walle_task.image.constants import *  # noqa: F403
from walle_task.image.drawing import circle as circle
from walle_task.image.drawing import fillPoly as fillPoly
from walle_task.image.drawing import line as line
from walle_task.image.drawing import polylines as polylines
from walle_task.image.drawing import rectangle as rectangle
from walle_task.image.filtering import GaussianBlur as GaussianBlur
from walle_task.image.filtering import blur as blur
from walle_task.image.filtering import getGaussianKernel as getGaussianKernel
from walle_task.image.letterboxing import Letterboxed as Letterboxed
from walle_task.image.letterboxing import letterbox as letterbox
from walle_task.image.resizing import resize as resize
from walle_task.image.warping import getAffineTransform as getAffineTransform
from walle_task.image.warping import getPerspectiveTransform as getPerspectiveTransform
from walle_task.image.warping import getRotationMatrix2D as getRotationMatrix2D
from walle_task.image.warping import invertAffineTransform as invertAffineTransform
from walle_task.image.warping import warpAffine as warpAffine
from walle_task.image.warping import warpPerspective as warpPerspective


def __getattr__(name: str) -> object:
    raise AttributeError(
        f"walle_task.image has no {name}: expected one of the functions and constants of OpenCV that "
        "docs/guides/images.md lists (no anti-aliased lines, texts, features and files)",
        name=name,
    )
