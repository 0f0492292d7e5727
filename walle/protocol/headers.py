"""The check-in in HTTP headers: what a device sends with any request, and the answer to it.

All are Structured Fields (RFC 9651). There is a fast path for the form that the device SDK writes; any other valid
serialization is read by the general parser with the same result. The headers of a fleet differ, but consist of the same
few parts, facts and installed versions: each part is parsed once and cached.
"""

from __future__ import annotations

import re
from binascii import a2b_base64
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

from walle.protocol.errors import HeaderMalformed
from walle.protocol.names import DEVICE_ID_PATTERN, SLUG_PATTERN, TASK_NAME_PATTERN
from walle.protocol.signing import detached, open_envelope
from walle.protocol.structured import (
    Item,
    StructuredFieldError,
    Token,
    parse_item,
    parse_list,
    serialize_item,
    serialize_list,
)

DEVICE: Final = "Walle-Device"
APP: Final = "Walle-App"
PROFILE: Final = "Walle-Profile"
OFFERS: Final = "Walle-Offers"
RETRY_AFTER: Final = "Walle-Retry-After"
ERROR: Final = "Walle-Error"
VARIANT: Final = "Walle-Variant"

SHORT_DIGEST_BYTES: Final = 12
MAX_HEADER_BYTES: Final = 8192
MAX_LINES: Final = 8
"""The most lines of one header, which are joined."""
_CREDENTIAL = re.compile(r"[A-Za-z0-9._-]{1,2048}")
_APP_VERSION = re.compile(r"[!-~]{1,64}")
_APP_EXPECTED: Final = '"app";v="app version" and further facts, each text, a token, a number or a boolean'
_DEVICE_FAST = re.compile(rb'"([A-Za-z0-9_-]{1,64})";c="([A-Za-z0-9._-]{1,2048})"(?:;n=([0-9]{1,15}))?')
_PROFILE_ENTRY = re.compile(rb"([a-z][a-z0-9-]{0,39}/[a-z][a-z0-9-]{0,39});d=:([A-Za-z0-9+/]{16}):")
_NUMBER: Final = re.compile(rb"(-?[0-9]{1,15})|-?[0-9]{1,12}\.[0-9]{1,3}")
# What the cloud knows about a device is called user.<name> or lists in rules; no device can claim such a fact.
_CLAIM: Final = re.compile(r"(?!lists$)[^.*]+")
_CACHED: Final = 16_384
"""The most cached parts of headers, of each kind."""
_LONGEST_PART: Final = 1024
_APP_PARAMETERS: Final = {
    "v": "app_version",
    "os": "os",
    "osv": "os_version",
    "perf": "performance",
    "rg": "region",
}


class DeviceHeader(NamedTuple):
    """`Walle-Device`: the device's id, its credential, and the highest table number it has seen."""

    device: str
    credential: str
    number: int


@dataclass(frozen=True, slots=True)
class AppHeader:
    """`Walle-App`: the app, and facts about app and device by name (`app_version`, `os`, `os_version`, ...).

    Facts are claims of the device: they serve targeting and never grant access (release lesson 16).
    """

    app: str
    facts: Mapping[str, Any]

    @property
    def app_version(self) -> str:
        return str(self.facts["app_version"])


Profile = Mapping[str, bytes]
"""The task profile: the first 12 bytes of the installed manifest's digest by task name."""


@dataclass(frozen=True, slots=True)
class CheckIn:
    """The content of a check-in."""

    device: DeviceHeader
    app: AppHeader
    profile: Profile = field(default_factory=dict)

    def headers(self) -> dict[str, str]:
        """Return the request headers of this check-in."""
        lines = {DEVICE: write_device(self.device), APP: write_app(self.app)}
        if self.profile:
            lines[PROFILE] = write_profile(self.profile)
        return lines


def short_digest(digest: str) -> bytes:
    """Return the part of a manifest digest (hex) that a profile contains."""
    return bytes.fromhex(short_hex(digest))


def short_hex(digest: str) -> str:
    """Return the same part in hex."""
    return digest[: 2 * SHORT_DIGEST_BYTES]


def write_device(header: DeviceHeader) -> str:
    return serialize_item(Item(header.device, {"c": header.credential, "n": header.number}))


def read_device(value: bytes) -> DeviceHeader:
    """Parse `Walle-Device`. Raises HeaderMalformed."""
    if match := _DEVICE_FAST.fullmatch(value):
        device, credential, number = match.groups(b"0")
        return DeviceHeader(device.decode(), credential.decode(), int(number))
    expected = '"device id";c="credential";n=number'
    item = _item(DEVICE, value, expected)
    count = item.params.get("n", 0)
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        raise HeaderMalformed(DEVICE, expected)
    return DeviceHeader(
        _text(item.value, DEVICE_ID_PATTERN, DEVICE, expected),
        _text(item.params.get("c"), _CREDENTIAL, DEVICE, expected),
        count,
    )


