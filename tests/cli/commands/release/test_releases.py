"""Releases: made from options and files, moved, looked at."""

from __future__ import annotations

import json

import pytest
from django.utils import timezone

from accounts_app.models import AuditEntry
from releases_app.models import Release
from tests.support.selected_devices import ended, select_device

DRAFT = ("--app", "shop", "--app-version", "1.0.0")


@pytest.fixture
def made(walle, pushed, task):
    """A draft of digits 1.0.0; its number."""
    return walle("release", "create", task, "1.0.0", *DRAFT, "--at-once", "--json").json["id"]


def test_a_release_out_of_options(walle, pushed, task):
    options = ("--gray", "5,100", "--beta", "1", "--dwell", 7, "--evidence", 3, "--pace", 10, "--no-simulation")
    done = walle(
        "release",
        "create",
        task,
        "1.0.0",
        *DRAFT,
        *options,
        "--control",
        2,
        "--max",
        "failure_rate=0.05",
        "--defer",
        90,
    )
    number = Release.objects.get().pk
    assert done.out == (
        f"✓ created release {number} of {task} 1.0.0 to shop: draft\nNext: walle release start {number}\n"
    ), done.err
    strategy = walle("release", "show", number, "--json").json["strategy"]
    assert strategy["stages"] == [
        {"kind": kind, "percent": percent, "dwell_s": 7, "evidence": 3, "pace": 10}
        for kind, percent in (("beta", 1), ("gray", 5), ("gray", 100))
    ]
    assert strategy["limits"]["failure_rate"] == 0.05
    assert (strategy["simulation"], strategy["control_percent"], strategy["defer_s"]) == (False, 2, 90)


def test_a_release_out_of_a_file(walle, pushed, task, tmp_path):
    file = tmp_path / "release.toml"
    file.write_text(
        f'app = "shop"\ntask = "{task}"\nversion = "1.0.0"\n'
        '[rule]\nfact = "app_version"\nversion = ">=1.0.0"\n[strategy]\nsimulation = false\n'
        '[[strategy.stages]]\nkind = "gray"\npercent = 100\n'
    )
    made = walle("release", "create", "--file", file, "--json").json
    assert made["rule"] == {"fact": "app_version", "version": ">=1.0.0"}
    other = walle("release", "create", task, "1.1.0", "--file", file, "--approval", "--json").json
    assert (other["version"], other["strategy"]["approval"]) == ("1.1.0", True)
    assert len(other["strategy"]["stages"]) == 1


def test_a_fault_is_named_with_its_place(walle, pushed, task):
    done = walle("release", "create", task, "1.0.0", *DRAFT, "--gray", "50,10,100")
    assert done.status == 1
    assert "strategy.stages[1].percent: expected more than the 50.0 before" in done.err
    unknown = walle("release", "create", task, "9.0.0", *DRAFT)
    assert unknown.status == 1
    assert "version: Expected the name of a known version, found '9.0.0'" in unknown.err
    assert not Release.objects.exists()


def test_moves(walle, made, task):
    assert (
        walle("release", "start", made, "-r", "tried it").out
        == f"✓ started release {made} ({task} 1.0.0): gray 100 %\n"
    )
    assert walle("release", "pause", made).out.endswith("paused\n")
    refused = walle("release", "promote", made)
    assert refused.status == 5
    assert "cannot promote a release that is paused" in refused.err
    assert "Next: see its state with: walle release show" in refused.err
    refused = walle("release", "resume", made, "--yes")
    assert (refused.status, f"a reason is needed to resume release {made}" in refused.err) == (2, True)
    assert walle("release", "resume", made, "-r", "it was the network").status == 2, "no terminal to ask in"
    assert walle("release", "resume", made, "-r", "it was the network", "--yes").status == 0
    assert walle("release", "complete", made).status == 2
    assert walle("release", "complete", made, "--yes").status == 0
    assert walle("release", "roll-back", made, "-r", "wrong model").status == 2, "it is complete"
    assert walle("release", "roll-back", made, "-r", "wrong model", "--yes").out.endswith("rolled-back\n")
    reasons = [move["reason"] for move in walle("release", "show", made, "--json").json["transitions"]]
    assert (reasons[0], reasons[-1]) == ("tried it", "wrong model")
    assert AuditEntry.objects.filter(action="release.roll-back", actor_name="rita").count() == 1


def test_a_move_may_depend_on_what_was_seen(walle, made):
    walle("release", "start", made)
    done = walle("release", "pause", made, "--if-state", "simulating")
    assert done.status == 5
    assert walle("release", "show", made, "--json").json["state"] == "running"


def test_lists_and_pictures(walle, made, task):
    walle("release", "start", made)
    assert walle("release", "list", "--task", task, "--state", "running").rows[0][:5] == [
        str(made),
        f"{task} 1.0.0",
        "shop",
        "running",
        "1",
    ]
    shown = walle("release", "show", made).out
    for text in (f"Release {made} · {task} 1.0.0 → shop", "▸ gray 100 %", '{"in": ["1.0.0"]', "approval\tno"):
        assert text in shown
    assert walle("release", "list", "--state", "draft").out == ""
    assert walle("release", "list", "--state", "nonsense").status == 1


def test_the_devices_of_a_release(walle, made):
    walle("release", "start", made)
    release, now = Release.objects.get(pk=made), timezone.now()
    select_device(release, "phone-1", now, **ended(now, "success"))
    select_device(release, "phone-2", now, error_class="ValueError", **ended(now, "failure"))
    select_device(release, "phone-3", now, "control")
    listed = walle("release", "devices", made)
    assert [row[:3] for row in listed.rows] == [
        ["phone-1", "1", "success"],
        ["phone-2", "1", "ValueError"],
        ["phone-3", "held back", "selected"],
    ], listed.err
    failed = walle("release", "devices", made, "--became", "failed", "--error", "ValueError", "--stage", 1, "--json")
    assert [row["device"] for row in failed.json["results"]] == ["phone-2"]
    assert [row[0] for row in walle("release", "devices", made, "--held-back").rows] == ["phone-3"]
    assert "became" in walle("release", "devices", made, "--became", "ill").err


def test_a_release_without_a_simulation_says_so(walle, made):
    assert walle("release", "simulation", made).out == "There was no simulation.\n"


def test_a_clone_is_like_its_original_but_for_what_is_said(walle, made):
    clone = walle("release", "clone", made, "--version", "1.1.0", "--json").json
    original = walle("release", "show", made, "--json").json
    assert (clone["version"], clone["state"]) == ("1.1.0", "draft")
    assert [clone[name] for name in ("rule", "strategy", "app")] == [
        original[name] for name in ("rule", "strategy", "app")
    ]
    assert clone["id"] != made


def test_an_explanation_of_one_release(walle, made, shop):
    from django.utils import timezone

    from devices_app.models import Device

    now = timezone.now()
    facts = {"app_version": "1.0.0", "os": "android", "os_version": "14"}
    Device.objects.create(app=shop, device="d-1", facts=facts, first_seen=now, last_seen=now)
    walle("release", "start", made)
    told = walle("release", "explain", made, "d-1").out
    assert f"release {made} decides" in told
    assert json.loads(walle("release", "explain", made, "d-1", "--json").out)["results"][0]["change"] == "install"
