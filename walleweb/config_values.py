"""Parsers of settings: each turns the text of a variable into a value, or raises ValueError with what it expected."""

from collections.abc import Callable
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Final
from urllib.parse import urlsplit

from walle.bundle.interpreters import TAG

TRUE: Final = ("1", "true", "yes", "on")
FALSE: Final = ("0", "false", "no", "off")


def parse_text(value: str) -> str:
    return value


def parse_flag(value: str) -> bool:
    if value.lower() in TRUE:
        return True
    if value.lower() in FALSE:
        return False
    raise ValueError(f"expected one of {', '.join(TRUE + FALSE)}")


def parse_list(value: str) -> tuple[str, ...]:
    """Parse items separated by commas; blanks around them are ignored."""
    return tuple(item.strip() for item in value.split(",") if item.strip())


def parse_networks(value: str) -> tuple[IPv4Network | IPv6Network, ...]:
    """Parse networks such as 10.1.0.0/16, separated by commas."""
    return tuple(ip_network(item) for item in parse_list(value))


def parse_interpreters(value: str) -> dict[str, str]:
    """Paths of interpreters by cache tag, as cpython-312=/opt/python3.12/bin/python3.12; separated by commas."""
    pairs = [item.partition("=") for item in parse_list(value)]
    for tag, _, path in pairs:
        if not TAG.fullmatch(tag) or not path.startswith("/"):
            raise ValueError(
                "expected cache tags with absolute paths, such as cpython-312=/opt/python3.12/bin/python3.12"
            )
    return {tag: path for tag, _, path in pairs}


def number(low: int, high: int) -> Callable[[str], int]:
    """Return a parser of integers from `low` to `high`, both included."""

    def parse(value: str) -> int:
        if not value.lstrip("-").isdigit() or not low <= int(value) <= high:
            raise ValueError(f"expected a whole number from {low} to {high}")
        return int(value)

    return parse


def choice(*allowed: str) -> Callable[[str], str]:
    """Return a parser that accepts the given words, in lower or upper case."""

    def parse(value: str) -> str:
        if value.lower() not in allowed:
            raise ValueError(f"expected one of {', '.join(allowed)}")
        return value.lower()

    return parse


def url(*schemes: str) -> Callable[[str], str]:
    """Return a parser of addresses with one of the given schemes; empty means that there is none."""

    def parse(value: str) -> str:
        if value and urlsplit(value).scheme not in schemes:
            raise ValueError(f"expected an address that begins with {' or '.join(f'{s}://' for s in schemes)}")
        return value

    return parse
