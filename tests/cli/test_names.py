"""Which names a request is about, and which existing one is nearest to one that is unknown."""

from __future__ import annotations

import pytest

from walle.cli.names import names_in, nearest


@pytest.mark.parametrize(
    ("address", "values", "told"),
    [
        ("apps/shp/versions", {}, ["app shp"]),
        ("apps/shop/scenarios/camra", {}, ["app shop", "scenario camra"]),
        ("scenarios/camra/tasks", {}, ["scenario camra"]),
        ("tasks/camera/digits/versions/1.0.0/diff", {}, ["scenario camera", "task camera/digits", "version 1.0.0"]),
        ("tasks/camera/digits/retire", {}, ["scenario camera", "task camera/digits"]),
        ("devices/shop/d%2F1/explain", {"task": "a/b"}, ["app shop", "device d/1", "scenario a", "task a/b"]),
        ("releases/12/devices", {}, ["release 12"]),
        ("releases/plan", {}, []),
        ("workflows/shop/vqa", {}, ["scenario shop", "workflow vqa"]),
        ("releases", {"app": "shp", "task": "a/b", "version": "1"}, ["app shp", "scenario a", "task a/b", "version 1"]),
        ("releases", {"app": 4, "task": "b", "version": "1"}, []),
        ("apps/shop", {"app": "shop"}, ["app shop"]),
        ("", {}, []),
    ],
)
def test_the_names_in_a_request_outer_ones_first(address, values, told):
    assert [f"{name.noun} {name.name}" for name in names_in(address, values)] == told


@pytest.mark.parametrize(
    ("wanted", "known", "near"),
    [
        ("shp", ["market", "shop"], "shop"),
        ("Shop", ["market", "shop"], "shop"),
        ("camera/digts", ["camera/faces", "camera/digits"], "camera/digits"),
        ("99", ["12", "97", "3"], "97"),
        ("uJ7Ye", ["uJ7YeXMu2tFX32mL8Zl_Ig", "a"], "uJ7YeXMu2tFX32mL8Zl_Ig"),
        ("nonsense", ["market", "shop"], ""),
        ("a", ["banana"], ""),
        ("shop", [], ""),
    ],
)
def test_the_nearest_is_one_that_may_have_been_meant(wanted, known, near):
    assert nearest(wanted, known) == near
