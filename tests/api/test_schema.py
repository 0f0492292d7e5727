"""The OpenAPI document and the page that shows it."""

import re

import pytest
import yaml
from django.contrib.staticfiles.finders import find
from django.core.management import call_command
from django.urls import URLResolver, get_resolver
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiYamlRenderer
from rest_framework.views import APIView

from tests.api.contract import document

pytestmark = pytest.mark.slow

PATHS = sorted(document()["paths"])
OPERATIONS = [(path, method, each) for path in PATHS for method, each in document()["paths"][path].items()]
# What is no JSON: files, to be kept as they are.
DOWNLOADS = {
    "get_simulation_log": ["text/plain"],
    "download_file": ["application/octet-stream"],
    "download_version": ["application/gzip"],
    "export_features": ["application/x-ndjson", "application/vnd.apache.parquet"],
}


def views(resolver, prefix=""):
    """Every address below a resolver as OpenAPI writes it, with its view class."""
    for pattern in resolver.url_patterns:
        address = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from views(pattern, address)
        else:
            yield re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", f"/{address}"), getattr(pattern.callback, "cls", None)


def test_the_document_is_valid_and_is_made_without_a_warning(tmp_path):
    call_command("spectacular", "--fail-on-warn", "--validate", file=str(tmp_path / "schema.yml"))


def test_every_route_and_method_of_the_api_is_in_the_document():
    hidden = {"/api/v1/schema", "/api/v1/docs"}
    found = {
        (path, method)
        for path, view in views(get_resolver())
        if path.startswith("/api/") and path not in hidden and issubclass(view, APIView)
        for method in view.http_method_names
        if hasattr(view, method) and method != "options"
    }
    assert found == {(path, method) for path, method, _ in OPERATIONS}
    assert len(found) > 40


ANONYMOUS = {"get_session", "log_in", "log_out"}

each_operation = pytest.mark.parametrize(
    ("path", "method", "described"), OPERATIONS, ids=[each["operationId"] for *_, each in OPERATIONS]
)


@each_operation
def test_an_operation_is_described_completely(path, method, described):
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", described["operationId"])
    assert described["summary"]
    assert "Needs " in described["description"]
    known = None if described["operationId"] in ANONYMOUS else [{"token": []}, {"cookieAuth": []}]
    assert described.get("security") == known
    parameters = described.get("parameters", [])
    assert {each["name"] for each in parameters if each["in"] == "path"} == set(re.findall(r"\{(\w+)\}", path))
    assert all("schema" in each for each in parameters)


@each_operation
def test_an_operation_announces_its_refusals_as_problems(path, method, described):
    answers = described["responses"]
    assert "401" in answers
    assert ("404" in answers) == ("{" in path)
    assert "429" in answers
    for refusal in ("403", "409", "412"):
        assert (refusal in answers) == (method != "get")
    assert ("422" in answers) == (method in ("post", "patch"))
    for status, answer in answers.items():
        if status not in ("204", "304"):
            good = DOWNLOADS.get(described["operationId"], ["application/json"])
            assert list(answer["content"]) == (good if status < "400" else ["application/problem+json"])


def test_operations_have_names_of_their_own():
    names = [each["operationId"] for *_, each in OPERATIONS]
    assert len(set(names)) == len(names)


def test_the_document_is_public(client):
    response = client.get("/api/v1/schema", HTTP_ACCEPT="application/vnd.oai.openapi+json")
    assert response.status_code == 200
    assert response.json()["openapi"].startswith("3.1")
    assert set(response.json()["paths"]) == set(PATHS)


JSON, YAML = "application/vnd.oai.openapi+json", "application/vnd.oai.openapi"


def test_the_document_is_made_once_whoever_asks(client, monkeypatch):
    first = {kind: client.get("/api/v1/schema", HTTP_ACCEPT=kind) for kind in (JSON, YAML)}
    monkeypatch.setattr(SchemaGenerator, "get_schema", lambda *_, **__: pytest.fail("made again"))
    monkeypatch.setattr(OpenApiYamlRenderer, "render", lambda *_, **__: pytest.fail("written again"))
    for kind, before in first.items():
        for more in ({}, {"lang": "de"}, {"version": "7"}, {"cache": "not"}):
            again = client.get("/api/v1/schema", more, HTTP_ACCEPT=kind)
            assert (again.content, again["ETag"]) == (before.content, before["ETag"])
    assert yaml.safe_load(first[YAML].content) == first[JSON].json()


@pytest.mark.parametrize("kind", [JSON, YAML])
def test_whoever_has_the_document_is_not_sent_it_again(client, kind):
    """Nor does anybody look up who asks: there is no database here."""
    etag = client.get("/api/v1/schema", HTTP_ACCEPT=kind)["ETag"]
    assert re.fullmatch('"[0-9a-f]{32}"', etag)
    known = {"HTTP_ACCEPT": kind, "HTTP_AUTHORIZATION": "Bearer nonsense"}
    has = client.get("/api/v1/schema", HTTP_IF_NONE_MATCH=f'"other", {etag}', **known)
    assert (has.status_code, has.content, has["ETag"], has["Vary"]) == (304, b"", etag, "Accept")
    assert client.get("/api/v1/schema", HTTP_IF_NONE_MATCH='"other"', **known).status_code == 200


@pytest.mark.django_db
def test_the_page_takes_nothing_from_elsewhere(client):
    response = client.get("/api/v1/docs", HTTP_ACCEPT="text/html")
    assert response.status_code == 200
    page = response.content.decode()
    assert "://" not in page
    assert '"docExpansion": "none"' in page
    assets = re.findall(r'(?:src|href)="(/static/[^"]+)"', page)
    assert len(assets) >= 3
    assert all(find(asset.removeprefix("/static/")) for asset in assets)
