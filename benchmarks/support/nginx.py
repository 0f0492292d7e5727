"""Debian's nginx, configured to send large files as fast as it can, as a peer of the gateway."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.support.walle import Server, free_port, wait_for_port

MISSING = "this benchmark needs nginx as the peer: apt-get install -y nginx-light"
# Sendfile writes from the page cache; each variant alternates between connections in another way.
TUNINGS = {
    "nginx": "sendfile on; sendfile_max_chunk 1m;",
    "nginx threads": "sendfile on; sendfile_max_chunk 1m; aio threads;",
    "nginx buffers": "sendfile off; output_buffers 2 1m;",
}

_CONFIGURATION = """
daemon off;
user root;
worker_processes {workers};
pid {folder}/nginx.pid;
error_log stderr error;
events {{ worker_connections 4096; use epoll; multi_accept on; }}
http {{
  access_log off;
  tcp_nopush on;
  tcp_nodelay on;
  keepalive_requests 1000000;
  open_file_cache max=1000 inactive=60s;
  default_type application/octet-stream;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    root {root};
    etag off;
    {tuning}
  }}
}}
"""


@contextlib.contextmanager
def nginx(root: Path, tuning: str, *, cpus: Sequence[int]) -> Iterator[Server]:
    """Run nginx on the given CPUs, with one worker for each, serving the files under `root`."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        raise SystemExit(MISSING)
    port = free_port()
    folder = root.with_name(f"{root.name}-{port}")
    folder.mkdir()
    configuration = folder / "nginx.conf"
    configuration.write_text(
        _CONFIGURATION.format(folder=folder, root=root, port=port, tuning=tuning, workers=len(cpus))
    )
    process = subprocess.Popen([program, "-c", configuration, "-p", folder])
    os.sched_setaffinity(process.pid, cpus)
    try:
        wait_for_port(port, process)
        for child in _workers(process.pid):
            os.sched_setaffinity(child, cpus)
        yield Server(port, process)
    finally:
        process.terminate()
        process.wait(20)


def _workers(parent: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
