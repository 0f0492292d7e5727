"""All translations by the name of the operator, those of ONNX's default domain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from walle.tensor.onnx.node import Translation
from walle.tensor.onnx.operators import (
    elementwise,
    indexing,
    layers,
    normalisation,
    recurrent,
    reductions,
    resizing,
    shapes,
)

TRANSLATIONS: Final[Mapping[str, Translation]] = {
    **elementwise.TRANSLATIONS,
    **shapes.TRANSLATIONS,
    **reductions.TRANSLATIONS,
    **indexing.TRANSLATIONS,
    **layers.TRANSLATIONS,
    **normalisation.TRANSLATIONS,
    **resizing.TRANSLATIONS,
    **recurrent.TRANSLATIONS,
}
