"""Moves of a release: from where it was seen, or not at all; and the limits that its strategy is frozen with."""

import json

import pytest

from accounts_app.actors import SYSTEM
from releases_app.models import Release, Transition
from releases_app.services.moves import Cause, ReleaseConflict, move_release
from tests.releases_app.trials import NOW, STAGED
from tests.support.releases import draft_of, make_version, move_on
from walle.release.states import ReleaseAction
from walle.release.strategy import AT_ONCE

pytestmark = pytest.mark.django_db

CAUSE = Cause(SYSTEM, NOW)


@pytest.fixture
def version():
    return make_version("camera", "digits", "1.0.0")


def test_of_two_promotions_from_the_same_stage_one_is_told_of_the_conflict(shop, versions):
    """Both saw it running: only the stage tells that somebody has moved it on."""
    made = move_on(draft_of(shop, versions[0], strategy=STAGED, now=NOW), "start", now=NOW)
    one, other = (Release.objects.get(pk=made.pk) for _ in range(2))
    move_release(one, ReleaseAction.PROMOTE, CAUSE)
    with pytest.raises(ReleaseConflict, match="no longer running in stage 0"):
        move_release(other, ReleaseAction.PROMOTE, CAUSE)
    assert Release.objects.get(pk=made.pk).position == 1
    assert Transition.objects.filter(release=made.pk, action="promote").count() == 1


@pytest.mark.parametrize(
    ("declared", "given", "limit"),
    [(None, None, 0.01), (0.2, None, 0.2), (0.2, 0.05, 0.05), (0.02, 0.3, 0.3), (None, 0.05, 0.05)],
)
def test_the_limit_of_the_task_holds_unless_the_strategy_says_another(shop, version, declared, given, limit):
    version.manifest = json.dumps({"limits": {} if declared is None else {"failure_rate": declared}}).encode()
    strategy = AT_ONCE | ({} if given is None else {"limits": {"failure_rate": given}})
    made = draft_of(shop, version, strategy=strategy, now=NOW)
    assert Release.objects.get(pk=made.pk).parsed_strategy.limits.failure_rate == limit
