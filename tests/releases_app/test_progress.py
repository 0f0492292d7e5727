"""What releases are doing, in words."""

from datetime import UTC, datetime

import pytest

from accounts_app.actors import SYSTEM
from devices_app.services.apps import add_version, create_app
from devices_app.services.lists import put_list
from releases_app.selectors.progress import moves_since, newest_move, releases_line
from releases_app.services.releases import act
from tasks_app.services.registration import register_version
from tests.support.releases import draft_of, move_on
from tests.tasks_app.working_copy import GOOD
from walle.release.states import ReleaseAction

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
STAGES = [{"kind": "beta", "list": "testers"}, {"kind": "gray", "percent": 0.5}, {"kind": "gray", "percent": 100}]
STRATEGY = {"simulation": False, "stages": STAGES}


@pytest.fixture
def release(camera, repository, copy, keys):
    """A draft of camera/digits 1.0.0 in three stages."""
    app = create_app(slug="shop", name="Shop", actor=SYSTEM, now=NOW)
    add_version(app=app, version="1.0.0", actor=SYSTEM)
    put_list(app=app, name="testers", devices=[], actor=SYSTEM, now=NOW)
    copy.commit(GOOD)
    copy.tag("digits/1.0.0")
    copy.push("digits", "--tags")
    names = {"actor": SYSTEM, "scenario": camera, "task": "digits", "repository": repository}
    return draft_of(app, register_version(version="1.0.0", **names).version, strategy=STRATEGY, now=NOW)


def lines():
    return [line for _, line in moves_since(0)]


def test_a_draft_does_nothing(release):
    assert (releases_line(NOW), lines(), newest_move()) == ("", [], 0)


def test_a_release_says_where_it_is_and_what_was_reported(release):
    move_on(release, "start", now=NOW)
    assert releases_line(NOW) == "camera/digits 1.0.0 beta testers (0 reported, 0 failed)"
    move_on(release, "promote", "pause", now=NOW)
    assert releases_line(NOW) == "camera/digits 1.0.0 gray 0.5 % paused (0 reported, 0 failed)"


def test_ended_releases_are_counted(release):
    move_on(release, "start", "abort", now=NOW)
    assert releases_line(NOW) == "1 aborted"


def test_moves_are_told_once_with_their_reason(release):
    move_on(release, "start", "promote", now=NOW)
    assert lines() == ["camera/digits 1.0.0 → beta testers", "camera/digits 1.0.0 → gray 0.5 %"]
    known = newest_move()
    act(release=release, action=ReleaseAction.ROLL_BACK, actor=SYSTEM, now=NOW, reason="wrong file")
    assert list(moves_since(known)) == [(newest_move(), "camera/digits 1.0.0 → rolled-back: wrong file")]
