"""Uploads to a really running server: what no in-process client can send."""

from hashlib import sha256

import httpx
import pytest

from tasks_app.models import Variant
from tests.api.conftest import member_of
from tests.support.people import token_of
from tests.tasks_app.git_server import running_server

pytestmark = pytest.mark.django_db(transaction=True)

VARIANTS = "/api/v1/tasks/camera/digits/versions/1.0.0/variants"
QUERY = "?path=prefs.json&key=18-29"
PIECES = [bytes([number]) * 100_000 for number in range(40)]


@pytest.fixture
def server(digits, tmp_path, settings):
    """A server that works on this test's rows, repositories and artifacts."""
    with running_server(tmp_path, settings.WALLE_MASTER_KEY, WALLE_MAX_FILE_MB="8") as running:
        yield running


@pytest.fixture
def secret(digits):
    return token_of(member_of("developer", "scenario:camera", name="dora").actor)


def test_uploads_arrive_whole_however_they_are_sent(server, secret):
    address, headers = f"http://127.0.0.1:{server.port}{VARIANTS}", {"Authorization": f"Bearer {secret}"}
    with httpx.Client(headers=headers, timeout=60) as client:
        in_pieces_without_a_stated_length(client, address)
        as_a_form(client, address)
        nothing_at_all(client, address)
        too_much(client, address)
        page_of_the_api(client, server)


def in_pieces_without_a_stated_length(client, address):
    response = client.put(address + QUERY, content=iter(PIECES))
    assert "content-length" not in response.request.headers
    assert response.json()["digest"] == sha256(b"".join(PIECES)).hexdigest()


def as_a_form(client, address):
    response = client.put(address + QUERY, files={"file": b"x" * 3_000_000})
    assert response.json()["digest"] == sha256(b"x" * 3_000_000).hexdigest()


def nothing_at_all(client, address):
    assert client.put(address + QUERY).json()["size"] == 0


def too_much(client, address):
    response = client.put(address + QUERY, content=iter(PIECES * 3))
    assert (response.status_code, response.json()["code"]) == (400, "variant-refused")
    assert response.json()["detail"] == "prefs.json: expected at most 8 MiB, found more"
    assert Variant.objects.get().size == 0


def page_of_the_api(client, server):
    page = client.get(f"http://127.0.0.1:{server.port}/api/v1/docs")
    assert page.headers["content-type"].startswith("text/html")
