"""The page of the dashboard: where it is, what it may load, and its assets among the static files."""

import os
import re
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.test import AsyncClient, Client
from django.urls import resolve

from tests.support.cases import cases
from walleweb.dashboard import build, collected
from walleweb.dashboard.static import Storage
from walleweb.settings import MIDDLEWARE
from walleweb.urls import DASHBOARD, DEBUG_DASHBOARD

PAGE = '<html><meta property="csp-nonce" nonce="{{ nonce }}"><script nonce="{{ nonce }}">1</script></html>'


@pytest.fixture
def dist(tmp_path, monkeypatch):
    """A build in a folder of its own."""
    folder = tmp_path / "dist"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text(PAGE)
    (folder / "assets" / "index-Ab3d_f-9.js").write_text("import('./later-12345678.js')")
    (folder / "assets" / "index-Ab3d_f-9.js.br").write_bytes(b"smaller")
    monkeypatch.setattr(build, "DIST", folder)
    return folder


def policy_of(response):
    return dict(each.split(" ", 1) for each in response["Content-Security-Policy"].split("; "))


@pytest.mark.parametrize(
    "path", ["/", "/tasks", "/tasks/camera/digits/diff", "/releases/1?tab=audit", "/devices/shop/some.device"]
)
def test_links_into_the_dashboard_lead_to_its_page(dist, path):
    response = Client().get(path)
    assert (response.status_code, response["Content-Type"]) == (200, "text/html; charset=utf-8")


def test_all_routes_of_the_dashboard_are_known():
    routes = (build.DIST.parent / "src" / "features").glob("*/routes.tsx")
    paths = {path for file in routes for path in re.findall(r"path: '/([^/']*)", file.read_text())}
    declared = {"", *DASHBOARD, *DEBUG_DASHBOARD}
    assert paths == declared, "an app declares the first words of its pages in contributions.py (dashboard)"


@pytest.mark.parametrize(("debug", "status"), [(False, 404), (True, 200)])
@pytest.mark.parametrize("path", DEBUG_DASHBOARD)
def test_pages_for_work_on_walle_itself_are_there_in_debug_only(dist, settings, path, debug, status):
    settings.DEBUG = debug
    response = Client().get(f"/{path}", headers=PEOPLE)
    assert (response.status_code, "csp-nonce" in response.content.decode()) == (status, True)


