"""What is added to a refusal: which name is unknown and what is nearest, and where the refused token is from."""

from __future__ import annotations

import httpx
import pytest

from walle.cli.accounts import StoredAccount
from walle.cli.client import ApiClient
from walle.cli.errors import RequestRefused
from walle.cli.refusals import explain, warn_of_unknown

NOT_FOUND = {"code": "not-found", "detail": "There is no such thing, or it is not yours to see."}
ROWS = {
    "apps": [{"slug": "market"}, {"slug": "shop"}],
    "scenarios": [{"slug": "camera"}],
    "scenarios/camera/tasks": [{"name": "camera/digits"}],
    "tasks/camera/digits/versions": [{"version": "1.0.0"}, {"version": "1.1.0"}],
    "releases": [{"id": 12}, {"id": 11}],
    "devices": [{"device": "uJ7YeXMu2tFX32mL8Zl_Ig"}],
}
KNOWN = {"apps/market", "apps/shop", "scenarios/camera", "tasks/camera/digits", "releases/12", "devices/shop/uJ7YeXMu"}


class Server:
    """Answers as the API does, of a few things; it counts, and may break after some requests."""

    def __init__(self, breaks_after: int = 1000) -> None:
        self.asked: list[str] = []
        self._left = breaks_after

    def __call__(self, request: httpx.Request) -> httpx.Response:
        address = request.url.path.removeprefix("/api/v1/")
        self.asked.append(address)
        self._left -= 1
        if self._left < 0:
            return httpx.Response(503)
        if request.method == "POST" and address == "releases":
            detail = "Expected the name of a known app, found 'shp'"
            return httpx.Response(400, json={"code": "invalid", "errors": [{"field": "app", "detail": detail}]})
        if address in ROWS:
            return httpx.Response(200, json={"results": ROWS[address], "next": None})
        return httpx.Response(200, json={}) if address in KNOWN else httpx.Response(404, json=NOT_FOUND)


def client(server, source="WALLE_TOKEN", token="wl_0a1b2c3d_secret"):
    return ApiClient(
        StoredAccount("http://walle.example", token, source), retries=0, transport=httpx.MockTransport(server)
    )


def refused(address, server=None, **query):
    with client(server or Server()) as asking:
        with pytest.raises(RequestRefused) as caught:
            asking.get(address, **query)
        explain(caught.value, asking)
    return caught.value


@pytest.mark.parametrize(
    ("address", "message", "near"),
    [
        ("apps/shp", "there is no app shp, or it is not yours to see", "shop"),
        ("apps/shop/scenarios/camra", "there is no scenario camra, or it is not yours to see", "camera"),
        ("tasks/camra/digits", "there is no scenario camra, or it is not yours to see", "camera"),
        ("tasks/camera/digis/runs", "there is no task camera/digis, or it is not yours to see", "camera/digits"),
        (
            "tasks/camera/digits/versions/1.1.1",
            "there is no version 1.1.1 of camera/digits, or it is not yours to see",
            "1.1.0",
        ),
        ("releases/99/simulation", "there is no release 99, or it is not yours to see", "12"),
        (
            "devices/shop/uJ7YeXMu2tFX32mL8Zl_Iq",
            "there is no device uJ7YeXMu2tFX32mL8Zl_Iq of shop, or it is not yours to see",
            "uJ7YeXMu2tFX32mL8Zl_Ig",
        ),
    ],
)
def test_the_unknown_one_is_named_with_the_nearest(address, message, near):
    found = refused(address)
    assert (found.message, found.status) == (message, 4)
    assert found.hint.startswith(f"did you mean {near}? See what there is with: walle ")
    assert found.to_dict()["error"]["unknown"]["nearest"] == near
    assert found.to_dict()["error"]["code"] == "not-found"


def test_nothing_is_suggested_where_nothing_is_alike():
    found = refused("apps/zebra")
    assert found.hint == "see what there is with: walle app list"
    assert found.to_dict()["error"]["unknown"] == {"kind": "app", "name": "zebra", "nearest": None}


def test_a_refusal_stays_as_it_is_where_all_names_are_known_or_the_server_breaks():
    for found in (refused("apps/shop/keys/none"), refused("apps/shp", Server(breaks_after=1)), refused("nothing")):
        assert found.message == NOT_FOUND["detail"]


def test_looking_for_the_name_takes_few_requests():
    server = Server()
    refused("tasks/camera/digits/versions/9.9.9/archive", server)
    assert len(server.asked) <= 5


def test_an_unknown_name_in_a_body_is_suggested_for():
    with client(Server()) as asking:
        with pytest.raises(RequestRefused) as caught:
            asking.post("releases", {"app": "shp", "task": "camera/digits", "version": "1.0.0"})
        explain(caught.value, asking)
    assert caught.value.hint.startswith("did you mean shop?")
    assert "found 'shp'" in " ".join([caught.value.message, *caught.value.lines])


def test_an_empty_list_of_an_unknown_app_is_warned_of(capsys):
    with client(Server()) as asking:
        warn_of_unknown({"app": "shp", "state": None}, asking)
        assert "there is no app shp, or it is not yours to see; did you mean shop?" in capsys.readouterr().err
        warn_of_unknown({"app": "shop", "task": None}, asking)
        assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("source", "told", "hint"),
    [
        (
            "WALLE_TOKEN",
            "(the token wl_0a1b2c3d… is from the environment variable WALLE_TOKEN)",
            "or unset WALLE_TOKEN",
        ),
        ("--token-file ci.txt", "(the token wl_0a1b2c3d… is from the option --token-file ci.txt)", "into ci.txt"),
        ("/h/servers.json", "(the token wl_0a1b2c3d… is from the file /h/servers.json)", "walle login http://walle"),
    ],
)
def test_a_refused_token_says_where_it_is_from(source, told, hint):
    found = RequestRefused(401, {"code": "authentication-failed", "detail": "invalid token"})
    with client(Server(), source) as asking:
        explain(found, asking)
    assert (found.message, found.found) == (f"invalid token {told}", {"token_from": source})
    assert hint in found.hint
    assert "secret" not in str(found.to_dict())


def test_a_token_that_is_none_is_not_shown():
    found = RequestRefused(401, {"code": "authentication-failed", "detail": "invalid token"})
    with client(Server(), token="hunter2") as asking:
        explain(found, asking)
    assert "hunter2" not in str(found.to_dict()) + found.message
