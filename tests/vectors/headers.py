"""Header vectors: what each header reads as, the canonical text it is written as, and what must be refused."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

_D = "AAECAwQFBgcICQoL"  # twelve bytes, 00 to 0b
_HEX = "000102030405060708090a0b"
_LONG = 'shop;v="1"' + ";x=1" * 2100
_CREDENTIAL = "k1.1807776000..0123456789abcdef0123456789abcdef"


def headers() -> dict[str, list[dict[str, Any]]]:
    return {
        "Walle-Device": _device(),
        "Walle-App": _app(),
        "Walle-Profile": _profile(),
        "Walle-Offers": _offers(),
        "Walle-Deferral": _deferral(),
        "Walle-Retry-After": [
            {"raw": "60", "value": 60},
            {"raw": "1", "value": 1},
            *_refused("-1", "1.5", "soon", "1 2"),
        ],
    }


def _refused(*raws: str) -> list[dict[str, Any]]:
    return [{"raw": raw, "error": "header-malformed"} for raw in raws]


def _device() -> list[dict[str, Any]]:
    def read(raw: str, number: int, canonical: str | None = None, device: str = "device-1") -> dict[str, Any]:
        value = {"device": device, "credential": _CREDENTIAL, "number": number}
        return {"raw": raw, "value": value, "canonical": canonical or raw}

    c = f'c="{_CREDENTIAL}"'
    return [
        read(f'"device-1";{c};n=17', 17),
        read(f'"device-1";{c}', 0, f'"device-1";{c};n=0'),
        read(f'"device-1";n=17;{c}', 17, f'"device-1";{c};n=17'),
        read(f'  "device-1"; {c};  n=017  ', 17, f'"device-1";{c};n=17'),
        read(f'"device-1";{c};n=17;future="ignored"', 17, f'"device-1";{c};n=17'),
        read(f'"device-1";n=5;{c};n=17', 17, f'"device-1";{c};n=17'),
        read(f'"device-1";{c};n=999999999999999', 999999999999999),
        read(f'"{"a" * 64}";{c};n=1', 1, device="a" * 64),
        *_refused(
            "",
            '"device-1"',
            f'"device-1";{c};n=-1',
            f'"device-1";{c};n=1.0',
            f'"device-1";{c};n=?1',
            f'"device-1";{c};n="17"',
            f'"device-1";{c};n=1000000000000000',
            f'"device-1";{c};N=17',
            f"1device;{c}",
            f'"";{c}',
            f'"device 1";{c}',
            f'"{"a" * 65}";{c}',
            '"device-1";c="";n=1',
            '"device-1";c="no spaces";n=1',
            f'"device-1";c="{"x" * 2049}";n=1',
            '"device-1";c=:AAEC:;n=1',
            f'"device-1";{c};n=1, "device-2";{c};n=1',
            f'"device-1";{c};n=1;',
            f'"d\u00e9vice";{c}',
        ),
    ]


def _app() -> list[dict[str, Any]]:
    def read(raw: str, facts: dict[str, Any], canonical: str | None = None) -> dict[str, Any]:
        return {"raw": raw, "value": {"app": "shop", "facts": facts}, "canonical": canonical or raw}

    return [
        read('"shop";v="1.14.2"', {"app_version": "1.14.2"}),
        read(
            '"shop";v="1.14.2";os=android;osv="14";perf=high;rg=eu',
            {"app_version": "1.14.2", "os": "android", "os_version": "14", "performance": "high", "region": "eu"},
            '"shop";v="1.14.2";os="android";osv="14";perf="high";rg="eu"',
        ),
        read(
            '"shop";v="1";age=30;score=0.75;vip;old=?0;note="a \\"b\\" \\\\ c"',
            {"app_version": "1", "age": 30, "score": 0.75, "vip": True, "old": False, "note": 'a "b" \\ c'},
        ),
        read('"shop";age=30;v="1"', {"age": 30, "app_version": "1"}),
        read('"shop";v="1";age=1;age=2', {"app_version": "1", "age": 2}, '"shop";v="1";age=2'),
        read('"shop";v=v1', {"app_version": "v1"}, '"shop";v="v1"'),
        read('"shop";v="1";since=@1800000000', {"app_version": "1", "since": 1800000000}),
        read('"shop";v="1";name=%"caf%c3%a9"', {"app_version": "1", "name": "caf\u00e9"}),
        read('"shop";v="1";kind-unheard-of;kind-x=?0', {"app_version": "1", "kind-unheard-of": True, "kind-x": False}),
        *_refused(
            "",
            '"shop"',
            'shop";v="1"',
            "7",
            '"Shop";v="1"',
            '"shop";v=""',
            '"shop";v="a b"',
            f'"shop";v="{"1" * 65}"',
            '"shop";v=1',
            '"shop";v',
            '"shop";v="1";photo=:AAEC:',
            '"shop";v="1";name=%"%00"',
            '"shop";v="1";Age=30',
            '"shop";v="1";age=1e3',
            '"shop";v="1";user.vip',
            '"shop";v="1";lists="testers"',
            '"shop";v="1";a*b=1',
            '"shop";v="1";*=1',
            '("shop");v="1"',
            _LONG,
        ),
    ]


def _profile() -> list[dict[str, Any]]:
    def read(raw: str, tasks: list[str], canonical: str | None = None) -> dict[str, Any]:
        return {"raw": raw, "value": dict.fromkeys(tasks, _HEX), "canonical": canonical or raw}

    one, two = f"camera/digits;d=:{_D}:", f"shop/recommend;d=:{_D}:"
    many = [f"s/t{number}" for number in range(300)]
    return [
        read("", []),
        read(one, ["camera/digits"]),
        read(f"{one}, {two}", ["camera/digits", "shop/recommend"]),
        read(f"{one},{two}", ["camera/digits", "shop/recommend"], f"{one}, {two}"),
        read(f"{one} ,\t {two} ", ["camera/digits", "shop/recommend"], f"{one}, {two}"),
        read(f"camera/digits; d=:{_D}:;future=1", ["camera/digits"], one),
        read(f"camera/digits;d=:AAAA:;d=:{_D}:", ["camera/digits"], one),
        *_refused(
            "camera/digits",
            "camera/digits;d=:AAAA:",
            f"camera/digits;d=:{_D}AA==:",
            'camera/digits;d="AAECAwQFBgcICQoL"',
            f'"camera/digits";d=:{_D}:',
            f"digits;d=:{_D}:",
            f"Camera/digits;d=:{_D}:",
            f"camera/digits/x;d=:{_D}:",
            f"camera/{'d' * 41};d=:{_D}:",
            f"({one})",
            f"{one},",
            f"{one}, {one}",
            f"{one};;{two}",
            "camera/digits;d=:AAECAwQFBgcICQ-_:",
            ", ".join(f"{task};d=:{_D}:" for task in many),
        ),
    ]


def _offers() -> list[dict[str, Any]]:
    digest, payload, signature = bytes(range(32)), b'{"type":"walle-assignment"}', bytes(range(64))
    signed = f':{_b64(payload)}:;s=:{_b64(signature)}:;k="key-1";t="k1.1.2.3.4.mac"'
    where = f';url="https://cdn.example/a/1";d=:{_b64(digest)}:;size=1824'
    common = {
        "assignment": _b64(payload),
        "signature": _b64(signature),
        "key_id": "key-1",
        "token": "k1.1.2.3.4.mac",
    }
    at = {"url": "https://cdn.example/a/1", "digest": digest.hex(), "size": 1824}
    nowhere = {"url": None, "digest": None, "size": None, "exclusive": None, "defer_s": None}
    plain = {"exclusive": None, "defer_s": None}
    shared = {"task": "camera/digits", "action": "install", "kind": "shared", **common, **at, **plain}
    personal = shared | {"action": "update", "kind": "exclusive", "exclusive": "/walle/v1/exclusive/x"}
    removal = {"task": "old/task", "action": "remove", "kind": "shared", **common, **nowhere}
    install = f"camera/digits;do=install;kind=shared{where};a={signed}"
    update = f'camera/digits;do=update;kind=exclusive{where};x="/walle/v1/exclusive/x";a={signed}'
    remove = f"old/task;do=remove;kind=shared;a={signed}"
    return [
        {"raw": "", "value": [], "canonical": ""},
        {"raw": install, "value": [shared], "canonical": install},
        {"raw": update, "value": [personal], "canonical": update},
        {"raw": remove, "value": [removal], "canonical": remove},
        {"raw": f"{install},{remove}", "value": [shared, removal], "canonical": f"{install}, {remove}"},
        {"raw": f"{install};later=1", "value": [shared], "canonical": install},
        {
            "raw": f"{install};defer=86400",
            "value": [shared | {"defer_s": 86_400}],
            "canonical": f"{install};defer=86400",
        },
        {"raw": f"{install};defer=0", "value": [shared | {"defer_s": 0}], "canonical": f"{install};defer=0"},
        {"raw": _moved(install), "value": [shared], "canonical": install},
        *_refused(
            "camera/digits",
            "camera/digits;do=install",
            install.replace("do=install", "do=replace"),
            install.replace("kind=shared", "kind=public"),
            install.replace(";kind=shared", ""),
            install.replace(where, ""),
            install.replace(_b64(digest), _b64(digest[:31])),
            install.replace("size=1824", "size=-1"),
            install.replace("size=1824", "size"),
            install.replace("size=1824", "size=1824.0"),
            f"{install};defer=-1",
            f"{install};defer",
            f'{install};defer="86400"',
            install.replace(f":{_b64(payload)}:", '"payload"'),
            install.replace(';t="k1.1.2.3.4.mac"', ""),
            install.replace(';k="key-1"', ""),
            install.replace("camera/digits", '"camera/digits"'),
            update.replace(';x="/walle/v1/exclusive/x"', ""),
            remove.replace(f";a={signed}", ""),
            f"({install})",
            f"{install}, {remove.replace('do=remove', 'do=drop')}",
        ),
    ]


def _deferral() -> list[dict[str, Any]]:
    def read(raw: str, reason: str, seconds: int, due: list[str], canonical: str | None = None) -> dict[str, Any]:
        return {"raw": raw, "value": {"reason": reason, "seconds": seconds, "due": due}, "canonical": canonical or raw}

    tasks = [f"camera/t{number:02}" for number in range(17)]
    call = "in-call;for=1800"
    return [
        {"raw": "", "value": None, "canonical": ""},
        read(call, "in-call", 1800, []),
        read("metered;for=604800", "metered", 604_800, []),
        read("of-a-later-version;for=1", "of-a-later-version", 1, []),
        read(f'{call};due="camera/digits"', "in-call", 1800, ["camera/digits"]),
        read(f'{call};due="a/b camera/digits"', "in-call", 1800, ["a/b", "camera/digits"]),
        read(f'{call};due="{" ".join(tasks[:16])}"', "in-call", 1800, sorted(tasks[:16])),
        read(f'{call};due=""', "in-call", 1800, [], call),
        read(' in-call; for=1800;due="a/b";later ', "in-call", 1800, ["a/b"], f'{call};due="a/b"'),
        *_refused(
            "in-call",
            "in-call;for=0",
            "in-call;for=-1",
            "in-call;for=604801",
            "in-call;for=1.5",
            'in-call;for="1800"',
            "in-call;for",
            '"in-call";for=1800',
            "In-Call;for=1800",
            f"{'i' * 21};for=1800",
            "*;for=1800",
            "7;for=1800",
            f"{call};due=a/b",
            f'{call};due="digits"',
            f'{call};due="a/b,c/d"',
            f'{call};due="a/b  c/d"',
            f'{call};due="{" ".join(tasks)}"',
            f"{call}, {call}",
            call + ";x=1" * 600,
        ),
    ]


def _moved(offer: str) -> str:
    """The same offer with its token first, as gateways write it: the order of parameters means nothing."""
    token = ';t="k1.1.2.3.4.mac"'
    return offer.replace(token, "").replace(";do=", f"{token};do=")


def _b64(data: bytes) -> str:
    return b64encode(data).decode()
