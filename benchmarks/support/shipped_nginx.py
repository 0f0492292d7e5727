"""The shipped nginx configuration on other ports, with a certificate of its own."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from benchmarks.support.certificate import make_certificate
from benchmarks.support.walle import ROOT

SHIPPED: Final = ROOT / "deploy" / "nginx"
_LETS_ENCRYPT = "/etc/letsencrypt/live/walle.example.com"
_MAIN = """
daemon off;
{user}
worker_processes 2;
pid {folder}/nginx.pid;
error_log stderr warn;
events {{ worker_connections 1024; }}
http {{
  types {{ text/css css; application/javascript js; image/svg+xml svg; }}
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
        "/var/lib/walle-static/": f"{folder}/static/",
        "include walle-proxy.conf;": f"include {SHIPPED}/walle-proxy.conf;",
        "127.0.0.1:8101": f"127.0.0.1:{servers[0]}",
        "127.0.0.1:8102": f"127.0.0.1:{servers[1]}",
        "127.0.0.1:8201": f"127.0.0.1:{servers[0]}",
        "127.0.0.1:8202": f"127.0.0.1:{servers[1]}",
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
