"""The admin pages of releases: looking at them, and moving them with the moves their state allows."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts_app.actors import SYSTEM
from accounts_app.models import AuditEntry
from releases_app.models import Release
from releases_app.services.releases import act
from tests.api.conftest import NOW
from tests.support.admin_pages import AdminPages
from tests.support.people import make_user
from tests.support.releases import draft_of
from walle.release.states import ReleaseAction

pytestmark = pytest.mark.django_db


@pytest.fixture
def release(shop, digits):
    return draft_of(shop, digits, now=NOW)


def address(release, action):
    return f"/admin/releases_app/release/{release.pk}/{action}/"


def send(pages, release, action, **headers):
    return pages.client.post(address(release, action), {"_form_submitted": "on", "reason": "because"}, headers=headers)


def buttons(pages, release):
    return re.findall(rf"{address(release, '(?!change|history)([a-z-]+)')}", pages.page_of(release).content.decode())


def messages_of(pages, release):
    return [str(message) for message in pages.page_of(release).context["messages"]]


def test_a_release_shows_its_stages_and_history(pages, release):
    act(release=release, action=ReleaseAction.START, actor=SYSTEM, now=NOW, reason="it is time")
    page = pages.page_of(release).content.decode()
    for text in ("camera/digits 1.0.0", "shop", "1.0.0", "100 %", "it is time", "system"):
        assert text in page
    assert bytes(release.salt).hex() not in page


def test_releases_are_found(pages, release):
    for query in ({"q": "digits"}, {"q": "shop"}, {"q": str(release.pk)}, {"state__exact": "draft"}):
        assert f"/{release.pk}/change/" in pages.list_of(Release, **query).content.decode()
    for query in ({"q": "letters"}, {"state__exact": "running"}):
        assert f"/{release.pk}/change/" not in pages.list_of(Release, **query).content.decode()


def test_buttons_are_the_moves_that_the_state_allows(pages, release):
    expected = {
        "draft": {"start", "abort"},
        "running": {"pause", "complete", "abort", "roll-back"},
        "paused": {"resume", "abort", "roll-back"},
    }
    assert set(buttons(pages, release)) == expected["draft"]
    send(pages, release, "start")
    assert set(buttons(pages, release)) == expected["running"]
    send(pages, release, "pause")
    assert set(buttons(pages, release)) == expected["paused"]
    send(pages, release, "abort")
    assert set(buttons(pages, release)) == {"roll-back"}
    send(pages, release, "roll-back")
    assert buttons(pages, release) == []


def test_a_move_goes_through_the_service_with_its_reason(pages, staff, release):
    assert send(pages, release, "start").status_code == 302
    release.refresh_from_db()
    assert release.state == "running"
    (moved,) = release.transitions.all()
    assert (moved.user, moved.reason) == (staff, "because")
    assert AuditEntry.objects.filter(action="release.start", user=staff).count() == 1
    assert messages_of(pages, release) == [f"{release} is running"]


def test_a_dialog_is_sent_on_to_the_releases_page(pages, release):
    answer = send(pages, release, "start", HX_Request="true")
    assert answer["HX-Redirect"] == f"/admin/releases_app/release/{release.pk}/change/"


def test_a_look_at_the_dialog_moves_nothing(pages, release):
    answer = pages.client.get(address(release, "start"))
    assert b"Start this release?" in answer.content
    release.refresh_from_db()
    assert release.state == "draft"


def test_a_move_takes_the_csrf_token(strict, release):
    assert strict.post(address(release, "start"), {"_form_submitted": "on"}).status_code == 403
    release.refresh_from_db()
    assert release.state == "draft"


def test_a_move_that_is_not_possible_says_why(pages, release):
    send(pages, release, "resume")
    assert messages_of(pages, release) == ["cannot resume a release that is draft: expected paused"]
    pages.client.post("/admin/tasks_app/task/", {"action": "retire", "_selected_action": [release.version.task_id]})
    send(pages, release, "start")
    assert messages_of(pages, release) == ["camera/digits is retired: unretire it first"]


def test_an_unknown_release_is_not_found(pages, release):
    for number in ("999", "x"):
        answer = pages.client.post(f"/admin/releases_app/release/{number}/start/", {"_form_submitted": "on"})
        assert answer.status_code == 404


def test_others_move_nothing(release):
    assert send(AdminPages(make_user("guest")), release, "start").status_code == 302
    release.refresh_from_db()
    assert release.state == "draft"


def test_nothing_is_written_past_the_services(pages, release):
    assert pages.add_page(Release).status_code == 403
    assert pages.change(release, state="running").status_code == 403
    assert pages.delete(release).status_code == 403
    release.refresh_from_db()
    assert release.state == "draft"


def test_a_list_asks_as_often_for_thirty_rows_as_for_three(pages, shop, digits):
    def make(count):
        for _ in range(count):
            draft_of(shop, digits, now=NOW)

    make(3)
    with CaptureQueriesContext(connection) as few:
        pages.list_of(Release)
    make(27)
    with CaptureQueriesContext(connection) as many:
        pages.list_of(Release)
    assert len(few) == len(many)
