"""Archives are looked at in processes with limits: what they cannot do there ends them, and says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.serving_app.archives import RECORDS, pipeline_files
from tests.whitebox.pipelines import data_of, sentiment
from tests.whitebox.reference import predict
from walle.whitebox import examination
from walle.whitebox.archive import Sample, Statistics
from walle.whitebox.archive.writing import write_archive
from walle.whitebox.examination import ArchiveRefused, ExaminationFailed, explain, replay

pytestmark = pytest.mark.processes


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a sound archive."""
    for path, content in pipeline_files((0.5, 0.25)).items():
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return tmp_path


def test_the_batch_engine_predicts_the_samples(folder: Path) -> None:
    found = replay(folder, "batch")
    assert [each["mismatches"] for each in found["samples"]] == [[]] * len(RECORDS)
    assert found["peak_memory_kb"] > 0


def test_the_other_engine_predicts_those_of_a_model_with_its_part_of_the_weights_in_each_branch(tmp_path: Path) -> None:
    program, data = sentiment(), data_of(sentiment())
    records = [{"review": text} for text in ("aa bb cc", "Ab ba AB", "")]
    samples = [Sample(record, _listed(predict(program.graph, data, record))) for record in records]
    write_archive(tmp_path, program.graph, program.arrays, Statistics(), samples)
    assert [each["mismatches"] for each in replay(tmp_path, "request-response")["samples"]] == [[], [], []]


def _listed(outputs: dict[str, Any]) -> dict[str, Any]:
    return {name: value if name == "label" else tuple(value.tolist()) for name, value in outputs.items()}


def test_an_archive_that_lies_is_refused_with_what_is_wrong(folder: Path) -> None:
    next((folder / "parameters").iterdir()).write_bytes(b"\0" * 16)
    with pytest.raises(ArchiveRefused, match=r"the bytes that its name is the SHA-256 of|bytes, by its type"):
        explain(folder)


def test_a_process_that_takes_too_much_memory_is_ended(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examination, "MEMORY_BYTES", 100 << 20)
    with pytest.raises(ExaminationFailed, match="its process ended with") as caught:
        replay(folder, "batch")
    assert not isinstance(caught.value, ArchiveRefused), "a larger machine may say otherwise"


def test_a_process_that_takes_too_long_is_ended(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examination, "TIME_S", 0.01)
    with pytest.raises(ExaminationFailed, match=r"longer than 0.01 s"):
        explain(folder)


def test_an_answer_that_is_too_large_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examination, "MOST_ANSWER", 100)
    with pytest.raises(ExaminationFailed, match="larger than 100 bytes"):
        explain(folder)