def write_app(header: AppHeader) -> str:
    names = {long: short for short, long in _APP_PARAMETERS.items()}
    return serialize_item(Item(header.app, {names.get(name, name): _wire(fact) for name, fact in header.facts.items()}))


def _wire(fact: Any) -> Any:
    """Return a fact as a value of structured fields, which have decimals of three digits instead of floats."""
    return Decimal(str(fact)) if isinstance(fact, float) else fact


def read_app(value: bytes) -> AppHeader:
    """Parse `Walle-App`; parameters beyond the known ones are device-side facts. Raises HeaderMalformed."""
    if len(value) <= _LONGEST_PART:
        app, *claims = value.split(b";")
        try:
            header = _app_header(_app(app), [_claim(claim) for claim in claims])
            if len(header.facts) == len(claims):
                return header
        except HeaderMalformed:
            pass  # perhaps valid for the general parser: a semicolon in quotes, unusual spaces
    item = _item(APP, value, _APP_EXPECTED)
    return _app_header(item.value, map(_read_claim, item.params.items()))


def _app_header(app: object, claims: Iterable[tuple[str, Any]]) -> AppHeader:
    facts = dict(claims)
    _text(facts.get("app_version"), _APP_VERSION, APP, _APP_EXPECTED)
    return AppHeader(_text(app, SLUG_PATTERN, APP, _APP_EXPECTED), facts)


# The appended asterisk protects spaces at the end of a part; no claim has that name.
@lru_cache(_CACHED)
def _app(part: bytes) -> object:
    return _item(APP, part + b";*", _APP_EXPECTED).value


@lru_cache(_CACHED)
def _claim(part: bytes) -> tuple[str, Any]:
    name, _, value = part.partition(b"=")
    if number := _NUMBER.fullmatch(value):
        # Values that change from one check-in to the next are numbers, which rarely recur.
        return _claim(name)[0], int(value) if number[1] else float(value)
    return _read_claim(next(iter(_item(APP, b"a;" + part + b";*", _APP_EXPECTED).params.items())))


def _read_claim(parameter: tuple[str, object]) -> tuple[str, Any]:
    name, value = parameter
    if not _CLAIM.fullmatch(name):
        raise HeaderMalformed(APP, "names of facts without dots and asterisks, none of them called lists")
    return _APP_PARAMETERS.get(name, name), _fact(value)


def _fact(value: object) -> str | int | float | bool:
    if isinstance(value, Token):
        return str(value)
    if isinstance(value, Decimal):
        return float(value)
    # A display string can contain NUL, which PostgreSQL cannot store: one device would make its whole batch fail.
    if isinstance(value, (bool, int)) or (isinstance(value, str) and "\0" not in value):
        return value
    raise HeaderMalformed(APP, "facts that are text without NUL, tokens, numbers or booleans")


def write_profile(profile: Profile) -> str:
    return serialize_list([Item(Token(task), {"d": digest}) for task, digest in profile.items()])


def read_profile(value: bytes) -> dict[str, bytes]:
    """Parse `Walle-Profile`; an absent header is an empty profile. Raises HeaderMalformed."""
    if not value:
        return {}
    if len(value) > MAX_HEADER_BYTES:
        raise HeaderMalformed(PROFILE, f"at most {MAX_HEADER_BYTES} bytes")
    try:
        entries = [_installed(part) for part in value.split(b", ")]
    except HeaderMalformed:
        entries = [(str(item.value), _profile_digest(item)) for item in _list(PROFILE, value)]
    profile = dict(entries)
    if len(profile) != len(entries):
        raise HeaderMalformed(PROFILE, "each task once")
    return profile


@lru_cache(_CACHED)
def _installed(part: bytes) -> tuple[str, bytes]:
    """Return a task and its digest from one entry in canonical form."""
    if match := _PROFILE_ENTRY.fullmatch(part):
        return match[1].decode(), a2b_base64(match[2])
    raise HeaderMalformed(PROFILE, "an entry in canonical form")


def _profile_digest(item: Item) -> bytes:
    digest = item.params.get("d")
    if not (isinstance(item.value, Token) and TASK_NAME_PATTERN.fullmatch(item.value)):
        raise HeaderMalformed(PROFILE, "tasks as tokens such as camera/digits")
    if not isinstance(digest, bytes) or len(digest) != SHORT_DIGEST_BYTES:
        raise HeaderMalformed(PROFILE, f"d as a byte sequence of {SHORT_DIGEST_BYTES} bytes for {item.value}")
    return digest


@dataclass(frozen=True)
class Offer:
    """The offer to change one task on the device; see docs/protocol.md for each field.

    `digest` and `size` are those of the manifest envelope at `url`; `exclusive` is the base URL of the device's
    exclusive files, if the bundle has any; `defer_s` for how many seconds the device may put the offer off, not at all
    if it is None; `assignment`, `signature` and `key_id` are the parts of the signed
    assignment. `token` is None only in the part of an offer that all devices share.
    """

    task: str
    action: Literal["install", "update", "remove"]
    assignment: bytes
    signature: bytes
    key_id: str
    token: str | None = None
    kind: Literal["shared", "exclusive"] = "shared"
    url: str | None = None
    digest: bytes | None = None
    size: int | None = None
    exclusive: str | None = None
    defer_s: int | None = None


