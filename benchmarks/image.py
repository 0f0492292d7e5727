"""Claim: image functions for tasks take at most half the time of plain NumPy, and a few MB beside their result.

Each function of `walle_task.image` is timed on one core, on frames of 640x480 and 1920x1080, beside OpenCV on one
thread and beside the way a task would write it in NumPy without it: all pixels at once, in float64, from positions that
are computed in full (`benchmarks.support.naive_images`). Contestants alternate in each round; a figure is the median
over rounds of the ratio of processor times.

- `<function>_<size>_naive`: the naive way's time over ours; `naive` is the geometric mean of all, which is judged;
- `<function>_<size>_opencv`: our time over OpenCV's; above 1 OpenCV is quicker, as compiled code with vector
  instructions nearly always is. `opencv` is the geometric mean, and not judged;
- `<function>_<size>_mb`: the most memory that was allocated at a time beyond the result, as tracemalloc counts NumPy's;
  `extra_mb` is the most of all, in which a copy with a border counts (6 MB of a frame of 1920x1080, twice in warps).
"""

from __future__ import annotations

import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.support import naive_images as naive
from benchmarks.support.harness import Benchmark, Dimension
from benchmarks.support.outcome import Target
from walle_task import image

BENCHMARK = Benchmark(
    "image",
    scale={"rounds": Dimension(15, 1), "sizes": Dimension(2, 1)},
    targets=(Target("naive", at_least=2), Target("extra_mb", at_most=16)),
    assumptions=(
        "noise as content; no function here depends on it",
        "one core and one thread for all, as a task on a device has",
    ),
)
SIZES: Final[Mapping[str, tuple[int, int]]] = {"640x480": (640, 480), "1920x1080": (1920, 1080)}

Image = NDArray[Any]


@dataclass(frozen=True)
class FunctionComparison:
    """One function on one frame: ours, OpenCV's, and the naive way."""

    ours: Callable[[], Image]
    opencv: Callable[[], Image]
    naive: Callable[[], Image]


def comparisons(width: int, height: int) -> dict[str, FunctionComparison]:
    """Return what is compared, on a frame of three channels of uint8."""
    frame = np.random.default_rng(3).integers(0, 256, (height, width, 3), dtype=np.uint8)
    camera = np.random.default_rng(4).integers(0, 256, (height * 3 // 2, width), dtype=np.uint8)
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), 12, 0.9)
    tilt = np.vstack([turn, [1e-5, 2e-5, 1]])
    inner = (224, 224)
    larger = (width * 5 // 4, height * 5 // 4)
    size = (width, height)
    added = (20, 20, 20, 20, cv2.BORDER_REFLECT_101)

    def comparison(plain: Callable[[], Image], name: str, *arguments: Any, **named: Any) -> FunctionComparison:
        ours, theirs = getattr(image, name), getattr(cv2, name)
        return FunctionComparison(lambda: ours(*arguments, **named), lambda: theirs(*arguments, **named), plain)

    def resized(
        plain: Callable[[Image, tuple[int, int]], Image], to: tuple[int, int], method: int
    ) -> FunctionComparison:
        return comparison(lambda: plain(frame, to), "resize", frame, to, interpolation=method)

    return {
        "resize_linear": resized(naive.resize_linear, inner, cv2.INTER_LINEAR),
        "resize_area": resized(naive.resize_area, inner, cv2.INTER_AREA),
        "enlarge_linear": resized(naive.resize_linear, larger, cv2.INTER_LINEAR),
        "enlarge_cubic": resized(naive.resize_cubic, larger, cv2.INTER_CUBIC),
        "warp_affine": comparison(lambda: naive.warp_affine(frame, turn), "warpAffine", frame, turn, size),
        "warp_perspective": comparison(
            lambda: naive.warp_perspective(frame, tilt), "warpPerspective", frame, tilt, size
        ),
        "gray": comparison(lambda: naive.gray(frame), "cvtColor", frame, cv2.COLOR_RGB2GRAY),
        "hsv": comparison(lambda: naive.hsv(frame), "cvtColor", frame, cv2.COLOR_RGB2HSV),
        "nv21": comparison(lambda: naive.nv21(camera), "cvtColor", camera, cv2.COLOR_YUV2RGB_NV21),
        "gaussian": comparison(lambda: naive.gaussian(frame, 5, 1.2), "GaussianBlur", frame, (5, 5), 1.2),
        "blur": comparison(lambda: naive.blur(frame, 9), "blur", frame, (9, 9)),
        "border": comparison(lambda: naive.border(frame, 20), "copyMakeBorder", frame, *added),
    }


def seconds(action: Callable[[], Image]) -> float:
    started = time.process_time()
    action()
    return time.process_time() - started


def extra_mb(action: Callable[[], Image]) -> float:
    """Return the most memory allocated at a time beyond the result, in MB."""
    tracemalloc.start()
    result = action()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return max(0.0, peak - result.nbytes) / 1e6


def measured(name: str, comparison: FunctionComparison) -> dict[str, float]:
    """Return the figures of one comparison, after checking that ours is OpenCV's result."""
    difference = np.abs(comparison.ours().astype(int) - comparison.opencv().astype(int)).max()
    if difference > 1:
        raise SystemExit(f"{name}: expected what OpenCV gives within 1, found a difference of {difference}")
    comparison.naive()
    times: dict[str, list[float]] = {"ours": [], "opencv": [], "naive": []}
    for number in range(BENCHMARK.size("rounds")):
        for contestant in sorted(times, reverse=bool(number % 2)):
            times[contestant].append(seconds(getattr(comparison, contestant)))
    pairs = list(zip(times["ours"], times["opencv"], times["naive"], strict=True))
    return {
        f"{name}_ms": statistics.median(times["ours"]) * 1e3,
        f"{name}_naive": statistics.median(theirs / ours for ours, _, theirs in pairs),
        f"{name}_opencv": statistics.median(ours / max(theirs, 1e-6) for ours, theirs, _ in pairs),
        f"{name}_mb": extra_mb(comparison.ours),
        f"{name}_naive_mb": extra_mb(comparison.naive),
    }


def main() -> int:
    BENCHMARK.announce()
    cv2.setNumThreads(1)
    figures: dict[str, float] = {}
    for size, (width, height) in [*SIZES.items()][: BENCHMARK.size("sizes")]:
        for name, comparison in comparisons(width, height).items():
            found = measured(f"{name}_{size}", comparison)
            print("  ".join(f"{key} {value:.2f}" for key, value in found.items()))
            figures |= found
    for peer in ("naive", "opencv"):
        figures[peer] = statistics.geometric_mean(value for key, value in figures.items() if key.endswith(f"_{peer}"))
    figures["extra_mb"] = max(
        value for key, value in figures.items() if key.endswith("_mb") and not key.endswith("_naive_mb")
    )
    return BENCHMARK.judge(figures)


if __name__ == "__main__":
    sys.exit(main())
