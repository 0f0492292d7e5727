"""Reading the document that names the code of a workflow."""

from __future__ import annotations

import json

import pytest

from walle.placement.processor.code_document import CodeMalformed, read_code

TIERS = ("edge", "cloud")


def written(tmp_path, **changes):
    document = {"format": "walle-workflow-code/1", "operators": {"a": {"entry": "m:f", "metric": "m:g", "window": 3}}}
    path = tmp_path / "code.json"
    path.write_text(json.dumps(document | changes))
    return path


def test_a_document_names_code_metrics_and_the_network(tmp_path):
    link = {"from": "edge", "to": "cloud", "mbps": 10, "delay_ms": 20}
    found = read_code(written(tmp_path, network=[link], slowdown={"x2": 4}, items="d:i"), TIERS)
    assert found.code.operators["a"].folder == str(tmp_path.resolve())
    assert (found.code.operators["a"].entry, found.code.operators["a"].window, found.metrics) == (
        "m:f",
        3,
        {"a": "m:g"},
    )
    shape = found.code.links[0, 1]
    assert (shape.mbps, shape.delay_s, found.code.slowdown, found.items) == (10, 0.02, {"x2": 4}, "d:i")


@pytest.mark.parametrize(
    ("changes", "problems"),
    [
        ({"format": 1}, ["format"]),
        ({"operators": {}}, ["operators"]),
        ({"operators": {"a": {"entry": "os.system"}}}, ["operators.a.entry"]),
        ({"operators": {"a": {"window": 0, "batch": 1.5, "wait": 3}}}, ["window", "batch", "wait"]),
        ({"network": [{"from": "edge", "to": "moon"}]}, ["network[0].to"]),
        ({"network": [3]}, ["network[0]"]),
        ({"slowdown": {"x2": 0.5}}, ["slowdown"]),
    ],
)
def test_all_that_is_wrong_is_named(changes, problems, tmp_path):
    with pytest.raises(CodeMalformed) as raised:
        read_code(written(tmp_path, **changes), TIERS)
    assert all(each in str(raised.value) for each in problems)


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff", b'{"operators": 3}', b"x" * 300_000])
def test_what_is_no_such_document_is_refused(content, tmp_path):
    path = tmp_path / "code.json"
    path.write_bytes(content)
    with pytest.raises(CodeMalformed):
        read_code(path, TIERS)
