"""The shipped nginx configuration, run by a real nginx on other ports and with a certificate of its own."""

import datetime
import ipaddress
import os
import re
import shutil
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from walleweb.config import BASE_DIR

SHIPPED = BASE_DIR / "deploy" / "nginx"
PROGRAM = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
_LETS_ENCRYPT = "/etc/letsencrypt/live/walle.example.com"
_MAIN = """
daemon off;
{user}
worker_processes 2;
pid {folder}/nginx.pid;
error_log stderr warn;
events {{ worker_connections 1024; }}
http {{
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  include {folder}/walle.conf;
}}
"""


def write_configuration(folder: Path, *, https: int, http: int, servers: tuple[int, int]) -> Path:
    """The shipped files with everything replaced that a test cannot have; nothing of it may be missing there."""
    make_certificate(folder)
    text = (SHIPPED / "walle.conf").read_text()
    places = {
        "listen 443 ssl http2;": f"listen 127.0.0.1:{https} ssl http2;",
        "listen 80;": f"listen 127.0.0.1:{http};",
        "    listen [::]:443 ssl http2;\n": "",
        "    listen [::]:80;\n": "",
        "server_name walle.example.com;": "server_name localhost;",
        f"{_LETS_ENCRYPT}/fullchain.pem": f"{folder}/certificate.pem",
        f"{_LETS_ENCRYPT}/privkey.pem": f"{folder}/key.pem",
        "/var/cache/nginx/walle": f"{folder}/cache",
        "/var/log/nginx/walle.log": f"{folder}/access.log",
        "include walle-proxy.conf;": f"include {SHIPPED}/walle-proxy.conf;",
        "127.0.0.1:8101": f"127.0.0.1:{servers[0]}",
        "127.0.0.1:8102": f"127.0.0.1:{servers[1]}",
        "127.0.0.1:8001": f"127.0.0.1:{servers[0]}",
        "127.0.0.1:8002": f"127.0.0.1:{servers[1]}",
    }
    for shipped, used in places.items():
        assert shipped in text, shipped
        text = text.replace(shipped, used)
    assert not re.search(r"example\.com|/etc/|/var/", re.sub("#.*", "", text))
    (folder / "walle.conf").write_text(text)
    # The folder of a test is closed to everybody else.
    user = "" if os.geteuid() else "user root;"
    (folder / "nginx.conf").write_text(_MAIN.format(folder=folder, user=user))
    return folder / "nginx.conf"


def make_certificate(folder: Path) -> None:
    """A certificate for localhost that only this test trusts."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    today = datetime.datetime.now(datetime.UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(today - datetime.timedelta(days=1))
        .not_valid_after(today + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "certificate.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "key.pem").write_bytes(private)


def trusting(folder: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(folder / "certificate.pem"))
