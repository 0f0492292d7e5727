"""What a customer will put into the basket next: what follows the last product, and what goes with the others."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from walle.container import Context

TOP = 5
NEW_BASKET = {"login", "checkout", "logout_with_purchase", "logout_without_purchase"}


@cache
def load_model(path: Path) -> dict[str, NDArray[Any]]:
    """`products` and their `categories`, shape (n,); natural logarithms: `first`, the probability to open a
    basket with each, shape (n,); `following`, of each column right after each row, shape (n, n); `together`,
    how much likelier each column is in a basket that holds each row, shape (n, n)."""
    with np.load(path) as model:
        return dict(model)


def basket(events: list[dict[str, Any]]) -> list[str]:
    """The products put into the basket that is open after `events`, oldest first."""
    products: list[str] = []
    for event in events:
        if event["event"] in NEW_BASKET:
            products = []
        elif event["event"] == "add_to_cart":
            products.append(event["product"])
    return products


def next_scores(chosen: list[str], model: dict[str, NDArray[Any]]) -> NDArray[np.float64]:
    """A logarithmic score for each product of the model, given the basket so far."""
    places = {product: place for place, product in enumerate(model["products"].tolist())}
    known = [places[product] for product in chosen if product in places]
    if not known:
        return model["first"].copy()
    *earlier, last = known
    scores: NDArray[np.float64] = model["following"][last] + model["together"][earlier].sum(axis=0)
    return scores


def preferred(model: dict[str, NDArray[Any]], prefs: dict[str, Any]) -> NDArray[np.float64]:
    """What the customer's preferences add to each score: `boost` multiplies a category's odds, `hide` bars."""
    boosts = [prefs["boost"].get(category, 1.0) for category in model["categories"].tolist()]
    hidden = np.isin(model["products"], prefs["hide"])
    return np.where(hidden, -np.inf, np.log(boosts))


def run(inputs: dict[str, Any], context: Context) -> dict[str, Any]:
    model = load_model(context.path("model.npz"))
    prefs = json.loads(context.path("prefs.json").read_text("utf-8"))
    chosen = basket(inputs["events"])
    odds = np.exp(next_scores(chosen, model) + preferred(model, prefs))
    odds[np.isin(model["products"], chosen)] = 0.0
    probabilities = odds / max(odds.sum(), np.finfo(float).tiny)
    best = [place for place in np.argsort(-probabilities, kind="stable")[:TOP] if probabilities[place] > 0]
    confidence = round(float(probabilities[best[:1]].sum()), 4)
    context.metric("confidence", confidence)
    return {"recommendations": model["products"][best].tolist(), "confidence": confidence}
