"""shop/recommend: the shipped model is as good as stated beside popularity, personal, and can be made again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from examples.evaluate import HERE, LocalContext, hit_rate_line, load_run, truth_ranks
from examples.recommendation import train
from examples.recommendation.task import main
from tests.examples.replay import cases_of, readme, retrained_ranks

BUNDLE = HERE / "recommendation" / "task"
VARIANTS = sorted((HERE / "recommendation" / "variants").glob("*.json"))
CASES = cases_of("recommendation")
ROWS = train.read_rows(train.HERE / "data" / "ibm_store_events.csv.gz")
CATEGORIES = {row["product"]: row["category"] for row in ROWS if row["product"]}
RESTRICTED = {"Beer", "Cigarettes", "Wine"}


def shipped_model() -> dict[str, Any]:
    return main.load_model(BUNDLE / "model.npz")


def recommend(products: list[str], prefs: Path | None = None) -> dict[str, Any]:
    files = {"prefs.json": str(prefs) if prefs else "defaults/prefs.json"}
    events = [{"event": "add_to_cart", "product": product} for product in products]
    return load_run(BUNDLE)({"events": events}, LocalContext(BUNDLE, files))


def test_the_shipped_model_beats_popularity_as_the_readme_says(capsys: pytest.CaptureFixture[str]) -> None:
    _, held_out = train.split(ROWS)
    ranks, baseline = truth_ranks(BUNDLE, CASES), train.popularity_ranks(shipped_model(), held_out)
    assert (ranks <= 5).mean() > (baseline <= 5).mean() + 0.3
    begun = np.array([bool(main.basket(case.events)) for case in held_out])
    begun_cases = [case for case in held_out if main.basket(case.events)]
    train.print_comparison("all", ranks, baseline, held_out)
    train.print_comparison("basket begun", ranks[begun], baseline[begun], begun_cases)
    for line in capsys.readouterr().out.splitlines():
        assert line in readme("recommendation")


def test_training_again_gives_the_same_hit_rates(tmp_path: Path) -> None:
    model = train.train_model(train.split(ROWS)[0], CATEGORIES)
    ranks = retrained_ranks(BUNDLE, model, CASES, tmp_path)
    assert hit_rate_line(ranks) == hit_rate_line(truth_ranks(BUNDLE, CASES))


def test_the_inputs_are_the_cases_of_the_held_out_customers(tmp_path: Path) -> None:
    train.write_inputs(tmp_path / "inputs.jsonl", train.split(ROWS)[1])
    assert (tmp_path / "inputs.jsonl").read_bytes() == (train.HERE / "inputs.jsonl").read_bytes()


def test_no_held_out_customer_was_trained_on() -> None:
    trained, held_out = ({case.customer for case in part} for part in train.split(ROWS))
    assert trained
    assert held_out
    assert not trained & held_out


def test_a_case_holds_only_what_came_before_it() -> None:
    def row(kind: str, product: str = "") -> dict[str, str]:
        return {"customer_id": "1", "event_type": kind, "product": product}

    cases = train.cases_of([row("add_to_cart", "Wine"), row("browsing"), row("add_to_cart", "Chips")])
    first, second = {"event": "add_to_cart", "product": "Wine"}, {"event": "browsing"}
    assert cases == [train.Case("1", [first, second], "Chips")]


@pytest.mark.parametrize("ending", sorted(main.NEW_BASKET))
def test_a_basket_starts_anew(ending: str) -> None:
    chips, wine = ({"event": "add_to_cart", "product": product} for product in ("Chips", "Wine"))
    assert main.basket([chips, {"event": "browsing"}, wine]) == ["Chips", "Wine"]
    assert main.basket([chips, {"event": ending}, wine]) == ["Wine"]


def test_what_is_in_the_basket_is_not_recommended() -> None:
    products = shipped_model()["products"].tolist()
    for product in products:
        given = recommend([product])["recommendations"]
        assert len(given) == main.TOP
        assert product not in given
    assert recommend(products) == {"recommendations": [], "confidence": 0.0}


def test_unknown_products_are_passed_over() -> None:
    assert recommend(["Club Soda", "Chips", "Moon Dust"]) == recommend(["Club Soda", "Chips"])
    assert recommend(["Moon Dust"]) == recommend([])


def test_minors_are_never_recommended_what_they_may_not_buy() -> None:
    minors = HERE / "recommendation" / "variants" / "under-18.json"
    products = shipped_model()["products"].tolist()
    baskets = [[], *([product] for product in products)]
    given = {product for basket in baskets for product in recommend(basket, minors)["recommendations"]}
    by_default = {product for basket in baskets for product in recommend(basket)["recommendations"]}
    assert not given & RESTRICTED
    assert by_default >= RESTRICTED


def test_a_boost_multiplies_the_odds_of_its_category() -> None:
    model = shipped_model()
    added = main.preferred(model, {"boost": {"Drinks": 2.0}, "hide": ["Beer"]})
    expected = {"Club Soda": np.log(2), "Beer": -np.inf, "Chips": 0.0}
    for product, value in expected.items():
        assert added[model["products"].tolist().index(product)] == pytest.approx(value)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda path: path.stem)
def test_each_variant_names_known_things_and_changes_some_answer(variant: Path) -> None:
    prefs, model = json.loads(variant.read_text("utf-8")), shipped_model()
    assert prefs.keys() == {"boost", "hide"}
    assert set(prefs["boost"]) <= set(model["categories"].tolist())
    assert all(boost > 0 for boost in prefs["boost"].values())
    assert set(prefs["hide"]) <= set(model["products"].tolist())
    assert any(recommend([product], variant) != recommend([product]) for product in model["products"].tolist())


def test_the_tables_are_probabilities() -> None:
    model = shipped_model()
    assert np.exp(model["first"]).sum() == pytest.approx(1)
    assert np.exp(model["following"]).sum(axis=1) == pytest.approx(np.ones(len(model["products"])))
    assert model["popular"].sum() == pytest.approx(1)
