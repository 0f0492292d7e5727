"""The examples of pipelines: what a push and a serving host would say of them, and how often they are right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from examples.evaluate import HERE, accuracy_line
from examples.reviews.train import SENTENCES
from examples.text.train import read_sentences, split
from tests.examples.replay import readme
from walle.cli.pipeline_archives import checked, open_pipeline

pytestmark = pytest.mark.processes

NAMES = {"reviews": "comments/mood", "screening": "clinic/screening"}


def reviews() -> tuple[list[dict[str, Any]], list[str]]:
    _, held_out = split(read_sentences(SENTENCES))
    return [{"text": each.text} for each in held_out], [each.label for each in held_out]


def screening() -> tuple[list[dict[str, Any]], list[str]]:
    from examples.screening.train import held_out_cases

    return held_out_cases()


HELD_OUT = {"reviews": reviews, "screening": screening}


@pytest.mark.parametrize("example", NAMES)
def test_would_be_accepted_and_predicts_its_samples(example: str) -> None:
    found = checked(HERE / example / "task")
    assert found["problems"] == []
    assert found["ok"]
    assert found["samples"] == 20


@pytest.mark.parametrize("example", NAMES)
def test_the_shipped_pipeline_is_as_accurate_as_the_readme_says(example: str) -> None:
    records, labels = HELD_OUT[example]()
    _, pipeline = open_pipeline(HERE / example / "task")
    right = np.array([pipeline.predict(each)["label"] == label for each, label in zip(records, labels, strict=True)])
    assert f"{NAMES[example]}: {accuracy_line(np.where(right, 1, np.inf))}" in readme(example)
