"""`walle task`."""

from __future__ import annotations


def test_retiring_asks_whether_one_is_sure(walle, pushed, task):
    asked = walle("task", "retire", task)
    assert (asked.status, "--yes" in asked.err) == (2, True)
    assert walle("task", "retire", task, "--yes").status == 0
    assert walle("task", "show", task, "--json").json["retired_at"]
    assert walle("task", "unretire", task).status == 0
    assert walle("task", "show", task, "--json").json["retired_at"] is None
