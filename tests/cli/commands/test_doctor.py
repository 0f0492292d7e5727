"""The doctor at a running server, with git."""

from __future__ import annotations

import pytest

from walle.cli import completing

pytestmark = pytest.mark.processes


def health_of(done):
    return {check["name"]: check["health"] for check in done.json["checks"]}


def test_the_doctor_finds_nothing_wrong_where_nothing_is_and_says_what_git_lacks(walle, pushed, monkeypatch, tmp_path):
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.chdir(tmp_path)
    done = walle("doctor", "--json")
    assert (done.status, done.json["healthy"]) == (0, True)
    fine = ("address", "token", "version", "clock", "git", "git remote")
    assert health_of(done) == {**dict.fromkeys(fine, "ok"), "git credentials": "warning"}
    monkeypatch.chdir(pushed.folder)
    told = walle("doctor")
    assert "✓ git credentials git signs in to the remote of this folder by itself\n" in told.out
    assert "wl_" not in told.out.replace("wl_", "", 1)


def test_a_token_that_does_not_work_is_status_1_and_what_rests_on_it_is_left_out(walle, developer, monkeypatch):
    monkeypatch.setenv("WALLE_TOKEN", "wl_00000000_nonsense")
    done = walle("doctor", "--json")
    assert (done.status, done.json["healthy"]) == (1, False)
    assert health_of(done) == {"token": "wrong", "git": "ok"}
    assert "from the environment variable WALLE_TOKEN" in done.json["checks"][0]["found"]


def test_who_is_not_signed_in_is_told_how(walle):
    done = walle("doctor")
    assert done.status == 1
    assert "✗ address         not signed in\n                  → sign in with: walle login URL" in done.out


def test_an_unknown_app_is_named_with_the_nearest_one_that_the_person_may_see(walle, releaser):
    done = walle("app", "show", "shp")
    assert done.status == 4
    assert done.err.startswith("walle: there is no app shp, or it is not yours to see\nNext: did you mean shop?")
    assert "did you mean shop?" in walle("release", "list", "--app", "shp").err


def test_shells_complete_names_of_the_server_and_are_quiet_where_there_is_none(
    walle, pushed, task, monkeypatch, capsys
):
    scenario = task.partition("/")[0]
    assert completing.scenarios(scenario[:6]) == [scenario]
    assert completing.tasks(f"{scenario}/d") == [task]
    assert completing.apps("sh") == ["shop"]
    assert completing.apps("x") == []
    monkeypatch.setenv("WALLE_URL", "http://127.0.0.1:1")
    assert completing.apps("sh") == completing.releases("") == []
    monkeypatch.delenv("WALLE_TOKEN")
    assert completing.tasks("") == []
    assert capsys.readouterr() == ("", "")
