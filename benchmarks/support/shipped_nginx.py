"""The shipped nginx configuration on other ports, with a certificate of its own."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
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


def write_configuration(
    folder: Path, *, https: int, http: int, servers: Sequence[int], web: Sequence[int] = ()
) -> Path:
    """The shipped files with everything replaced that a test cannot have; nothing of it may be missing there.

    `servers` answer devices, and people and predictions too where no `web` servers do.
    """
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
        _upstream(8101, 8102): _upstream(*servers),
        _upstream(8201, 8202): _upstream(*servers),
        _upstream(8001, 8002): _upstream(*(web or servers)),
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


def _upstream(*ports: int) -> str:
    return "".join(f"    server 127.0.0.1:{port} max_fails=1 fail_timeout=5s;\n" for port in ports)
