"""`walle api`."""

from __future__ import annotations


def test_any_request(walle, releaser, scenario):
    assert walle("api", "GET", "/me").json["username"] == "rita"
    assert walle("api", "get", "api/v1/audit".removeprefix("api/v1"), "-f", "limit=1").json["results"]
    made = walle("api", "POST", "/apps/shop/versions", "-f", "version=2.0.0").json
    assert made["version"] == "2.0.0"
    put = walle("api", "PUT", "/apps/shop/lists/testers", "--input", "-", "--type", "text/plain", stdin="d-1\nd-2\n")
    assert put.status == 0, put
    wrong = walle("api", "GET", "/audit", "-f", "limt=1")
    assert wrong.status == 1
    assert "limt: Unknown field" in wrong.err
    assert walle("api", "FETCH", "/me").status == 2
