"""A model of the category that a customer opens an item of next: a trunk that all share, and a head that each trains.

The trunk turns what the last view tells, the item's category, price, rating and what was decided, into `WIDTH` numbers;
the head turns these into a score for each category. The shipped model is trained on the views of many customers. On a
device the head gets a patch (Yao et al., "Device-Cloud Collaborative Learning for Recommendation", KDD 2021), which
begins with zeros and is trained on the device's own views, drawn to zero the more the fewer these are.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from walle.stream.events import BehaviourEvent
from walle.stream.session_generator import CATEGORIES, shop_session
from walle_task.tensor.building import GraphBuilder
from walle_task.tensor.graph import Graph
from walle_task.tensor.session import Session
from walle_task.training import SGD, Adam, Optimizer, Training, losses

WIDTH: Final = 24
FIELDS: Final = len(CATEGORIES) + 3
SHIPPED: Final = ("trunk/weights", "trunk/bias", "head/weights", "head/bias")
PATCH: Final = ("patch/weights", "patch/bias")
PRIOR: Final = 0.5
"""The variance of a patch's weights over customers that is assumed; it divides what draws them to zero."""
DECISIONS: Final = frozenset(("add_favourite", "add_to_cart", "purchase"))
BATCH: Final = 64


@dataclass(frozen=True)
class Views:
    """Views of items: what was known before each, shape (views, FIELDS), and the number of the item's category."""

    before: Any
    category: Any

    def __len__(self) -> int:
        return len(self.category)


def views_of(interests: dict[str, float], sessions: int, seed: str) -> Views:
    """Return the views of items in some sessions of one customer."""
    rng = random.Random(seed)
    found = [view for number in range(sessions) for view in _views(shop_session(rng, 86_400.0 * number, interests))]
    before = np.array([fields for fields, _ in found], "float32").reshape(-1, FIELDS)
    return Views(before, np.array([category for _, category in found], "int64"))


def joined(views: Sequence[Views]) -> Views:
    """Return the views of several customers as those of one."""
    return Views(*(np.concatenate([getattr(each, name) for each in views]) for name in ("before", "category")))


def new_model(rng: np.random.Generator) -> Graph:
    """Return the graph before training: its inputs `before` and `category`, its outputs scores and the loss."""
    graph, classes = GraphBuilder("recommendation head"), len(CATEGORIES)
    before, category = graph.input("before", "float32", (None, FIELDS)), graph.input("category", "int64", (None,))
    shapes = {"trunk": (FIELDS, WIDTH), "head": (WIDTH, classes), "patch": (WIDTH, classes)}
    for name, (rows, columns) in shapes.items():
        weights = (
            rng.standard_normal((rows, columns)) / math.sqrt(rows) if name != "patch" else np.zeros((rows, columns))
        )
        graph.constant(weights.astype("float32"), f"{name}/weights")
        graph.constant(np.zeros(columns, "float32"), f"{name}/bias")
    hidden = graph.add("tanh", _layer(graph, before, "trunk"))
    scores = graph.add("add", _layer(graph, hidden, "head"), _layer(graph, hidden, "patch"), name="scores")
    graph.output(scores)
    chosen = graph.add("one_hot", category, depth=classes, dtype="float32")
    graph.output(losses.cross_entropy(graph, scores, chosen))
    return graph.build()


def shipped(views: Views, rng: np.random.Generator, passes: int = 20) -> Graph:
    """Return a model that was trained on the views of many customers, in batches drawn at random."""
    model = new_model(rng)
    training = _training(model, SHIPPED, Adam(0.01), BATCH, views)
    for _ in range(passes):
        order = rng.permutation(len(views))
        for begin in range(0, len(views) - BATCH + 1, BATCH):
            chosen = order[begin : begin + BATCH]
            training.step({"before": views.before[chosen], "category": views.category[chosen]})
    return training.trained()


def personal(model: Graph, views: Views, steps: int = 100) -> Graph:
    """Return a shipped model with a patch that was trained on all views of one customer at once."""
    training = _training(model, PATCH, SGD(0.1, momentum=0.9, weight_decay=1 / (PRIOR * len(views))), len(views), views)
    for _ in range(steps):
        training.step({"before": views.before, "category": views.category})
    return training.trained()


def _training(model: Graph, parameters: Sequence[str], optimizer: Optimizer, size: int, views: Views) -> Training:
    shapes = {"before": (size, FIELDS), "category": (size,)}
    return Training(model, model.outputs[1], parameters, optimizer, shapes=shapes)


def _layer(graph: GraphBuilder, value: str, name: str) -> str:
    return graph.add("add", graph.add("matmul", value, f"{name}/weights"), f"{name}/bias")


def log_loss(model: Graph, views: Views) -> float:
    """Return the mean cross entropy of a model's scores for views, in nats."""
    session = Session(model, {"before": views.before.shape, "category": views.category.shape})
    return float(session.run({"before": views.before, "category": views.category})[model.outputs[1]])


def _training(model: Graph, parameters: Sequence[str], optimizer: Optimizer, size: int, views: Views) -> Training:
    shapes = {"before": (size, FIELDS), "category": (size,)}
    return Training(model, model.outputs[1], parameters, optimizer, shapes=shapes)


def _layer(graph: GraphBuilder, value: str, name: str) -> str:
    return graph.add("add", graph.add("matmul", value, f"{name}/weights"), f"{name}/bias")


def _views(events: Sequence[BehaviourEvent]) -> Iterator[tuple[list[float], int]]:
    """Yield, for each view of an item's page, what was known before it and the number of the item's category."""
    last: dict[str, Any] | None = None
    decided = False
    for event in events:
        if event.id == "item_enter":
            item = event.contents["item"]
            yield _fields(last, decided), CATEGORIES.index(item["category"])
            last, decided = item, False
        elif event.id in DECISIONS:
            decided = True


def _fields(item: dict[str, Any] | None, decided: bool) -> list[float]:
    if item is None:
        return [0.0] * FIELDS
    categories = [float(item["category"] == each) for each in CATEGORIES]
    return [*categories, math.log(item["price"]) / 3 - 1, item["rating"] - 4, float(decided)]
