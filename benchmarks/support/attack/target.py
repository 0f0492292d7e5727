"""An app, a scenario and people of the attack's own, in the product's database, and their valid requests."""

from __future__ import annotations

import base64
import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.support.attack.inputs import Request

VECTORS: Final = Path(__file__).parents[3] / "walle" / "conformance" / "vectors"
APP, SCENARIO = "target", "target"
# Owners of webhooks could have the product send to addresses that a mutation chose, and owners of an app could lock out
# all new devices, the good ones too: these requests are sent without a token.
WITHOUT_TOKEN: Final = frozenset({"create_webhook", "change_webhook", "update_webhook", "revoke_newcomers"})


@dataclass(frozen=True)
class AttackTarget:
    """The secrets of the attack's people and of the good clients."""

    origin: str
    attacker: str
    attacker_cookie: str
    innocent: str
    innocent_cookie: str
    enrol_key: str
    gateway_key: str
    credential: str
    seeds: dict[str, list[Request]] = field(default_factory=dict)
    frames: list[str] = field(default_factory=list)


def prepare(origin: str) -> AttackTarget:
    """Create all of it; Django must be set up on the product's database."""
    from django.utils import timezone

    from accounts_app.actors import SYSTEM, Actor
    from accounts_app.services.members import grant_role
    from accounts_app.services.tokens import issue_token
    from devices_app.models import AppKey
    from devices_app.selectors.state import gateway_state
    from devices_app.services.apps import add_version, create_app, create_secret_key
    from tasks_app.services.scenarios import create_scenario

    now = timezone.now()
    app = create_app(slug=APP, name="AttackTarget", actor=SYSTEM, now=now)
    add_version(app=app, version="1.0.0", actor=SYSTEM)
    create_scenario(actor=SYSTEM, slug=SCENARIO)
    secrets, cookies = {}, {}
    for name, scopes in (
        ("attacker", (f"app:{APP}", f"scenario:{SCENARIO}")),
        ("innocent", ("app:market", "scenario:camera")),
    ):
        user, cookies[name] = _somebody(name)
        for scope in scopes:
            grant_role(actor=SYSTEM, user=user, scope=scope, role="owner" if name == "attacker" else "viewer")
        secrets[name] = issue_token(actor=SYSTEM, user=user, name="attack")[1]
        assert Actor(user=user).is_active
    keys = {
        kind: create_secret_key(app=app, kind=kind, label="attack", actor=SYSTEM)[1]
        for kind in (AppKey.Kind.ENROL, AppKey.Kind.GATEWAY)
    }
    credential = (
        gateway_state().apps[APP].keyring.issue_credential("device-1", int(time.time()) + 86_400, {"age_band": "18"})
    )
    target = AttackTarget(
        origin, secrets["attacker"], cookies["attacker"], secrets["innocent"], cookies["innocent"],
        keys[AppKey.Kind.ENROL], keys[AppKey.Kind.GATEWAY], credential,
    )  # fmt: skip
    target.seeds.update(
        device=_device(target), check_in=_check_in(target), rest=_rest(target), git=_git(target), login=_login()
    )
    target.frames.extend(_frames())
    return target


def _somebody(name: str) -> tuple[Any, str]:
    from django.contrib.auth.models import User
    from django.test import Client

    user = User.objects.create_user(f"attack-{name}")
    browser = Client()
    browser.force_login(user)
    return user, "; ".join(f"{key}={morsel.value}" for key, morsel in browser.cookies.items())


def _check_in(target: AttackTarget) -> list[Request]:
    """Return valid check-ins of the target's device, and the header vectors of the protocol."""
    device = f'"device-1";c="{target.credential}";n=0'.encode()
    app, profile = f'"{APP}";v="1.0.0";region=eu;score=0.5;vip'.encode(), b"camera/digits;d=:AAAAAAAAAAAAAAAA:"
    vectors = {name: [case["raw"].encode() for case in cases] for name, cases in _vectors("headers.json").items()}
    found = []
    for index in range(max(map(len, vectors.values()))):
        for good in (True, False):
            values = {
                b"walle-device": device if good else vectors["Walle-Device"][index % len(vectors["Walle-Device"])],
                b"walle-app": vectors["Walle-App"][index % len(vectors["Walle-App"])] if not good else app,
                b"walle-profile": vectors["Walle-Profile"][index % len(vectors["Walle-Profile"])] if index else profile,
            }
            found.append(Request("GET" if index % 2 else "POST", b"/walle/v1/checkin", tuple(values.items())))
    return found


def _device(target: AttackTarget) -> list[Request]:
    """Return the other requests of devices and gateways."""
    check_in = _check_in(target)[0].headers
    bearer = ((b"authorization", b"Bearer " + target.gateway_key.encode()),)
    reports = [
        case.get("value", case.get("report", case)) for cases in _vectors("reports.json").values() for case in cases
    ]
    seen = {
        "device": "device-1",
        "facts": {"a": 1},
        "trusted": {},
        "profile": {"camera/digits": "00" * 12},
        "at": 1.8e9,
    }
    exposure = {"release": 7, "stage": 1, "task": "camera/digits", "arm": "treatment", "bucket": 1, "number": 17}
    relay = f"/walle/v1/relay/{APP}/".encode()

    def post(path: bytes, headers: tuple[tuple[bytes, bytes], ...], document: object) -> Request:
        return Request("POST", path, headers, json.dumps(document).encode())

    return [
        post(b"/walle/v1/enrol", (), {"app": APP, "key": target.enrol_key}),
        post(
            b"/walle/v1/enrol",
            (),
            {"app": APP, "key": target.enrol_key, "device": "device-1", "credential": target.credential},
        ),
        *(post(b"/walle/v1/enrol", (), {"app": APP, "statement": each}) for each in _envelopes()),
        *(post(b"/walle/v1/reports", check_in, {"reports": [each]}) for each in reports),
        post(relay + b"check-ins", bearer, {"check_ins": [seen | {"drawn": [exposure]}, seen]}),
        post(relay + b"quotas", bearer, {"wanted": {"7": 3}}),
        post(relay + b"reports", bearer, {"reports": [{"device": "device-1", "report": each} for each in reports[:3]]}),
        Request("GET", relay + b"state", (*bearer, (b"if-none-match", b'"5"'))),
        Request("GET", b"/walle/v1/roots/1.json"),
        Request("GET", b"/walle/v1/artifacts/" + b"ab" * 32, ((b"range", b"bytes=0-5,7-"), (b"if-range", b'"x"'))),
        Request("GET", b"/walle/v1/exclusive/k1.W10.00/prefs.json"),
    ]


