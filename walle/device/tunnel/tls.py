"""TLS of the tunnel: a connection resumes the session of the last one, without the certificates."""

from __future__ import annotations

import os
import ssl

import httpx


class ResumingContext(ssl.SSLContext):
    """A client's context that offers the last session kept of a server (RFC 8446, section 2.2).

    It believes the authorities in `trusted`, by default those that httpx believes. For one event loop.
    """

    def __new__(cls, trusted: ssl.SSLContext | None = None) -> ResumingContext:
        return super().__new__(cls, ssl.PROTOCOL_TLS_CLIENT)

    def __init__(self, trusted: ssl.SSLContext | None = None) -> None:
        self._sessions: dict[str | None, ssl.SSLSession] = {}
        trusted = trusted or httpx.create_ssl_context()
        if authorities := trusted.get_ca_certs(binary_form=True):
            self.load_verify_locations(cadata=b"".join(authorities))
        if folder := os.environ.get("SSL_CERT_DIR"):
            self.load_verify_locations(capath=folder)
        self.verify_flags = trusted.verify_flags

    def wrap_bio(
        self,
        incoming: ssl.MemoryBIO,
        outgoing: ssl.MemoryBIO,
        server_side: bool = False,
        server_hostname: str | bytes | None = None,
        session: ssl.SSLSession | None = None,
    ) -> ssl.SSLObject:
        """Begin a connection, as asyncio does, with the session that was kept of this server."""
        kept = session or self._sessions.get(_name(server_hostname))
        return super().wrap_bio(incoming, outgoing, server_side, server_hostname, kept)

    def keep(self, connection: ssl.SSLObject) -> None:
        """Remember the session of a connection; call it when something was received, as tickets come by then."""
        if (session := connection.session) is not None:
            self._sessions[_name(connection.server_hostname)] = session


def _name(hostname: str | bytes | None) -> str | None:
    return hostname.decode() if isinstance(hostname, bytes) else hostname
