"""E-mail addresses: the common form of RFC 5321, without quoting, comments and blanks, which no header can break."""

import re
from typing import Final

MAX_ADDRESS: Final = 254
_ATOM: Final = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL: Final = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_ADDRESS: Final = re.compile(rf"(?=[^@]{{1,64}}@){_ATOM}(?:\.{_ATOM})*@{_LABEL}(?:\.{_LABEL})*")
_NAMED: Final = re.compile(r"(?P<name>[^<>\",;:@()\[\]\\]{1,100}?) ?<(?P<address>[^<>]+)>")


class AddressRefused(ValueError):
    """The text is no address; the error says what was expected."""

    def __init__(self) -> None:
        super().__init__("expected an e-mail address such as ada@example.com")


def check_address(text: str) -> str:
    """Return an address unchanged. Raises AddressRefused."""
    if len(text) > MAX_ADDRESS or not _ADDRESS.fullmatch(text):
        raise AddressRefused
    return text


def check_sender(text: str) -> str:
    """Return a sender unchanged: an address, or a name with one, as in `Walle <walle@example.com>`.

    Raises AddressRefused.
    """
    named = _NAMED.fullmatch(text[: MAX_ADDRESS + 200])
    if not text.isprintable():
        raise AddressRefused
    check_address(named["address"] if named else text)
    return text
