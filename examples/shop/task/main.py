"""The item page view (IPV): what one view of an item's page tells, as a feature, and that feature as 32 numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from walle_task import Events, Filter, KeyBy, Map

if TYPE_CHECKING:
    from walle.container import Context

Feature = dict[str, Any]
Numbers = NDArray[np.float32]

KEPT = ("item", "from", "section", "place", "shown_ms", "from_px", "to_px", "page_px")
"""The contents that say something about a view; all others are redundant, such as the device's status."""
ITEM = ("id", "category", "price", "rating")
CATEGORIES = (
    *("books", "cosmetics", "dresses", "furniture", "garden", "kitchen"),
    *("laptops", "phones", "shoes", "snacks", "sports", "toys"),
)
DECISIONS = ("add_favourite", "add_to_cart", "purchase")
COUNTED = (
    *("page_scroll", "exposure", "open_item", "comments", "photos", "size", "service", "share", "shop"),
    *DECISIONS,
)
SECTIONS = ("details", "comments", "recommended", "shop")
DECIMALS = 3
"""How many an encoding goes up with: the models in the cloud are as good as with all that float32 has, and what is sent
is less than half of it."""
CLUSTERS, TIMES = 16, 10
"""The most clusters of a feature, and the most times of a cluster: a feature stays small, however long the view was."""


def relevant(event: Mapping[str, Any]) -> dict[str, Any]:
    """The event without its redundant fields."""
    contents = event["contents"]
    return {"id": event["id"], "at": event["at"]} | {name: contents[name] for name in KEPT if name in contents}


def feature_of(raw: list[dict[str, Any]]) -> Feature:
    """The events of one view, in any order, as its feature; times are seconds since its first event.

    Raises ValueError without any event.
    """
    if not raw:
        raise ValueError("expected the events of a view, of which there is at least the exit that ended it; found none")
    events = sorted(Events(raw) | Map(relevant), key=lambda event: event["at"])
    begin, end = events[0]["at"], events[-1]["at"]
    ids = list(dict.fromkeys(event["id"] for event in events))[:CLUSTERS]
    return {
        "item": {name: value for name, value in item_of(events).items() if name in ITEM},
        "from": next(
            iter(Events(events) | Filter(lambda event: "from" in event) | Map(lambda e: e["from"])), "unknown"
        ),
        "entered_at": begin,
        "dwell_s": round(end - begin, 2),
        "events": len(events),
        "pauses": pauses_of([event["at"] for event in events]),
        "clusters": {name: cluster_of(Events(events) | KeyBy("id", name), begin) for name in ids},
        "scrolls": scrolls_of(Events(events) | KeyBy("id", "page_scroll")),
        "exposures": exposures_of(Events(events) | KeyBy("id", "exposure")),
        "decisions": [name for name in DECISIONS if name in ids],
    }


def item_of(events: list[dict[str, Any]]) -> Mapping[str, Any]:
    """The item of the page, which its enter and its exit name; other events may be about other items."""
    framing = Filter(
        lambda event: event["id"] in ("item_enter", "item_exit") and isinstance(event.get("item"), Mapping)
    )
    return next((event["item"] for event in Events(events) | framing), {})


def cluster_of(events: Events, begin: float) -> dict[str, Any]:
    """Statistics of the events of one id."""
    times = [round(event["at"] - begin, 2) for event in events]
    gap = round((times[-1] - times[0]) / max(len(times) - 1, 1), 2)
    return {"count": len(times), "first_s": times[0], "last_s": times[-1], "mean_gap_s": gap, "times_s": times[:TIMES]}


def pauses_of(times: list[float]) -> dict[str, float]:
    """The median, the mean and the longest time between one event and the next, in seconds."""
    pauses = sorted(after - before for before, after in pairwise(times)) or [0.0]
    mean = sum(pauses) / len(pauses)
    return {"p50_s": round(pauses[len(pauses) // 2], 2), "mean_s": round(mean, 2), "longest_s": round(pauses[-1], 2)}


def scrolls_of(events: Events) -> dict[str, Any]:
    """How far the page was scrolled altogether, and the greatest share of it that was reached."""
    reached = [event["to_px"] for event in events if "to_px" in event]
    moved = [abs(event["to_px"] - event["from_px"]) for event in events if "from_px" in event and "to_px" in event]
    heights = [event["page_px"] for event in events if "page_px" in event]
    deepest = max(reached, default=0) / max([*heights, 1])
    return {"moved_px": sum(moved), "deepest_share": round(min(deepest, 1.0), 3)}


def exposures_of(events: Events) -> dict[str, Any]:
    """For each section of the page, how much of it was seen and for how long."""
    found = {}
    for section in SECTIONS:
        shown = list(events | KeyBy("section", section))
        if shown:
            times = [event.get("shown_ms", 0) for event in shown]
            places = sorted({event.get("place", 0) for event in shown})[:TIMES]
            found[section] = {"count": len(shown), "shown_ms": sum(times), "longest_ms": max(times), "places": places}
    return found


def vector_of(feature: Feature) -> Numbers:
    """What the encoder sees of a feature: shape (WIDTH,). Counts and durations are logarithms of 1 more."""
    item, clusters, exposures = feature["item"], feature["clusters"], feature["exposures"]
    amounts = [
        item.get("price", 0.0),
        feature["dwell_s"],
        feature["events"],
        *feature["pauses"].values(),
        feature["scrolls"]["moved_px"] / 1000,
        *(clusters.get(name, {}).get("count", 0) for name in COUNTED),
        *(exposures.get(section, {}).get(name, 0) for section in SECTIONS for name in ("count", "shown_ms")),
    ]
    return np.array(
        [
            *(item.get("category") == category for category in CATEGORIES),
            item.get("rating", 4.0),
            feature["from"] == "list",
            feature["scrolls"]["deepest_share"],
            *(math.log1p(max(amount, 0)) for amount in amounts),
        ],
        dtype=np.float32,
    )


WIDTH = len(CATEGORIES) + 3 + 7 + len(COUNTED) + 2 * len(SECTIONS)


@cache
def load_model(path: Path) -> dict[str, Numbers]:
    """The encoder: `mean` and `scale` of what it sees, shape (WIDTH,); `w1`, `b1`, `w2`, `b2`. And the heads that it
    was trained with: `category`, shape (33, 12), and `decision`, shape (33, 1), whose last rows are the biases."""
    with np.load(path) as model:
        return dict(model)


def encode(vectors: Numbers, model: Mapping[str, Numbers]) -> Numbers:
    """Vectors, shape (..., WIDTH), as encodings, shape (..., 32): numbers from -1 to 1."""
    hidden = np.tanh((vectors - model["mean"]) / model["scale"] @ model["w1"] + model["b1"])
    encoded: Numbers = np.tanh(hidden @ model["w2"] + model["b2"])
    return encoded


def head(encodings: Numbers, weights: Numbers) -> Numbers:
    """The logits of a head for encodings of shape (..., 32)."""
    logits: Numbers = encodings @ weights[:-1] + weights[-1]
    return logits


def run(inputs: dict[str, Any], context: Context) -> dict[str, Any]:
    model = load_model(context.path("model.npz"))
    feature = feature_of(inputs["events"])
    encoding = encode(vector_of(feature), model)
    context.metric("next_decision", 1 / (1 + math.exp(-float(head(encoding, model["decision"])[0]))))
    page, decisions = inputs["trigger"]["page"], feature["decisions"]
    rounded = encoding.astype(float).round(DECIMALS)
    return {"page": page, "decisions": decisions, "feature": feature, "encoding": rounded}