_OFFER_FIELDS: Final[Mapping[str, tuple[str, Callable[[Any], bool], str]]] = {
    "url": ("url", lambda value: isinstance(value, str), "text"),
    "d": ("digest", lambda value: isinstance(value, bytes) and len(value) == 32, "a byte sequence of 32 bytes"),
    "size": ("size", lambda value: type(value) is int and value >= 0, "a number of bytes"),
    "x": ("exclusive", lambda value: isinstance(value, str), "text"),
    "a": ("assignment", lambda value: isinstance(value, bytes), "a byte sequence"),
    "s": ("signature", lambda value: isinstance(value, bytes), "a byte sequence"),
    "k": ("key_id", lambda value: isinstance(value, str), "text"),
    "t": ("token", lambda value: isinstance(value, str), "text"),
    "defer": ("defer_s", lambda value: type(value) is int and value >= 0, "a number of seconds"),
}


def write_offers(offers: Iterable[Offer]) -> str:
    return serialize_list([_offer_item(offer) for offer in offers])


def _offer_item(offer: Offer) -> Item:
    params: dict[str, Any] = {"do": Token(offer.action), "kind": Token(offer.kind)}
    for name, (attribute, _, _) in _OFFER_FIELDS.items():
        if (value := getattr(offer, attribute)) is not None:
            params[name] = value
    return Item(Token(offer.task), params)


def read_offers(value: bytes) -> list[Offer]:
    """Parse `Walle-Offers`; parameters that this version does not know are ignored. Raises HeaderMalformed."""
    return [_read_offer(item) for item in _list(OFFERS, value)] if value else []


def _read_offer(item: Item) -> Offer:
    action, kind = item.params.get("do"), item.params.get("kind")
    if not (isinstance(item.value, Token) and TASK_NAME_PATTERN.fullmatch(item.value)):
        raise HeaderMalformed(OFFERS, "tasks as tokens such as camera/digits")
    if action not in ("install", "update", "remove"):
        raise HeaderMalformed(OFFERS, f"do as install, update or remove for {item.value}")
    if kind not in ("shared", "exclusive"):
        raise HeaderMalformed(OFFERS, f"kind as shared or exclusive for {item.value}")
    fields = {attribute: item.params.get(name) for name, (attribute, _, _) in _OFFER_FIELDS.items()}
    required = {"assignment", "signature", "key_id", "token"}
    if action != "remove":
        required |= {"url", "digest", "size"} | ({"exclusive"} if kind == "exclusive" else set())
    for name, (attribute, fits, expected) in _OFFER_FIELDS.items():
        value = fields[attribute]
        if not (fits(value) or (value is None and attribute not in required)):
            raise HeaderMalformed(OFFERS, f"{name} as {expected} for {item.value}")
    return Offer(task=str(item.value), action=str(action), kind=str(kind), **fields)  # type: ignore[arg-type]


def write_variant(envelope: bytes) -> str:
    """Write `Walle-Variant`: the signed statement of an exclusive file, as payload, signature `s` and key id `k`."""
    opened = open_envelope("variant", envelope)
    signature = next(iter(opened.signatures.values()))
    return serialize_item(Item(opened.payload, {"s": bytes.fromhex(signature.signature), "k": signature.keyid}))


def read_variant(value: bytes) -> bytes:
    """Return the unverified envelope in a `Walle-Variant` header. Raises HeaderMalformed."""
    expected = 'the statement as bytes;s=signature bytes;k="key id"'
    item = _item(VARIANT, value, expected)
    signature, key_id = item.params.get("s"), item.params.get("k")
    if not (isinstance(item.value, bytes) and isinstance(signature, bytes) and isinstance(key_id, str)):
        raise HeaderMalformed(VARIANT, expected)
    return detached("variant", item.value, key_id, signature)


def _item(header: str, value: bytes, expected: str) -> Item:
    try:
        if len(value) <= MAX_HEADER_BYTES:
            return parse_item(value)
    except StructuredFieldError as error:
        raise HeaderMalformed(header, f"{expected} ({error})") from error
    raise HeaderMalformed(header, f"at most {MAX_HEADER_BYTES} bytes")


def _list(header: str, value: bytes) -> list[Item]:
    try:
        members = parse_list(value)
    except StructuredFieldError as error:
        raise HeaderMalformed(header, f"a list of tasks ({error})") from error
    items = [member for member in members if isinstance(member, Item)]
    if len(items) != len(members):
        raise HeaderMalformed(header, "tasks, no inner lists")
    return items


def _text(value: object, pattern: re.Pattern[str], header: str, expected: str) -> str:
    if isinstance(value, str) and pattern.fullmatch(value):
        return value
    raise HeaderMalformed(header, expected)