def _rest(target: AttackTarget) -> list[Request]:
    """Return every operation of the OpenAPI document with its recorded example, about the target."""
    from drf_spectacular.generators import SchemaGenerator

    from walleweb.openapi import recorded

    names = {
        "app": APP, "scenario": SCENARIO, "task": "digits", "version": "1.0.0", "device": "device-1",
        "app_version": "1.0.0",
        "user": "attack-attacker", "role": "viewer", "token": "wl_00000000", "fact": "user.vip", "id_list": "testers",
        "release": "1", "action": "pause", "webhook": "1", "delivery": "1", "cell": "1", "key": "1", "feature": "1",
        "session": "1", "host": "serving-1", "workflow": "questions", "placement": "1",
    }  # fmt: skip
    known = ((b"authorization", b"Bearer " + target.attacker.encode()), (b"content-type", b"application/json"))
    found = []
    for path, methods in SchemaGenerator().get_schema(request=None, public=True)["paths"].items():
        for method, operation in methods.items():
            name = operation["operationId"]
            if name in ("log_in", "log_out"):
                continue
            body = json.dumps(recorded().get(name, {}).get("request") or {}).encode() if method != "get" else b""
            text = body.replace(b'"shop"', b'"target"').replace(b"camera/", b"target/")
            headers = known[1:] if name in WITHOUT_TOKEN else known
            found.append(Request(method.upper(), path.format_map(names).encode(), headers, text))
    return found


def _git(target: AttackTarget) -> list[Request]:
    """Return the requests of fetches and pushes, one in four with a valid token."""
    basic = b"Basic " + base64.b64encode(f"git:{target.attacker}".encode())
    zero, one = b"0" * 40, b"1" * 40
    push = _pkt(b"%b %b refs/heads/digits\0report-status side-band-64k\n" % (zero, one)) + b"0000PACK\0\0\0\2\0\0\0\0"
    fetch = _pkt(b"command=fetch") + b"0001" + _pkt(b"want " + one) + _pkt(b"done") + b"0000"
    refs = _pkt(b"command=ls-refs\n") + b"0001" + _pkt(b"peel\n") + _pkt(b"ref-prefix refs/heads/\n") + b"0000"
    root = f"/git/{SCENARIO}.git".encode()
    found = []
    for known in ((b"authorization", basic), *[(b"authorization", b"Basic Z2l0OndsXzAwMDAwMDAwXzA=")] * 3):
        protocol = (known, (b"git-protocol", b"version=2"))
        found += [
            Request("GET", root + b"/info/refs?service=git-upload-pack", protocol),
            Request("GET", root + b"/info/refs?service=git-receive-pack", (known,)),
            *(
                Request(
                    "POST",
                    root + b"/git-" + pack,
                    (*protocol, (b"content-type", b"application/x-git-" + pack + b"-request")),
                    body,
                )
                for pack, body in ((b"upload-pack", fetch), (b"upload-pack", refs), (b"receive-pack", push))
            ),
        ]
    return found


def _login() -> list[Request]:
    json_, form = (b"content-type", b"application/json"), (b"content-type", b"application/x-www-form-urlencoded")
    body = json.dumps({"username": "attack-innocent", "password": "not this one"}).encode()
    return [
        Request("POST", b"/api/v1/session", (json_,), body),
        Request("GET", b"/api/v1/session", ((b"cookie", b"sessionid=abcdef; csrftoken=abc"),)),
        Request(
            "POST",
            b"/admin/login/",
            (form, (b"cookie", b"csrftoken=" + b"a" * 32)),
            b"username=a&password=b&csrfmiddlewaretoken=" + b"a" * 32,
        ),
        Request("GET", b"/admin/login/?next=/admin/", ()),
    ]


def _frames() -> list[str]:
    topics = ("releases", "release/1", "fleet", f"fleet/{APP}", "nonsense")
    said = [{"type": "subscribe", "topic": topic, "after": None} for topic in topics]
    said += [{"type": "subscribe", "topic": "releases", "after": "1.2.3"}]
    said += [{"type": "unsubscribe", "topic": topic} for topic in topics] + [{"type": "ping"}]
    return [json.dumps(each) for each in said]


def _pkt(line: bytes) -> bytes:
    return b"%04x" % (len(line) + 4) + line


def _vectors(name: str) -> dict[str, list[dict[str, Any]]]:
    """Return the cases of a file of vectors, by their subject."""
    document = json.loads((VECTORS / name).read_text())
    return document if isinstance(document, dict) else {"": document}


def _envelopes() -> list[Any]:
    return [case["envelope"] for case in _vectors("envelopes.json")["vectors"] if "envelope" in case][:12]
