"""The tunnel over TLS, with a certificate made for the test: whom a device believes, and what it resumes."""

from __future__ import annotations

import datetime
import ssl
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.device.tunnel.cloud import serving
from walle.device.tunnel.connection import TunnelConnector
from walle.device.tunnel.tls import ResumingContext


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> Path:
    """A certificate of localhost with its key, in one file; it signs itself."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.datetime.now(datetime.UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "localhost.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM) + private)
    return path


def server_context(certificate: Path, most: ssl.TLSVersion = ssl.TLSVersion.TLSv1_3) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.maximum_version = most
    context.load_cert_chain(certificate)
    return context


def trusting(certificate: Path) -> ResumingContext:
    return ResumingContext(ssl.create_default_context(cafile=certificate))


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_a_connection_resumes_the_session_of_the_one_before(start, cloud, certificate, version):
    async with serving(cloud, ssl=server_context(certificate, version)) as base:
        tunnel = start(connector=TunnelConnector(base, tls=trusting(certificate)))
        for number in range(3):
            await tunnel.until(lambda: tunnel.service.connected, pace=1)
            tunnel.upload({"n": number})
            await tunnel.until(lambda count=number + 1: len(cloud.values) == count)
            await cloud.open[0].socket.close()
            await tunnel.until(lambda: not tunnel.service.connected)
    assert cloud.resumed == [False, True, True]
    assert tunnel.service.counts()["resumed"] == 2


async def test_a_certificate_that_nobody_vouches_for_is_not_believed(start, cloud, certificate):
    async with serving(cloud, ssl=server_context(certificate)) as base:
        tunnel = start(connector=TunnelConnector(base, tls=ResumingContext()))
        await tunnel.until(lambda: tunnel.notices)
    assert "certificate" in tunnel.notices[0].text.lower()
    assert cloud.handshakes == []


async def test_a_certificate_of_another_name_is_not_believed(start, cloud, certificate):
    async with serving(cloud, ssl=server_context(certificate)) as base:
        elsewhere = base.replace("localhost", "127.0.0.1")
        tunnel = start(connector=TunnelConnector(elsewhere, tls=trusting(certificate)))
        await tunnel.until(lambda: tunnel.notices)
    assert cloud.handshakes == []


async def test_authorities_may_be_named_as_for_other_requests(start, cloud, certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with serving(cloud, ssl=server_context(certificate)) as base:
        tunnel = start(connector=TunnelConnector(base))
        await tunnel.until(lambda: tunnel.service.connected)
