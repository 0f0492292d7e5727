"""The topics of serving: the hosts for everybody, the pipelines as far as somebody sees them."""

import pytest
from django.utils import timezone

from accounts_app.actors import Actor
from live_app.topics import topic_named
from serving_app.models import ServingHost
from tests.support.people import make_member, make_staff
from tests.support.releases import make_version

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def pipelines():
    """A host, two pipelines of different scenarios, and a task of devices."""
    now = timezone.now()
    ServingHost.objects.create(name="serving-1", started_at=now, seen_at=now, installed=1, state={"plans": {"x": {}}})
    make_version("shop", "buyers", "1.0.0", kind="pipeline")
    make_version("mall", "mood", "1.0.0", kind="pipeline")
    make_version("shop", "digits", "1.0.0")


def told(actor: Actor, name: str = "serving") -> tuple[list[str], list[str]]:
    """The names of the hosts and of the pipelines in a gauge."""
    topic = topic_named(name)
    gauge = topic.gauge(topic.audience(actor))
    assert all("plans" not in host["state"] for host in gauge["hosts"])
    return [host["name"] for host in gauge["hosts"]], [pipeline["name"] for pipeline in gauge["pipelines"]]


def test_a_gauge_has_the_hosts_and_the_pipelines_that_somebody_sees():
    assert told(make_staff()) == (["serving-1"], ["mall/mood", "shop/buyers"])
    assert told(make_member("viewer", "scenario:shop", "vera")) == (["serving-1"], ["shop/buyers"])
    assert told(make_member("viewer", "app:shop", "ann")) == (["serving-1"], [])


def test_a_topic_of_one_scenario_has_nothing_of_one_that_somebody_does_not_see():
    viewer = make_member("viewer", "scenario:shop", "vera")
    assert told(viewer, "serving/shop") == (["serving-1"], ["shop/buyers"])
    assert told(viewer, "serving/mall") == told(viewer, "serving/nothing") == (["serving-1"], [])
    assert told(make_staff(), "serving/mall") == (["serving-1"], ["mall/mood"])