PEOPLE = {"Accept": "text/html,*/*;q=0.8"}


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("path", ["/nonsense", "/taskset", "/tasks.php", "/etc/passwd", "/git/x"])
def test_a_mistyped_address_is_answered_by_the_page_which_says_so(dist, path, settings, debug):
    settings.DEBUG = debug
    response = Client().get(path, headers=PEOPLE)
    assert (response.status_code, response["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert 'property="csp-nonce"' in response.content.decode()
    assert "'none'" in response["Content-Security-Policy"]
    assert "no-store" in response["Cache-Control"]


@cases("path", ["/api/v1/x", "/walle/x", "/admin/x", "/static/none.js"])
def test_addresses_of_others_have_their_own_answers(dist, path, settings, admin_client):
    settings.DEBUG = False
    response = admin_client.get(path, headers=PEOPLE)
    assert response.status_code == 404
    assert "csp-nonce" not in response.content.decode()


def test_only_people_who_look_for_a_page_get_it(dist, settings):
    settings.DEBUG = False
    for answer in (Client().get("/x", headers={"Accept": "image/*"}), Client().post("/x", headers=PEOPLE)):
        assert (answer.status_code, "csp-nonce" in answer.content.decode()) == (404, False)


def test_without_a_build_nothing_changes_for_mistyped_addresses(tmp_path, monkeypatch, settings):
    settings.DEBUG = False
    monkeypatch.setattr(build, "DIST", tmp_path)
    assert Client().get("/x", headers=PEOPLE).status_code == 404


def test_the_admin_keeps_its_address(dist):
    assert Client().get("/admin")["Location"] == "/admin/"
    assert resolve("/admin/x/").app_name == "admin"
    assert "Content-Security-Policy" not in Client().get("/admin/login/")


def test_each_page_has_a_nonce_of_its_own_and_no_other_script_runs(dist):
    first, second = Client().get("/"), Client().get("/")
    nonces = [set(re.findall('nonce="([^"]+)"', each.content.decode())) for each in (first, second)]
    assert [len(each) for each in nonces] == [1, 1]
    assert nonces[0] != nonces[1]
    for response, (nonce,) in zip((first, second), nonces, strict=True):
        policy = policy_of(response)
        assert policy["script-src"] == f"'nonce-{nonce}'"
        assert policy["style-src"] == f"'self' 'nonce-{nonce}'"
        assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
        assert "unsafe" not in response["Content-Security-Policy"]
        assert "no-store" in response["Cache-Control"]


def test_a_new_build_is_taken_up_at_once(dist):
    Client().get("/")
    (dist / "index.html").write_text("another")
    assert Client().get("/").content == b"another"


def test_without_a_build_the_page_says_what_to_do(dist):
    (dist / "index.html").unlink()
    response = Client().get("/")
    assert response.status_code == 503
    assert "make web" in response.content.decode()


def test_a_page_takes_no_writing(dist):
    assert Client().post("/").status_code == 405


async def test_assets_come_compressed_and_for_good(dist, settings, monkeypatch):
    settings.STATICFILES_DIRS, settings.SERVESTATIC_USE_FINDERS = [(build.ASSETS, dist / "assets")], True
    await served(settings, "index-Ab3d_f-9.js")


async def test_collected_assets_keep_their_names_and_older_ones_stay(dist, settings, tmp_path):
    settings.STATICFILES_DIRS, settings.STATIC_ROOT = [(build.ASSETS, dist / "assets")], tmp_path / "static"
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": "walleweb.dashboard.static.Storage"}}
    settings.SERVESTATIC_AUTOREFRESH = False
    settings.SERVESTATIC_USE_STATIC_ROOT = True
    call_command("collectstatic", "--no-input", "--verbosity", "0", ignore=["admin", "unfold", "drf*", "rest*"])
    (dist / "assets" / "index-Ab3d_f-9.js").rename(dist / "assets" / "index-newer_12.js")
    call_command("collectstatic", "--no-input", "--verbosity", "0", ignore=["admin", "unfold", "drf*", "rest*"])
    names = {file.name for file in (tmp_path / "static" / build.ASSETS).iterdir()}
    assert names == {"index-Ab3d_f-9.js", "index-Ab3d_f-9.js.br", "index-newer_12.js"}
    await served(settings, "index-Ab3d_f-9.js")


def collected_page(dist, settings, text):
    """Collect the files of a version with this page and this style sheet; what is said, and where pages find that."""
    (dist / "index.html").write_text(text)
    (dist.parent / "admin" / "base.css").write_text(text)
    collected.manifest_name.cache_clear()
    # Each version is a process of its own: whoever has read a list reads it anew.
    settings.STATIC_ROOT = Path(settings.STATIC_ROOT)
    call_command("collect_static_files", stdout=(said := StringIO()))
    return said.getvalue(), Storage().url("admin/base.css")


def test_files_of_versions_lie_side_by_side_and_each_has_its_own_names(dist, settings, tmp_path, monkeypatch):
    (tmp_path / "admin").mkdir()
    settings.STATIC_ROOT = folder = tmp_path / "static"
    settings.STATICFILES_DIRS = [(build.ASSETS, dist / "assets"), ("admin", tmp_path / "admin")]
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STORAGES = {**settings.STORAGES, "staticfiles": {"BACKEND": "walleweb.dashboard.static.Storage"}}
    monkeypatch.setattr(collected, "_SOURCES", (dist / "index.html",))
    finders.get_finder.cache_clear()
    before = os.umask(0o077)
    try:
        said, first = collected_page(dist, settings, "one")
        again = said.replace("now.", "already.")
        assert said != again
        assert collected_page(dist, settings, "one") == (again, first)
        (dist / "assets" / "index-Ab3d_f-9.js").rename(dist / "assets" / "index-newer_12.js")
        _, second = collected_page(dist, settings, "two, and longer")
        # The way back needs nothing: the version before has its own list, and all of its files.
        assert collected_page(dist, settings, "one") == (again, first)
    finally:
        os.umask(before)
        collected.manifest_name.cache_clear()
        finders.get_finder.cache_clear()
    assert first != second
    places = [folder / name.removeprefix("/static/") for name in (first, second)]
    assert [place.read_text() for place in places] == ["one", "two, and longer"]
    assert {"index-Ab3d_f-9.js", "index-newer_12.js"} <= {path.name for path in (folder / build.ASSETS).iterdir()}
    # nginx has another account.
    assert all(path.stat().st_mode & 0o004 for path in folder.rglob("*"))


async def served(settings, name):
    settings.MIDDLEWARE = MIDDLEWARE
    response = await AsyncClient().get(f"/static/{build.ASSETS}/{name}", headers={"Accept-Encoding": "br"})
    assert response["Content-Encoding"] == "br"
    assert b"".join([part async for part in response.streaming_content]) == b"smaller"
    assert response["Cache-Control"] == "public, max-age=31536000, immutable"
    assert response["Content-Type"].startswith("text/javascript")
    assert "Access-Control-Allow-Origin" not in response
