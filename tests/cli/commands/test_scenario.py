"""`walle scenario`, and what every command does with what is not there or may not be seen."""

from __future__ import annotations

import json

from tests.support.people import make_member


def test_scenarios_are_opened_and_shown(walle, staff, scenario, address):
    done = walle("scenario", "create", "kitchen", "--description", "what cooks")
    assert done.out == (
        f"✓ created scenario kitchen\nPush a task to it: git remote add walle {address}/git/kitchen.git\n"
    )
    assert ["kitchen", "0", "what cooks"] in [row[:3] for row in walle("scenario", "list").rows]
    assert walle("scenario", "list", "--json").json["next"] is None
    shown = walle("scenario", "show", "kitchen")
    assert f"git\t{address}/git/kitchen.git" in shown.out
    taken = walle("scenario", "create", "kitchen")
    assert taken.status == 5


def test_what_may_not_be_done_is_told_with_what_would_do(walle, developer):
    done = walle("scenario", "create", "kitchen")
    assert done.status == 3
    assert "Next: see what you may do with: walle status" in done.err


def test_what_is_not_there_is_told(walle, developer, scenario):
    assert walle("scenario", "show", "nothing").status == 4
    assert walle("task", "show", f"{scenario}/nothing").status == 4
    assert walle("release", "show", 999).status == 4
    told = json.loads(walle("release", "show", 999, "--json").err)
    assert told["error"]["code"] == "not-found"
    assert told["error"]["exit"] == 4


def test_names_are_checked_before_anything_is_asked(walle):
    for arguments in (
        ["task", "show", "Camera"],
        ["version", "show", "camera/digits", "1.0"],
        ["app", "show", "../me"],
    ):
        done = walle(*arguments)
        assert (done.status, "expected" in done.err) == (2, True), done


def test_others_see_nothing(walle, releaser, signed_in, scenario):
    signed_in(make_member("viewer", "app:elsewhere", "nora"))
    assert walle("scenario", "show", scenario).status == 4
    assert walle("app", "list").out == ""
