"""Train the encoder of item page views, and measure it on the sessions of customers that training never saw.

    python -m examples.shop.train              # both; about half a minute
    python -m examples.shop.train --measure    # only measure what task/model.npz has

Data: `walle.stream.session_generator`, a customer a seed. A case is one view of an item's page that ended, and what
came after: the item page that the customer entered next. From the encoding of the first alone, two linear heads predict
the second: its category, and whether the item is put into the cart or bought. So an encoding keeps of a feature what is
worth knowing about the next view. The constants were chosen on a quarter of the training sessions.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from examples import no_bytecode
from walle.stream.events import BehaviourEvent
from walle.stream.session_generator import ITEMS, item_of, shop_session
from walle.stream.sessions import session_line, write_session

with no_bytecode():
    from examples.shop.task.main import CATEGORIES, WIDTH, encode, feature_of, head, load_model, vector_of

HERE = Path(__file__).parent
SEED = 0
TRAINING, HELD_OUT = range(6000), range(100_000, 102_000)
"""The seeds of the customers whose sessions these are."""
HIDDEN, ENCODED = 64, 32
PASSES, BATCH, RATE, DECAY = 12, 256, 3e-3, 3e-2
CART = ("add_to_cart", "purchase")
SAMPLES = {"cart": 121, "nested": 1518, "interleaved": 1670}
"""The customers whose sessions are the samples of task.toml: short ones, one for each way to leave a page."""
START = 1_700_000_000.0
RECOMMENDED = 20
"""So many items of each category are known to the cloud half."""

Numbers = NDArray[np.float32]
Model = dict[str, Numbers]


class View(NamedTuple):
    """The events of one item page view, from its enter to its exit."""

    events: list[BehaviourEvent]
    next: View | None = None

    @property
    def category(self) -> str:
        return str(self.events[0].contents["item"]["category"])

    @property
    def into_cart(self) -> bool:
        return any(event.id in CART for event in self.events)


class Cases(NamedTuple):
    """What is seen, shape (n, WIDTH); the category and the decision of the view after it, and those of itself, (n,)."""

    vectors: Numbers
    category: NDArray[np.int64]
    decided: NDArray[np.bool_]
    own_category: NDArray[np.int64]
    own_decided: NDArray[np.bool_]


def views_of(session: Iterable[BehaviourEvent]) -> Iterator[View]:
    """The views of a session that ended, each with the one that was entered next after its end, if there was one."""
    events = list(session)
    pages: dict[str, list[BehaviourEvent]] = defaultdict(list)
    for event in events:
        pages[event.page].append(event)
    entered = {at: event.page for at, event in enumerate(events) if event.id == "item_enter"}
    for at, event in enumerate(events):
        if event.id == "item_exit":
            following = next((page for place, page in entered.items() if place > at), None)
            ended = [each for each in pages[event.page] if each.at <= event.at]
            yield View(ended, View(pages[following]) if following else None)


def cases_of(seeds: Iterable[int]) -> Cases:
    seen = [
        (vector_of(feature_of([event.to_dict() for event in view.events])), view, view.next)
        for seed in seeds
        for view in views_of(shop_session(random.Random(seed), START))
        if view.next is not None
    ]
    place = {category: at for at, category in enumerate(CATEGORIES)}
    return Cases(
        np.array([vector for vector, _, _ in seen]),
        np.array([place[after.category] for _, _, after in seen if after]),
        np.array([after.into_cart for _, _, after in seen if after]),
        np.array([place[view.category] for _, view, _ in seen]),
        np.array([view.into_cart for _, view, _ in seen]),
    )


def first_model(cases: Cases, rng: np.random.Generator) -> Model:
    def weights(*shape: int) -> Numbers:
        return (rng.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)

    return {
        "mean": cases.vectors.mean(axis=0),
        "scale": cases.vectors.std(axis=0) + np.float32(1e-3),
        "w1": weights(WIDTH, HIDDEN),
        "b1": np.zeros(HIDDEN, np.float32),
        "w2": weights(HIDDEN, ENCODED),
        "b2": np.zeros(ENCODED, np.float32),
        "category": weights(ENCODED + 1, len(CATEGORIES)),
        "decision": weights(ENCODED + 1, 1),
    }


def gradients(model: Mapping[str, Numbers], batch: Cases) -> Model:
    """Of the mean cross entropy of both heads, by backpropagation."""
    count = len(batch.vectors)
    inputs = (batch.vectors - model["mean"]) / model["scale"]
    hidden = np.tanh(inputs @ model["w1"] + model["b1"])
    encoded = np.tanh(hidden @ model["w2"] + model["b2"])
    off_category = softmax(head(encoded, model["category"]))
    off_category[np.arange(count), batch.category] -= 1
    off_decision = sigmoid(head(encoded, model["decision"])) - batch.decided[:, None]
    back = off_category @ model["category"][:-1].T + off_decision @ model["decision"][:-1].T
    at_encoded = back * (1 - encoded**2)
    at_hidden = at_encoded @ model["w2"].T * (1 - hidden**2)
    with_bias = np.hstack([encoded, np.ones((count, 1), np.float32)])
    found = {
        "w1": inputs.T @ at_hidden,
        "b1": at_hidden.sum(axis=0),
        "w2": hidden.T @ at_encoded,
        "b2": at_encoded.sum(axis=0),
        "category": with_bias.T @ off_category,
        "decision": with_bias.T @ off_decision,
    }
    return {name: (gradient / count).astype(np.float32) for name, gradient in found.items()}


def softmax(logits: Numbers) -> Numbers:
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: Numbers = odds / odds.sum(axis=1, keepdims=True)
    return shares


def sigmoid(logits: Numbers) -> Numbers:
    chances: Numbers = 1 / (1 + np.exp(-logits))
    return chances


# The number of threads decides in which order numbers are added, and so how they are rounded.
@threadpool_limits.wrap(limits=1)
def train_model(cases: Cases) -> Model:
    """Adam with decoupled weight decay, in batches whose order is seeded, at a rate that falls to nothing."""
    rng = np.random.default_rng(SEED)
    model = first_model(cases, rng)
    trained = [name for name in model if name not in ("mean", "scale")]
    first, second = ({name: np.zeros_like(model[name]) for name in trained} for _ in range(2))
    steps = PASSES * (len(cases.vectors) // BATCH)
    orders = np.concatenate([rng.permutation(len(cases.vectors))[: steps // PASSES * BATCH] for _ in range(PASSES)])
    for step, chosen in enumerate(orders.reshape(steps, BATCH), start=1):
        rate = RATE * (1 - (step - 1) / steps)
        for name, gradient in gradients(model, Cases(*(column[chosen] for column in cases))).items():
            first[name] = 0.9 * first[name] + 0.1 * gradient
            second[name] = 0.999 * second[name] + 0.001 * gradient**2
            move = first[name] / (1 - 0.9**step) / (np.sqrt(second[name] / (1 - 0.999**step)) + 1e-8)
            model[name] = (model[name] - rate * (move + DECAY * model[name])).astype(np.float32)
    return model


def area_under_curve(scores: NDArray[np.float64], truth: NDArray[np.bool_]) -> float:
    """How often a case that is true has a higher score than one that is not; equal scores count half."""
    _, places, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(sizes) - (sizes - 1) / 2)[places]
    positives = int(truth.sum())
    return float((ranks[truth].sum() - positives * (positives + 1) / 2) / (positives * (len(truth) - positives)))


def measured(model: Mapping[str, Numbers], cases: Cases) -> dict[str, float]:
    """How well the heads predict the next view, and how well the simplest predictors do.

    The bits are those that the next category still takes, 3.58 for one who knows nothing. The simplest predictor knows
    how often, among these very cases, the category stays the same.
    """
    encoded = encode(cases.vectors, model)
    shares = softmax(head(encoded, model["category"]))[np.arange(len(encoded)), cases.category]
    same = float((cases.own_category == cases.category).mean())
    return {
        "cases": len(cases.vectors),
        "category_bits": float(-np.log2(shares).mean()),
        "category_bits_same": -same * math.log2(same) - (1 - same) * math.log2((1 - same) / (len(CATEGORIES) - 1)),
        "decision_auc": area_under_curve(head(encoded, model["decision"])[:, 0].astype(np.float64), cases.decided),
        "decision_auc_same": area_under_curve(cases.own_decided.astype(np.float64), cases.decided),
    }


def sizes(seeds: Iterable[int]) -> dict[str, float]:
    """The means of the events of a view, and of the bytes of these and of the feature, both as compact JSON."""
    views = [view.events for seed in seeds for view in views_of(shop_session(random.Random(seed), START))]
    raw = [sum(len(session_line(event).encode()) for event in events) for events in views]
    features = (feature_of([event.to_dict() for event in events]) for events in views)
    small = [len(json.dumps(feature, separators=(",", ":")).encode()) for feature in features]
    return {"views": len(views), "events": float(np.mean([*map(len, views)])), "raw": float(np.mean(raw))} | {
        "feature": float(np.mean(small)),
        "largest_feature": max(small),
    }


def write_cloud_half(model: Mapping[str, Numbers], folder: Path) -> None:
    """Write what cloud/recommend.py loads: the head for the next category, and the best items of each category."""
    np.save(folder / "category.npy", model["category"])
    best = sorted(map(item_of, range(ITEMS)), key=lambda item: (-item.rating, item.number))
    found = [
        {"name": name, "items": [item.number for item in best if item.category == name][:RECOMMENDED]}
        for name in CATEGORIES
    ]
    lines = ",\n".join(json.dumps(category) for category in found)
    (folder / "items.json").write_text(f"[\n{lines}\n]\n")


def print_measured(figures: Mapping[str, float]) -> None:
    print(
        f"shop/ipv ({figures['cases']:.0f} cases of {len(HELD_OUT)} customers):\n"
        f"  category of the next view: {figures['category_bits']:.3f} bits left,"
        f" by this one's alone {figures['category_bits_same']:.3f}\n"
        f"  next item into the cart or bought: area under the curve {figures['decision_auc']:.3f},"
        f" by whether this one was {figures['decision_auc_same']:.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the encoder of item page views, and measure it.")
    parser.add_argument("--measure", action="store_true", help="do not train")
    path = HERE / "task" / "model.npz"
    if not parser.parse_args().measure:
        model = train_model(cases_of(TRAINING))
        np.savez_compressed(path, **model)
        write_cloud_half(model, path.parent / "cloud")
        for name, seed in SAMPLES.items():
            write_session(path.parent / "samples" / f"{name}.jsonl", shop_session(random.Random(seed), START))
    print_measured(measured(load_model(path), cases_of(HELD_OUT)))
    small = sizes(HELD_OUT[:1000])
    print(
        f"  a view: {small['events']:.1f} events of {small['raw'] / 1000:.1f} KB,"
        f" a feature of {small['feature'] / 1000:.2f} KB"
        f" ({small['largest_feature'] / 1000:.2f} KB at most), {4 * ENCODED} bytes encoded"
    )


if __name__ == "__main__":
    main()
