"""The errors of received messages; each has a stable code that reports contain."""


class ProtocolError(Exception):
    """A received message violates the protocol; `code` is stable and documented in docs/protocol.md."""

    code = "protocol-error"


class HeaderMalformed(ProtocolError):
    """A check-in header is missing or malformed."""

    code = "header-malformed"

    def __init__(self, header: str, expected: str) -> None:
        super().__init__(f"{header}: expected {expected}")
        self.header = header
        self.expected = expected


class DocumentMalformed(ProtocolError):
    """A document does not have the fields or types of its kind."""

    code = "document-malformed"


class CredentialRefused(ProtocolError):
    """A device's credential, or another keyed token, is not valid."""

    code = "credential-invalid"


class CredentialExpired(CredentialRefused):
    """The token is genuine but has expired; the device must enrol again."""

    code = "credential-expired"


class CredentialKeyRetired(CredentialRefused):
    """The token was issued with a key that is no longer accepted; the device must enrol again."""

    code = "credential-key-retired"


class VerificationFailed(ProtocolError):
    """A signed document is refused."""

    code = "verification-failed"


class Unsigned(VerificationFailed):
    """The document has no signature, or no envelope."""

    code = "unsigned"


class WrongSignature(VerificationFailed):
    """The document is not signed by the keys of its role in the trusted root."""

    code = "wrong-signature"


class Expired(VerificationFailed):
    """The document has expired."""

    code = "expired"


class Mixed(VerificationFailed):
    """Genuine documents do not belong together: they are of another app, task or manifest than announced."""

    code = "mixed"


class KindUnknown(VerificationFailed):
    """The task is of a kind that this device does not know."""

    code = "kind-unknown"


class Outdated(VerificationFailed):
    """The number is lower than one already seen, so that an old state is being replayed."""

    code = "rolled-back"


class FrameMalformed(ProtocolError):
    """A message of the tunnel is not a frame, or its content is not what the frame promises.

    `code` is one of those in docs/protocol.md, section "What each side refuses"; `text` says what was expected.
    """

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code, self.text = code, text
