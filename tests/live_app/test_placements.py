"""The topics of placements: what becomes of them, for those who see their workflow."""

import pytest
from django.utils import timezone

from accounts_app.actors import SYSTEM, Actor
from accounts_app.models import AuditEntry
from live_app.protocol import SubscriptionRefused
from live_app.topics import events_of, topic_named
from serving_app.models import Placement
from serving_app.services import placements
from serving_app.services.placements import put_workflow, request_placement
from tasks_app.services.scenarios import create_scenario
from tests.live_app.clients import connected
from tests.support.people import make_member, make_staff
from tests.support.placements import problem

pytestmark = pytest.mark.django_db


def asked_for(scenario: str, workflow: str) -> Placement:
    """A placement of a new workflow."""
    found = create_scenario(actor=SYSTEM, slug=scenario)
    row = put_workflow(scenario=found, slug=workflow, document=problem(), actor=SYSTEM, now=timezone.now())
    return request_placement(workflow=row, actor=SYSTEM, now=timezone.now(), budget_s=1)


@pytest.fixture
def here():
    return asked_for("camera", "questions")


@pytest.fixture
def elsewhere():
    return asked_for("kitchen", "pots")


@pytest.fixture
def viewer():
    return make_member("viewer", "scenario:camera", "vera")


def shown(actor: Actor, name: str = "placements") -> list[str]:
    """The workflows whose placements are in a gauge."""
    topic = topic_named(name)
    return [row["workflow"] for row in topic.gauge(topic.audience(actor))["results"]]


def test_a_gauge_has_the_placements_that_somebody_sees(here, elsewhere, viewer):
    assert shown(make_staff()) == ["pots", "questions"]
    assert shown(viewer) == ["questions"]
    assert shown(make_member("viewer", "app:shop", "ann")) == []


def test_a_gauge_of_a_workflow_has_its_placements_alone(here, elsewhere, viewer):
    assert shown(viewer, "placements/camera/questions") == ["questions"]
    for hidden in ("placements/kitchen/pots", "placements/camera/nothing"):
        with pytest.raises(SubscriptionRefused) as refused:
            topic_named(hidden).audience(viewer)
        assert refused.value.code == "not-found"


def test_a_gauge_says_how_far_a_placement_is(here, viewer):
    placements.begin_placement(placement=here.pk, now=timezone.now())
    placements.report_progress(placement=here.pk, progress={"phase": "plans", "best": 0.5, "bound": 0.3})
    topic = topic_named("placements/camera/questions")
    (row,) = topic.gauge(topic.audience(viewer))["results"]
    assert (row["state"], row["cost"], row["progress"]["bound"]) == ("running", 0.5, 0.3)


def test_whatever_is_done_to_a_placement_is_an_event_for_those_who_see_its_workflow(here, elsewhere, viewer):
    placements.report_progress(placement=here.pk, progress={"phase": "plans", "best": 0.5})
    placements.end_placement(
        placement=here.pk, state=Placement.State.SUCCEEDED, now=timezone.now(), result={"plans": []}
    )
    placements.cancel_placement(placement=elsewhere, actor=SYSTEM, now=timezone.now())
    found = events_of(list(AuditEntry.objects.order_by("id")))
    of_viewer = topic_named("placements").audience(viewer)
    seen = [(each.data["action"], each.data["workflow"]) for each in found if each.is_seen_by(of_viewer)]
    assert seen == [("placement.request", "questions"), ("placement.end", "questions")]
    ended = next(each for each in found if each.data["action"] == "placement.end")
    assert ended.data["after"] == {"state": "succeeded", "cost": 0.5}
    assert ended.topics == ("placements", "placements/camera/questions")
    hidden = [each.data["action"] for each in found if not each.is_seen_by(of_viewer)]
    assert hidden == ["placement.request", "placement.cancel"]


@pytest.mark.django_db(transaction=True)
def test_a_page_hears_of_progress_and_of_the_end_and_goes_on_after_a_break(server):
    placement, viewer = asked_for("camera", "questions"), make_member("viewer", "scenario:camera", "vera")
    topic = "placements/camera/questions"
    with connected(server.port, viewer) as page:
        page.subscribed(topic)
        placements.begin_placement(placement=placement.pk, now=timezone.now())
        placements.report_progress(placement=placement.pk, progress={"phase": "plans", "best": 0.5})
        page.wait_for(lambda: page.gauges[topic] and page.gauges[topic][-1]["results"][0]["cost"] == 0.5)
        cursor = page.cursors[topic]
    placements.end_placement(
        placement=placement.pk, state=Placement.State.SUCCEEDED, now=timezone.now(), result={"plans": []}
    )
    with connected(server.port, viewer) as page:
        page.subscribed(topic, cursor)
        page.wait_for(lambda: page.events[topic])
        assert [each["action"] for each in page.events[topic]] == ["placement.end"]
        page.wait_for(lambda: page.gauges[topic] and page.gauges[topic][-1]["results"][0]["state"] == "succeeded")
