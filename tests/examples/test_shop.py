"""shop/ipv: what a feature holds and how large it gets, that its encoding tells of the next view, and its samples."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from shutil import copytree
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from examples import no_bytecode
from examples.shop import train
from examples.shop.task import main
from tests.examples.replay import readme
from tests.examples.test_bundles import install
from walle.bundle.samples import load_samples
from walle.bundle.tree import FolderTree
from walle.container.cloud_half import ask, uploaded, write_entry
from walle.container.requirements import RuntimeFacts, check_requirements
from walle.container.samples import run_samples
from walle.container.sandbox import Sandbox
from walle.stream import session_generator
from walle.stream.sessions import read_session

with no_bytecode():
    from examples.shop.task.cloud import recommend

TASK = train.HERE / "task"
MODEL = main.load_model(TASK / "model.npz")
VIEWS = [
    view for seed in range(40) for view in train.views_of(session_generator.shop_session(random.Random(seed), 1e9))
]


def events_of(view: train.View) -> list[dict[str, Any]]:
    return [event.to_dict() for event in view.events]


def event(name: str, at: float, **contents: Any) -> dict[str, Any]:
    return {"kind": "click", "id": name, "page": "item/1", "at": at, "contents": contents}


def compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def test_a_feature_has_the_events_of_each_kind_together() -> None:
    item = {"id": 1, "category": "toys", "price": 9.5, "rating": 4.2, "stock": 3}
    events = [
        event("item_enter", 100.0, item=item, **{"from": "list"}),
        event("page_scroll", 101.0, from_px=0, to_px=400, page_px=1000),
        event("exposure", 102.0, section="comments", place=2, shown_ms=300, item=item),
        event("page_scroll", 105.0, from_px=400, to_px=100, page_px=1000),
        event("open_item", 106.0, item={"id": 2, "category": "books"}),
        event("add_to_cart", 107.0, item=item),
        event("item_exit", 110.0, item=item),
    ]
    feature = main.feature_of(events)
    assert feature == {
        "item": {"id": 1, "category": "toys", "price": 9.5, "rating": 4.2},
        "from": "list",
        "entered_at": 100.0,
        "dwell_s": 10.0,
        "events": 7,
        "pauses": {"p50_s": 1.0, "mean_s": 1.67, "longest_s": 3.0},
        "clusters": {
            "item_enter": {"count": 1, "first_s": 0.0, "last_s": 0.0, "mean_gap_s": 0.0, "times_s": [0.0]},
            "page_scroll": {"count": 2, "first_s": 1.0, "last_s": 5.0, "mean_gap_s": 4.0, "times_s": [1.0, 5.0]},
            "exposure": {"count": 1, "first_s": 2.0, "last_s": 2.0, "mean_gap_s": 0.0, "times_s": [2.0]},
            "open_item": {"count": 1, "first_s": 6.0, "last_s": 6.0, "mean_gap_s": 0.0, "times_s": [6.0]},
            "add_to_cart": {"count": 1, "first_s": 7.0, "last_s": 7.0, "mean_gap_s": 0.0, "times_s": [7.0]},
            "item_exit": {"count": 1, "first_s": 10.0, "last_s": 10.0, "mean_gap_s": 0.0, "times_s": [10.0]},
        },
        "scrolls": {"moved_px": 700, "deepest_share": 0.4},
        "exposures": {"comments": {"count": 1, "shown_ms": 300, "longest_ms": 300, "places": [2]}},
        "decisions": ["add_to_cart"],
    }
    assert main.feature_of(events[::-1]) == feature


def test_an_exit_alone_is_a_feature_too() -> None:
    feature = main.feature_of([event("item_exit", 5.0)])
    assert (feature["events"], feature["item"], feature["from"]) == (1, {}, "unknown")
    assert main.encode(main.vector_of(feature), MODEL).shape == (32,)


def test_a_view_without_events_says_what_was_expected() -> None:
    with pytest.raises(ValueError, match="expected the events of a view"):
        main.feature_of([])


def test_features_keep_nothing_redundant_and_stay_small() -> None:
    features = [compact(main.feature_of(events_of(view))) for view in VIEWS]
    assert not any("battery" in feature or "experiments" in feature for feature in features)
    assert 1000 < np.mean([len(feature) for feature in features]) < 1400
    long = [event(f"kind-{number % 100}", float(number), section="details", place=number) for number in range(5000)]
    assert len(compact(main.feature_of(long))) < 3000


def test_an_encoding_has_128_bytes() -> None:
    encodings = [main.encode(main.vector_of(main.feature_of(events_of(view))), MODEL) for view in VIEWS]
    assert {(encoding.dtype.name, encoding.nbytes) for encoding in encodings} == {("float32", 128)}
    assert np.ptp(encodings, axis=0).min() > 0.1


def test_what_goes_up_is_short_and_as_exact_as_it_is_said_to_be() -> None:
    context: Any = SimpleNamespace(path=lambda name: TASK / name, metric=lambda name, value: None)
    for view in VIEWS[:20]:
        output = main.run({"events": events_of(view), "trigger": {"page": "item/75"}}, context)
        sent = compact({"page": output["page"], "encoding": output["encoding"].tolist()})
        assert len(sent) < 270
        exact = main.encode(main.vector_of(main.feature_of(events_of(view))), MODEL)
        assert np.abs(json.loads(sent)["encoding"] - exact).max() < 0.6 * 10**-main.DECIMALS


def test_the_task_and_the_generator_know_the_same_categories() -> None:
    assert main.CATEGORIES == session_generator.CATEGORIES
    assert set(session_generator.READING) < set(main.COUNTED)
    assert main.SECTIONS == session_generator.SECTIONS


def test_the_shipped_encoding_tells_of_the_next_view() -> None:
    figures = train.measured(MODEL, train.cases_of(train.HELD_OUT[:150]))
    assert figures["decision_auc"] > figures["decision_auc_same"] + 0.02
    assert figures["category_bits"] < 2.5


def test_training_learns_and_is_repeatable() -> None:
    cases = train.cases_of(range(150))
    first, again = train.train_model(cases), train.train_model(cases)
    assert all(np.array_equal(first[name], again[name]) for name in first)
    before, after = (
        train.measured(model, cases) for model in (train.first_model(cases, np.random.default_rng(0)), first)
    )
    assert after["category_bits"] < before["category_bits"] - 0.3
    assert after["decision_auc"] > before["decision_auc"] + 0.05


def test_gradients_are_those_of_the_loss() -> None:
    cases = train.Cases(*(column[:8] for column in train.cases_of(range(8))))
    model = {
        name: value.astype(np.float64) for name, value in train.first_model(cases, np.random.default_rng(1)).items()
    }

    def loss() -> float:
        encoded = main.encode(cases.vectors, model)
        shares = train.softmax(main.head(encoded, model["category"]))[np.arange(8), cases.category]
        chances = train.sigmoid(main.head(encoded, model["decision"]))[:, 0]
        return float(-np.log(shares).mean() - np.log(np.where(cases.decided, chances, 1 - chances)).mean())

    for name, gradient in train.gradients(model, cases).items():
        place = np.unravel_index(np.abs(gradient).argmax(), gradient.shape)
        losses = []
        for step in (1e-5, -2e-5):
            model[name][place] += step
            losses.append(loss())
        model[name][place] += 1e-5
        assert (losses[0] - losses[1]) / 2e-5 == pytest.approx(float(gradient[place]), rel=1e-3), name


def test_the_samples_are_the_sessions_of_the_generator() -> None:
    for name, seed in train.SAMPLES.items():
        session = session_generator.shop_session(random.Random(seed), train.START)
        assert read_session(TASK / "samples" / f"{name}.jsonl") == session


def test_the_cloud_half_has_the_head_and_the_items_that_training_gave(tmp_path: Path) -> None:
    train.write_cloud_half(MODEL, tmp_path)
    for path in ("category.npy", "items.json"):
        assert (tmp_path / path).read_bytes() == (TASK / "cloud" / path).read_bytes()


def test_what_is_recommended_is_of_the_category_that_the_next_view_is_most_likely_of() -> None:
    cases = train.cases_of(train.HELD_OUT[:150])
    encodings = main.encode(cases.vectors, MODEL)
    answers = recommend.answer([{"page": "item/60", "encoding": each.tolist()} for each in encodings])
    told = [(at, answer) for at, answer in enumerate(answers) if answer is not None]
    assert 0.3 < len(told) / len(answers) < 1
    hits = np.mean([main.CATEGORIES[cases.category[at]] == answer["category"] for at, answer in told])
    assert hits > 0.3
    items = {item for _, answer in told for item in answer["items"]}
    assert 60 not in items
    for _, answer in told:
        assert {session_generator.item_of(item).category for item in answer["items"]} == {answer["category"]}
        assert len(answer["items"]) == recommend.MOST


def test_the_readme_says_what_the_model_is() -> None:
    digest = re.search(r"`model.npz` has (\d+) KB", readme("shop"))
    assert digest
    assert int(digest[1]) == round((TASK / "model.npz").stat().st_size / 1000)


@pytest.mark.processes
def test_the_bundle_is_small_and_its_samples_pass_in_the_sandbox(tmp_path: Path) -> None:
    installed = install("shop", tmp_path)
    travelling = {path.relative_to(installed.folder).as_posix() for path in installed.folder.rglob("*.*")}
    assert travelling == {"main.py", "model.npz", "task.toml"}
    facts = RuntimeFacts.of_this_interpreter(["numpy"], app="1.0.0", os="android", os_version="14")
    assert check_requirements(installed.manifest["requires"], facts) == []
    samples = load_samples(FolderTree(installed.source), installed.spec.samples, installed.manifest)
    half = installed.spec.cloud
    assert half is not None
    copytree(installed.source / "cloud", tmp_path / "half" / "cloud")
    write_entry(tmp_path / "half", half)
    with Sandbox() as sandbox:
        results = run_samples(sandbox.run, installed.folder, installed.manifest, samples)
        outputs = [one.run.output for result in results for one in result.by_run()]
        features = [uploaded(installed.manifest["upload"], output) for output in outputs]
        answers = ask(sandbox.run, tmp_path / "half", half, features)
    assert answers.failed is None
    assert len(answers.answers) == 5
    assert all(json.loads(one.body)["items"] for one in answers.answers if one.body is not None)
    assert any(one.body is not None for one in answers.answers)
    assert len(results) == 3
    for result in results:
        assert result.passed, (result.name, result.mismatches, result.run)
        assert 0 < result.run.metrics["next_decision"] < 1
