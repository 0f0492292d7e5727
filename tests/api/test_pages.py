"""Pages of lists: every row once, whatever comes or goes meanwhile."""

from base64 import urlsafe_b64encode

import pytest

from tests.api.contract import problem
from tests.support.cases import cases
from tests.support.fleet import make_device

pytestmark = pytest.mark.django_db


@pytest.fixture
def devices(shop):
    return [make_device(shop, f"d{number}") for number in range(7)]


def test_pages_hold_every_row_once_in_order(viewer, devices):
    pages = viewer.pages("devices", limit=3)
    assert [len(page) for page in pages] == [3, 3, 1]
    assert [row["device"] for page in pages for row in page] == [f"d{number}" for number in range(6, -1, -1)]


def test_a_last_page_that_is_full_says_that_it_is_the_last(viewer, devices):
    assert [len(page) for page in viewer.pages("devices", limit=7)] == [7]


def test_filters_hold_on_every_page(viewer, shop, devices):
    for number in range(3):
        make_device(shop, f"i{number}", os="ios")
    assert [[row["device"] for row in page] for page in viewer.pages("devices", limit=2, os="ios")] == [
        ["i2", "i1"], ["i0"],
    ]  # fmt: skip


def test_rows_that_come_and_go_neither_repeat_nor_hide_others(viewer, shop, devices):
    first = viewer.get("devices", limit=3).json()
    make_device(shop, "late")
    devices[4].delete()
    devices[2].delete()
    second = viewer.get("devices", limit=3, cursor=first["next"]).json()
    assert [row["device"] for row in second["results"]] == ["d3", "d1", "d0"]
    assert second["next"] is None


def test_names_are_paged_in_their_order(staff, keys):
    for slug in ("b", "a", "b-c", "c", "b2"):
        staff.post("apps", {"slug": slug, "name": slug})
    pages = staff.pages("apps", limit=2)
    slugs = [row["slug"] for page in pages for row in page]
    assert sorted(slugs) == ["a", "b", "b-c", "b2", "c"]
    assert slugs == [row["slug"] for row in staff.results("apps")]


@cases(
    "cursor", ["x", "!", "", "MQ", urlsafe_b64encode(b"one").decode(), urlsafe_b64encode(b"9" * 40).decode(), "a" * 401]
)
def test_a_cursor_that_no_page_gave_is_refused(viewer, devices, cursor):
    assert set(problem(viewer.get("devices", cursor=cursor), 400, "invalid")) == {"cursor"}


def test_a_cursor_with_a_nul_is_refused(staff, shop):
    cursor = urlsafe_b64encode(b"a\0b").decode()
    assert set(problem(staff.get("apps", cursor=cursor), 400, "invalid")) == {"cursor"}


@cases("limit", ["0", "-1", "201", "many", ""])
def test_a_wrong_limit_is_refused(viewer, limit):
    assert set(problem(viewer.get("devices", limit=limit), 400, "invalid")) == {"limit"}
