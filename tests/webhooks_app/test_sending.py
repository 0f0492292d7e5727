"""Requests to real servers: where they may go, how long they may take, what may come back."""

import asyncio
import socket
import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address, ip_network

import httpcore
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.webhooks_app.receiver import receiving
from walle.webhooks.addresses import Reach
from webhooks_app.sending import MOST_ADDRESSES, WebhookSender

PUBLIC = Reach()
HERE = Reach((ip_network("127.0.0.0/8"), ip_network("::1/128")))
REFUSED = "leads to an address that webhooks do not reach (WALLE_WEBHOOK_NETWORKS)"


def post(sender, url):
    return asyncio.run(sender.send(url, {"content-type": "application/json"}, b"{}"))


class Names:
    """A name server under an attacker's hand: each question gets the next answer, the last one for ever."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), 0

    async def __call__(self, host, port):
        self.asked += 1
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class Network(httpcore.AnyIOBackend):
    """Notes which addresses are connected to, and connects to a server here instead."""

    def __init__(self, port):
        self.port, self.connected = port, []

    async def connect_tcp(self, host, port, **options):
        self.connected.append(host)
        if host == "192.0.2.254":
            raise httpcore.ConnectError("unreachable")
        return await super().connect_tcp("127.0.0.1", self.port, **options)


class Nowhere(Network):
    """No address answers."""

    async def connect_tcp(self, host, port, **options):
        self.connected.append(host)
        raise httpcore.ConnectError("unreachable")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate of hooks.example and its key, signed by itself."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "hooks")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), 1, now - timedelta(1), now + timedelta(1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("hooks.example")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "hooks.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return file


@pytest.fixture
def secure(certificate):
    """A receiver with TLS, and what trusts it."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    with receiving(trust=context) as started:
        started.trusted = ssl.create_default_context(cafile=certificate)
        yield started


@pytest.mark.parametrize(
    "host",
    ["localhost", "127.0.0.1", "127.1", "0", "2130706433", "0x7f000001", "0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]"],
)
def test_no_way_of_writing_this_machine_leads_to_it(host, receiver):
    answer = post(WebhookSender(PUBLIC), f"https://{host}:{receiver.port}/")
    assert (answer.status, receiver.received) == (None, [])
    assert "webhooks do not reach" in answer.error or "leads to no address" in answer.error


def test_a_name_that_leads_here_leads_nowhere(receiver):
    for address in ("127.0.0.1", "::1", "::ffff:127.0.0.1", "10.0.0.1", "169.254.169.254", "64:ff9b::a00:1"):
        names, network = Names([address]), Network(receiver.port)
        answer = post(WebhookSender(PUBLIC, resolve=names, network=network), "https://hooks.example/")
        assert answer.error == f"hooks.example {REFUSED}"
        assert (network.connected, receiver.received) == ([], [])


def test_a_name_that_leads_elsewhere_a_moment_later_changes_nothing(secure):
    names, network = Names(["192.88.99.1", "8.8.8.8"], ["127.0.0.1"]), Network(secure.port)
    answer = post(WebhookSender(PUBLIC, resolve=names, network=network, trust=secure.trusted), "https://hooks.example/")
    assert answer.status == 200
    assert names.asked == 1
    assert all(ip_address(address).is_global for address in network.connected)
    assert len(network.connected) == 1


def test_of_several_addresses_only_the_public_ones_are_tried(secure):
    names, network = Names(["10.0.0.1", "8.8.8.8", "::1", "1.1.1.1"]), Network(secure.port)
    post(WebhookSender(PUBLIC, resolve=names, network=network, trust=secure.trusted), "https://hooks.example/")
    assert network.connected == ["8.8.8.8"]


def test_the_next_address_is_tried_when_one_does_not_answer(secure):
    reach = Reach((ip_network("192.0.2.0/24"),))
    names, network = Names(["192.0.2.254", "192.0.2.1"]), Network(secure.port)
    answer = post(WebhookSender(reach, resolve=names, network=network, trust=secure.trusted), "https://hooks.example/")
    assert (answer.status, network.connected) == (200, ["192.0.2.254", "192.0.2.1"])


def test_a_name_with_many_addresses_is_tried_a_few_times():
    names, network = Names([f"192.88.98.{number}" for number in range(1, 200)]), Nowhere(0)
    answer = post(WebhookSender(PUBLIC, resolve=names, network=network), "https://hooks.example/")
    assert "unreachable" in answer.error
    assert len(network.connected) == MOST_ADDRESSES


