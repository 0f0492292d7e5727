"""`walle pipeline list` and `show`: what the server knows of pipelines."""

from __future__ import annotations

import pytest

from tests.serving_app.archives import pipeline_files
from tests.support.people import make_staff


@pytest.fixture
def purchase(walle, signed_in, scenario, tmp_path):
    """A pipeline with one version, that was uploaded."""
    signed_in(make_staff("sam"))
    for name, content in pipeline_files((1.0, 0.5)).items():
        (tmp_path / "purchase" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "purchase" / name).write_bytes(content)
    done = walle("version", "upload", tmp_path / "purchase", f"{scenario}/purchase", "1.0.0")
    assert done.status == 0, done.err
    return f"{scenario}/purchase"


def test_records_to_ask_about_are_json_as_only_the_pipeline_knows_which_cells_are_numbers(walle, signed_in, tmp_path):
    signed_in(make_staff("sam"))
    (tmp_path / "recent.csv").write_text("pages,minutes\n1,2\n")
    done = walle(
        "pipeline", "ask", "shop/purchase", "--app", "shop", "--caller", "ada", "--records", tmp_path / "recent.csv"
    )
    assert done.status == 2
    assert "expected JSON Lines" in done.err


def test_pipelines_are_listed_and_other_tasks_are_not(walle, purchase, scenario):
    rows = walle("pipeline", "list", "--scenario", scenario).rows
    assert [(row[0], row[1], row[3]) for row in rows] == [(purchase, "1.0.0", "0")]
    assert walle("pipeline", "list", "--search", "nothing-like-it").rows == []


def test_one_is_shown_with_its_versions(walle, purchase):
    told = walle("pipeline", "show", purchase).out
    assert f"pipeline\t{purchase}\n" in told
    assert "inputs\tminutes (number), pages (number)\noutputs\tlabel, probabilities\n" in told
    assert "\n1.0.0\t" in told
    found = walle("pipeline", "show", purchase, "--json").json
    assert found["versions"][0]["serving"]["engine"] == "auto"
    assert walle("pipeline", "show", "no/such").status == 4
