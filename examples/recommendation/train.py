"""Train the recommender and measure it on customers that training never saw.

    python -m examples.recommendation.train

Data: data/ibm_store_events.csv.gz. A case is one `add_to_cart`: given the customer's events before it, which
product is it? 30 % of the customers are held out. The constants below were chosen by 5-fold cross-validation
over the other 70 %. The cases of one customer are not independent, so the intervals resample customers.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from examples import no_bytecode
from examples.evaluate import HIT_RANKS, read_cases, truth_ranks

with no_bytecode():
    from examples.recommendation.task.main import basket

HERE = Path(__file__).parent
SEED = 0
HELD_OUT = 0.3
RECENT = 12  # events that a device remembers
PRIOR = 8.0  # how many observations the popularity of a product weighs
TOGETHER = 0.6  # weight of the earlier products beside that of the last
RESAMPLES = 2000

Event = dict[str, str]
Ranks = NDArray[np.float64]


class Case(NamedTuple):
    customer: str
    events: list[Event]
    truth: str


def read_rows(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def cases_of(rows: list[dict[str, str]]) -> list[Case]:
    """One case per `add_to_cart` of a customer who was seen before, in time order.

    The log begins in the middle of many visits: a customer's first line may be the fourth product of a basket.
    """
    histories: dict[str, list[Event]] = defaultdict(list)
    cases = []
    for row in rows:
        history = histories[row["customer_id"]]
        event = {"event": row["event_type"]}
        if row["event_type"] == "add_to_cart":
            event["product"] = row["product"]
            if history:
                cases.append(Case(row["customer_id"], history[-RECENT:], row["product"]))
        history.append(event)
    return cases


def split(rows: list[dict[str, str]]) -> tuple[list[Case], list[Case]]:
    """Training cases, then those of the held-out customers."""
    customers = sorted({row["customer_id"] for row in rows})
    shuffled = np.random.default_rng(SEED).permutation(customers).tolist()
    held_out = set(shuffled[: round(HELD_OUT * len(shuffled))])
    cases = cases_of(rows)
    return [c for c in cases if c.customer not in held_out], [c for c in cases if c.customer in held_out]


def shares(counts: NDArray[np.float64], prior: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each row of `counts` as probabilities, drawn towards `prior` where observations are few."""
    smoothed: NDArray[np.float64] = (counts + PRIOR * prior) / (counts.sum(axis=-1, keepdims=True) + PRIOR)
    return smoothed


def train_model(cases: list[Case], categories: dict[str, str]) -> dict[str, NDArray[Any]]:
    products = sorted(categories)
    place = {product: at for at, product in enumerate(products)}
    count = len(products)
    chosen, first = np.ones(count), np.zeros(count)
    following, together = np.zeros((count, count)), np.zeros((count, count))
    for case in cases:
        truth, so_far = place[case.truth], [place[product] for product in basket(case.events)]
        chosen[truth] += 1
        if so_far:
            following[so_far[-1], truth] += 1
        else:
            first[truth] += 1
        for product in so_far:
            together[product, truth] += 1
    popular = chosen / chosen.sum()
    return {
        "products": np.array(products),
        "categories": np.array([categories[product] for product in products]),
        "first": np.log(shares(first, popular)),
        "following": np.log(shares(following, popular)),
        "together": TOGETHER * np.log(shares(together, popular) / popular),
        "popular": popular,
    }


def popularity_ranks(model: dict[str, NDArray[Any]], cases: list[Case]) -> Ranks:
    """The baseline: where the truth stands among the most popular products that are not in the basket yet."""
    by_popularity = model["products"][np.argsort(-model["popular"], kind="stable")].tolist()
    ranks = []
    for case in cases:
        offered = [product for product in by_popularity if product not in basket(case.events)]
        ranks.append(offered.index(case.truth) + 1 if case.truth in offered else np.inf)
    return np.array(ranks)


def interval(values: NDArray[np.float64], cases: list[Case]) -> tuple[float, float]:
    """The 95 % bootstrap interval of the mean of `values`, one per case, resampling customers."""
    _, customer = np.unique([case.customer for case in cases], return_inverse=True)
    sums, sizes = np.bincount(customer, weights=values), np.bincount(customer)
    draws = np.random.default_rng(SEED).integers(len(sizes), size=(RESAMPLES, len(sizes)))
    low, high = np.percentile(sums[draws].sum(axis=1) / sizes[draws].sum(axis=1), [2.5, 97.5])
    return float(low), float(high)


def print_comparison(name: str, ranks: Ranks, baseline: Ranks, cases: list[Case]) -> None:
    print(f"shop/recommend, {name} ({len(cases)} cases, {len({case.customer for case in cases})} customers):")
    for k in HIT_RANKS:
        hits, popular = (ranks <= k).astype(float), (baseline <= k).astype(float)
        gain = hits - popular
        low, high = interval(hits, cases)
        gain_low, gain_high = interval(gain, cases)
        print(
            f"  hit rate@{k} {hits.mean():.4f} ({low:.3f} to {high:.3f}), popularity {popular.mean():.4f},"
            f" gain {gain.mean():+.4f} ({gain_low:+.3f} to {gain_high:+.3f})"
        )


def write_inputs(path: Path, cases: list[Case]) -> None:
    lines = (
        json.dumps({"inputs": {"events": case.events}, "truth": case.truth}, separators=(",", ":")) for case in cases
    )
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def main() -> None:
    rows = read_rows(HERE / "data" / "ibm_store_events.csv.gz")
    train, held_out = split(rows)
    model = train_model(train, {row["product"]: row["category"] for row in rows if row["product"]})
    np.savez_compressed(HERE / "task" / "model.npz", **model)
    write_inputs(HERE / "inputs.jsonl", held_out)
    ranks = truth_ranks(HERE / "task", read_cases(HERE / "inputs.jsonl"))
    baseline = popularity_ranks(model, held_out)
    print_comparison("all", ranks, baseline, held_out)
    begun = np.array([bool(basket(case.events)) for case in held_out])
    print_comparison(
        "basket begun", ranks[begun], baseline[begun], [c for c, b in zip(held_out, begun, strict=True) if b]
    )


if __name__ == "__main__":
    main()
