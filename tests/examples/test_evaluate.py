"""The measuring script: ranks, intervals, and the shared defaults of exclusive files."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest

from examples.evaluate import (
    HERE,
    accuracy_line,
    exclusive_defaults,
    hit_rate_line,
    load_run,
    rank_of_truth,
    wilson,
)


def test_a_label_is_right_or_not_given() -> None:
    assert rank_of_truth({"label": 7}, 7) == 1
    assert rank_of_truth({"label": 1}, 7) == math.inf


def test_a_recommendation_is_ranked_by_its_place() -> None:
    assert rank_of_truth({"recommendations": ["Chips", "Wine"]}, "Wine") == 2
    assert rank_of_truth({"recommendations": ["Chips"]}, "Wine") == math.inf


def test_the_interval_is_wilsons() -> None:
    # The textbook case: 8 of 10.
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson(10, 10)[1] == pytest.approx(1.0)


def test_lines_state_shares_and_counts() -> None:
    ranks = np.array([1.0, 2.0, 4.0, np.inf])
    assert accuracy_line(ranks).startswith("accuracy 0.2500 (1 of 4;")
    assert hit_rate_line(ranks) == "hit rate@1 0.2500, hit rate@3 0.5000, hit rate@5 0.7500 (4 cases)"


def test_exclusive_files_fall_back_on_their_defaults() -> None:
    assert exclusive_defaults(HERE / "recommendation" / "task") == {"prefs.json": "defaults/prefs.json"}
    assert exclusive_defaults(HERE / "image" / "task") == {}


@pytest.mark.parametrize("wanted", [True, False])
def test_a_main_leaves_no_bytecode_beside_it(wanted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", not wanted)
    (tmp_path / "main.py").write_text("def run(inputs, context):\n    return inputs\n")
    assert load_run(tmp_path)({"x": 1}, None) == {"x": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["main.py"]
    assert sys.dont_write_bytecode is not wanted


def test_a_folder_without_a_main_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_run(tmp_path)
