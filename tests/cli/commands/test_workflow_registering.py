"""`walle workflow register`: the server applies a plan of a placement, and registers the version that it makes."""

from __future__ import annotations

import pytest

from tasks_app.models import Scenario, TaskVersion
from tests.bundle.workflow_example import workflow_tree
from tests.support.applied_plans import lengths_placement

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def placement(scenario):
    return lengths_placement(Scenario.objects.get(slug=scenario)).pk


@pytest.fixture
def sources(walle, developer, scenario, tmp_path):
    """Uploads the sources of the workflow as version 1.0.0; what that said."""
    tree = workflow_tree()
    for entry in tree.entries():
        path = tmp_path / "lengths" / entry.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(tree.read(entry.path))
    return walle("version", "upload", tmp_path / "lengths", f"{scenario}/lengths", "1.0.0")


def test_sources_alone_are_registered_and_said_not_to_be_released(sources):
    assert sources.status == 0, sources.err
    assert "not released as it is: no placement plan was applied" in sources.out


def test_a_plan_is_registered_and_shown_with_what_runs_where(walle, sources, scenario, placement):
    done = walle("workflow", "register", placement, "lengths", "1.1.0", "--reason", "Phones are fast now")
    assert done.status == 0, done.err
    assert f"registered {scenario}/lengths 1.1.0" in done.out
    assert "long (default), words (default)" in done.out
    assert TaskVersion.objects.get(version="1.1.0").message.startswith("Phones are fast now")
    shown = walle("version", "show", f"{scenario}/lengths", "1.1.0")
    assert ["on the device", "long (default), words (default)"] in shown.rows


def test_which_plan_and_how_are_passed_on(walle, sources, scenario, placement):
    options = ("--device-tier", "phone", "--device-tier", "edge", "--base", "1.0.0", "--json")
    done = walle("workflow", "register", placement, "lengths", "1.1.0", "--number", "2", *options)
    assert done.status == 0, done.err
    assert done.json["manifest"]["placement"]["device_tiers"] == ["phone", "edge"]
    point = walle("workflow", "register", placement, "lengths", "1.2.0", "--of", "rate")
    assert point.status == 0, point.err
    assert ["on the device", "words (default)"] in point.rows


def test_a_plan_that_the_version_has_is_refused(walle, sources, placement):
    walle("workflow", "register", placement, "lengths", "1.1.0")
    done = walle("workflow", "register", placement, "lengths", "1.2.0")
    assert (done.status, "has this plan already" in done.err) == (5, True)


@pytest.mark.parametrize(
    ("options", "said"), [(["--of", "price"], "--of plans, accuracy or rate"), (["--spanning", "both"], "--spanning")]
)
def test_what_is_asked_for_is_checked_before_anything_is_sent(walle, options, said):
    done = walle("workflow", "register", "1", "lengths", "1.1.0", *options)
    assert (done.status, said in done.err) == (2, True)