def test_redirections_are_not_followed(receiver):
    with receiving() as inner:
        receiver.answers = [f"HTTP/1.1 307 X\r\nlocation: {inner.url}\r\ncontent-length: 0\r\n\r\n".encode()]
        answer = post(WebhookSender(HERE), receiver.url)
        assert (answer.status, answer.error) == (307, "redirects are not followed")
        assert (len(receiver.received), inner.received) == (1, [])


def test_what_was_opened_may_be_closed_again(receiver):
    assert post(WebhookSender(HERE), receiver.url).status == 200
    assert "https://" in post(WebhookSender(PUBLIC), receiver.url).error
    assert len(receiver.received) == 1


def test_the_certificate_must_be_that_of_the_name(secure):
    sender = WebhookSender(HERE, resolve=Names(["127.0.0.1"]), trust=secure.trusted)
    assert post(sender, f"https://hooks.example:{secure.port}/").status == 200
    assert secure.received[0].headers["host"] == f"hooks.example:{secure.port}"
    wrong = post(sender, f"https://other.example:{secure.port}/")
    assert (wrong.status, len(secure.received)) == (None, 1)
    assert "CERTIFICATE_VERIFY_FAILED" in wrong.error
    assert "CERTIFICATE_VERIFY_FAILED" in post(WebhookSender(HERE), secure.url).error


def test_proxies_of_the_environment_are_not_asked(receiver, monkeypatch):
    with receiving() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        assert post(WebhookSender(HERE), receiver.url).status == 200
        assert proxy.received == []


def test_an_ipv6_receiver_is_named_in_brackets():
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as server:
        server.settimeout(10)

        async def exchange():
            url = f"http://[::1]:{server.getsockname()[1]}/x"
            sending = asyncio.create_task(WebhookSender(HERE).send(url, {}, b"{}"))
            connection, _ = await asyncio.to_thread(server.accept)
            with connection:
                asked = await asyncio.to_thread(connection.recv, 4096)
                connection.sendall(b"HTTP/1.1 204 X\r\n\r\n")
                return asked, await sending

        asked, answer = asyncio.run(exchange())
    assert b"[::1]:" in asked
    assert answer.status == 204


@pytest.mark.parametrize(
    ("wrote", "error"),
    [
        (b"", "no answer within"),
        (b"HTTP/1.1 200", "no answer within"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc", "no answer within"),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n", "no answer within"),
        (b"HTTP/1.1 200 OK\r\nx: " + b"y" * 200_000, "RemoteProtocolError"),
        (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", "RemoteProtocolError"),
    ],
)
def test_whoever_answers_halfway_or_nonsense_is_left_in_time(wrote, error):
    with socket.create_server(("127.0.0.1", 0)) as server:

        async def exchange():
            url = f"http://127.0.0.1:{server.getsockname()[1]}/"
            sending = asyncio.create_task(WebhookSender(HERE, timeout_s=0.4).send(url, {}, b"{}"))
            connection, _ = await asyncio.to_thread(server.accept)
            with connection:
                await asyncio.to_thread(connection.sendall, wrote)
                return await sending

        answer = asyncio.run(exchange())
    assert answer.status is None
    assert answer.error.startswith(error)


def test_drops_cannot_stretch_the_time():
    """One byte now and then would keep a limit on each reading from ever being met."""

    async def trickle(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
        for _ in range(1000):
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.02)

    async def exchange():
        server = await asyncio.start_server(trickle, "127.0.0.1")
        async with server:
            port = server.sockets[0].getsockname()[1]
            return await WebhookSender(HERE, timeout_s=0.5).send(f"http://127.0.0.1:{port}/", {}, b"{}")

    answer = asyncio.run(exchange())
    assert (answer.status, answer.error) == (None, "no answer within 0.5 s")


def test_a_name_server_that_does_not_answer_is_left_in_time():
    async def never(host, port):
        await asyncio.sleep(60)
        return []

    answer = post(WebhookSender(PUBLIC, timeout_s=0.2, resolve=never), "https://hooks.example/")
    assert answer.error == "no answer within 0.2 s"


def test_a_name_that_nobody_knows_is_an_error_like_others():
    async def unknown(host, port):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    answer = post(WebhookSender(PUBLIC, resolve=unknown), "https://hooks.example/")
    assert answer.error == "the name hooks.example leads to no address: Name or service not known"


def test_long_answers_are_not_read_to_their_end(receiver):
    receiver.answers = [b"HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n" + b"z" * 3_000_000]
    answer = post(WebhookSender(HERE), receiver.url)
    assert (answer.status, answer.answer) == (200, "z" * 1024)
