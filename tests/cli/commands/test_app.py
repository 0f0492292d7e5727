"""`walle app`."""

from __future__ import annotations


def test_apps_with_their_table(walle, releaser):
    assert walle("app", "list").rows[0][:2] == ["shop", "Shop"]
    assert "versions\t1.1.0, 1.0.0" in walle("app", "show", "shop").out


def test_how_many_new_devices_an_app_takes(walle, staff, shop):
    assert "new devices\tthe limit of the server" in walle("app", "show", "shop").out
    assert walle("app", "limit", "shop", "200000").status == 0
    assert "new devices\t200000 an hour" in walle("app", "show", "shop").out
    assert walle("app", "limit", "shop", "--default", "--json").json["enrolment_limit"] is None
    assert walle("app", "limit", "shop").status == 2
    assert walle("app", "limit", "shop", "--", "-1").status == 2
