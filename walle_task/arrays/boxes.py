"""Boxes that a detector gives: how much they overlap, and which of them to keep. A box is (x1, y1, x2, y2)."""

from __future__ import annotations

import math

import numpy as np

from walle_task.arrays.arguments import Array, as_count, as_floats


def box_iou(boxes1: object, boxes2: object) -> Array:
    """Return for boxes (n, 4) and (m, 4) the area that two have in common over that of both together, (n, m).

    Boxes without an area have 0 with all.
    """
    return _iou(_boxes("box_iou", "boxes1", boxes1)[:, None], _boxes("box_iou", "boxes2", boxes2))


def nms(boxes: object, scores: object, iou_threshold: float, max_boxes: int | None = None) -> Array:
    """Return the indexes of the boxes (n, 4) to keep, the best score first (non-maximum suppression).

    A box is left out if one with a better score is kept that overlaps it by more than `iou_threshold`, from 0 to 1; of
    equal scores the first box is the better one. At most `max_boxes` are kept. Takes memory in proportion to n.
    """
    found = _boxes("nms", "boxes", boxes)
    ranking = as_floats("nms", "scores", scores)
    if ranking.shape != found.shape[:1]:
        raise ValueError(f"nms: expected scores of the shape {found.shape[:1]}, found {ranking.shape}")
    if np.isnan(ranking).any():
        raise ValueError("nms: expected scores that are numbers, found NaN")
    if isinstance(iou_threshold, bool) or not isinstance(iou_threshold, int | float | np.integer | np.floating):
        raise TypeError(f"nms: expected iou_threshold to be a number, found {iou_threshold!r}")
    if not (math.isfinite(iou_threshold) and 0 <= iou_threshold <= 1):
        raise ValueError(f"nms: expected iou_threshold from 0 to 1, found {iou_threshold}")
    most = len(found) if max_boxes is None else as_count("nms", "max_boxes", max_boxes, 0, 2**31)
    waiting = np.argsort(-ranking, kind="stable")
    kept: list[int] = []
    while len(waiting) and len(kept) < most:
        best, waiting = waiting[0], waiting[1:]
        kept.append(int(best))
        waiting = waiting[_iou(found[best], found[waiting]) <= iou_threshold]
    return np.array(kept, np.intp)


def _boxes(who: str, name: str, value: object) -> Array:
    boxes = as_floats(who, name, value)
    boxes = boxes.reshape(0, 4) if boxes.shape == (0,) else boxes
    if boxes.ndim != 2 or boxes.shape[1] != 4:
        raise ValueError(f"{who}: expected {name} of the shape (n, 4), found {boxes.shape}")
    if not np.isfinite(boxes).all() or (boxes[:, 2:] < boxes[:, :2]).any():
        raise ValueError(f"{who}: expected {name} as finite (x1, y1, x2, y2) with x1 <= x2 and y1 <= y2")
    return boxes


def _iou(first: Array, second: Array) -> Array:
    shared = np.minimum(first[..., 2:], second[..., 2:]) - np.maximum(first[..., :2], second[..., :2])
    common = np.prod(np.maximum(shared, 0), axis=-1)
    areas = (np.prod(each[..., 2:] - each[..., :2], axis=-1) for each in (first, second))
    together = sum(areas) - common
    return np.asarray(np.divide(common, together, out=np.zeros_like(common), where=together > 0))
