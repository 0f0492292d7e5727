"""What can be wrong with what the other side sent; every error carries a stable code that travels in reports."""


class ProtocolError(Exception):
    """Something received breaks the wire contract; `code` is stable and documented in docs/protocol.md."""

    code = "protocol-error"


class HeaderMalformed(ProtocolError):
    """A check-in header is missing or not what the contract says."""

    code = "header-malformed"

    def __init__(self, header: str, expected: str) -> None:
        super().__init__(f"{header}: expected {expected}")
        self.header = header
        self.expected = expected


class DocumentMalformed(ProtocolError):
    """A document does not have the fields or types of its kind."""

    code = "document-malformed"


class CredentialRefused(ProtocolError):
    """A device's credential, or another keyed token, does not hold."""

    code = "credential-invalid"


class CredentialExpired(CredentialRefused):
    """The token is genuine but its time is over: enrol again."""

    code = "credential-expired"


class CredentialKeyRetired(CredentialRefused):
    """The token was made with a key that is no longer accepted: enrol again."""

    code = "credential-key-retired"


class VerificationFailed(ProtocolError):
    """A signed document is refused."""

    code = "verification-failed"


class Unsigned(VerificationFailed):
    """No signature at all, or no envelope around the document."""

    code = "unsigned"


class WrongSignature(VerificationFailed):
    """Not signed by the keys that the trusted root names for this role."""

    code = "wrong-signature"


class Expired(VerificationFailed):
    """The document was good until a time that has passed."""

    code = "expired"


class Mixed(VerificationFailed):
    """Genuine documents that do not belong together: another app, task or manifest than announced."""

    code = "mixed"


class KindUnknown(VerificationFailed):
    """The task is of a kind that this device does not know."""

    code = "kind-unknown"


class RolledBack(VerificationFailed):
    """A lower number than one already seen: an old state is being replayed."""

    code = "rolled-back"
