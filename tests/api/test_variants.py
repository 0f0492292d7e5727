"""/api/v1/tasks/{scenario}/{task}/versions/{version}/variants: contents of exclusive files."""

from hashlib import sha256
from urllib.parse import urlencode

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tasks_app.services.content import artifact_store, exclusive_store
from tests.api.contract import problem
from tests.support.cases import cases

pytestmark = pytest.mark.django_db

VARIANTS = "tasks/camera/digits/versions/1.0.0/variants"
YOUNG = b'{"songs": ["new"]}'


def put(api, content, media_type="application/octet-stream", path="prefs.json", key="18-29"):
    query = urlencode({"path": path, "key": key})
    return api.call("PUT", f"{VARIANTS}?{query}", data=content, content_type=media_type)


def put_form(api, **parts):
    query = urlencode({"path": "prefs.json", "key": "18-29"})
    return api.call("PUT", f"{VARIANTS}?{query}", data=parts, format="multipart")


def test_raw_bytes_become_a_variant(developer, digits):
    made = put(developer, YOUNG).json()
    digest = sha256(YOUNG).hexdigest()
    assert (made["path"], made["key"], made["digest"], made["size"]) == ("prefs.json", "18-29", digest, len(YOUNG))
    assert made["uploaded_by"] == "dora"
    assert exclusive_store().open(digest).read() == YOUNG
    assert not artifact_store().has(digest)
    assert developer.results(VARIANTS) == [made]


@cases("media_type", ["application/json", "application/x-www-form-urlencoded", "text/plain"])
def test_the_type_of_raw_bytes_does_not_matter(developer, digits, media_type):
    assert put(developer, YOUNG, media_type).json()["size"] == len(YOUNG)


def test_a_form_with_a_file_becomes_a_variant(developer, digits):
    made = put_form(developer, file=SimpleUploadedFile("young.json", YOUNG))
    assert made.json()["digest"] == sha256(YOUNG).hexdigest()


def test_a_form_without_the_file_is_refused(developer, digits):
    assert "file" in problem(put_form(developer, content="x"), 400, "invalid")


def test_other_content_replaces_the_old(developer, digits):
    put(developer, YOUNG)
    put(developer, b"")
    (row,) = developer.results(VARIANTS)
    assert (row["digest"], row["size"]) == (sha256(b"").hexdigest(), 0)


def test_large_contents_pass_and_too_large_ones_do_not(developer, digits, settings):
    settings.WALLE_MAX_FILE = 4 << 20
    assert put(developer, b"x" * (4 << 20)).json()["size"] == 4 << 20
    problem(put(developer, b"x" * ((4 << 20) + 1)), 400, "variant-refused")


@cases(("path", "key"), [("main.py", "x"), ("nothing", "x"), ("prefs.json", "a\tb")])
def test_what_fits_no_exclusive_file_is_refused(developer, digits, path, key):
    problem(put(developer, YOUNG, path=path, key=key), 400, "variant-refused")


def test_a_nameless_variant_is_refused(developer, digits):
    assert set(problem(put(developer, YOUNG, path="", key=""), 400, "invalid")) == {"path", "key"}


def test_variants_are_found_by_path_and_key(developer, digits):
    for key in ("18-29", "30-49"):
        put(developer, YOUNG, key=key)
    assert [row["key"] for row in developer.results(VARIANTS)] == ["30-49", "18-29"]
    assert [row["key"] for row in developer.results(VARIANTS, key="18-29", path="prefs.json")] == ["18-29"]
    assert developer.results(VARIANTS, path="other") == []


def test_a_variant_is_taken_away(developer, digits):
    put(developer, YOUNG)
    assert developer.delete(VARIANTS, path="prefs.json", key="18-29").status_code == 204
    assert developer.results(VARIANTS) == []
    problem(developer.delete(VARIANTS, path="prefs.json", key="18-29"), 404, "not-found")


def test_a_releaser_uploads_nothing(releaser, digits):
    problem(put(releaser, YOUNG), 403, "not-allowed")
