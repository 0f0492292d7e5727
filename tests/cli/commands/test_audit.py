"""`walle audit`, and `walle token`."""

from __future__ import annotations


def test_the_audit_log_and_tokens(walle, staff, scenario):
    walle("scenario", "create", "kitchen")
    rows = walle("audit", "--action", "scenario.create", "--actor", "root").rows
    assert [row[1:4] for row in rows] == [["root", "scenario.create", "scenario:kitchen"]]
    assert walle("token", "list").rows[0][1] == "test"
