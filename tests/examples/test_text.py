"""comments/sentiment: the shipped model is as accurate as stated and can be made again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from examples.evaluate import HERE, LocalContext, accuracy_line, load_run, truth_ranks
from examples.text import train
from examples.text.task import main
from tests.examples.replay import cases_of, readme, retrained_ranks

BUNDLE = HERE / "text" / "task"
CASES = cases_of("text")


@pytest.fixture(scope="module")
def parts() -> tuple[list[train.Sentence], list[train.Sentence]]:
    return train.split(train.read_sentences(train.HERE / "data" / "uci_sentences.tsv"))


def test_the_shipped_model_is_as_accurate_as_the_readme_says() -> None:
    ranks = truth_ranks(BUNDLE, CASES)
    assert (ranks == 1).mean() >= 0.78
    assert f"comments/sentiment: {accuracy_line(ranks)}" in readme("text")


@pytest.mark.slow
def test_training_again_gives_the_same_accuracy(parts: tuple[list, list], tmp_path: Path) -> None:
    ranks = retrained_ranks(BUNDLE, train.train_model(parts[0]), CASES, tmp_path)
    # A few sentences may lie so close to the border that another processor's rounding moves them.
    assert abs((ranks == 1).sum() - (truth_ranks(BUNDLE, CASES) == 1).sum()) <= 3


def test_the_inputs_are_the_held_out_sentences(parts: tuple[list, list], tmp_path: Path) -> None:
    train.write_inputs(tmp_path / "inputs.jsonl", parts[1])
    assert (tmp_path / "inputs.jsonl").read_bytes() == (train.HERE / "inputs.jsonl").read_bytes()


def test_no_held_out_sentence_was_trained_on(parts: tuple[list, list]) -> None:
    train_words, held_out_words = ({tuple(main.WORD.findall(s.text.lower())) for s in part} for part in parts)
    assert not train_words & held_out_words


def test_the_model_file_is_small() -> None:
    assert (BUNDLE / "model.npz").stat().st_size < 2_000_000


def test_features_are_words_pairs_and_marked_letter_runs() -> None:
    found = list(main.features("So good!"))
    assert found[:5] == ["so", "good", "!", "so good", "good !"]
    assert {"#<so", "#so>", "#<so>", "#<go", "#goo", "#<good", "#good>"} <= set(found)
    assert list(main.features("")) == []


def test_training_rows_are_what_the_device_computes() -> None:
    text = "A great phone, a GREAT price."
    row = train.matrix([train.Sentence("amazon", "positive", text)])
    assert row.indices.tolist() == main.buckets(text)
    weights = np.random.default_rng(0).normal(size=main.BUCKETS).astype(np.float32)
    logit = float((row @ weights)[0])
    assert main.positive_probability(text, weights, 0.5) == pytest.approx(1 / (1 + np.exp(-(logit + 0.5))), rel=1e-5)


@pytest.mark.parametrize("text", ["", "   ", "!!!", "日本語", "a" * 100_000, "\x00\ud7ff"])
def test_any_text_is_answered(text: str) -> None:
    context = LocalContext(BUNDLE)
    answer = load_run(BUNDLE)({"text": text}, context)
    assert answer["label"] in {"positive", "negative"}
    assert 0.5 <= answer["confidence"] <= 1
    assert context.metrics == {"confidence": answer["confidence"]}
