"""Claim: 500 people may keep the dashboard open on one process, and see what happens within a quarter of a second.

Live channel: 500 sockets subscribe to a release and to the list of moves while 25 moves a second are committed and the
release's gauge changes twice a second, so that every client gets ten coalesced frames a second, as many as it may. The
server has one core; clients, the writer and PostgreSQL share the other. Delivery is from commit to client. Beside it,
in the same run: a bare ASGI application on the same server that sends a text of the same length to as many sockets as
often, and the same channel with permessage-deflate.
"""

from __future__ import annotations

import sys

from benchmarks.support.cores import leave_core_to_servers
from benchmarks.support.dashboard import live
from benchmarks.support.outcome import print_outcome
from benchmarks.support.walle import temporary_walle


def main() -> int:
    leave_core_to_servers()
    with temporary_walle() as folder:
        figures = live.measure(folder)
    return 0 if print_outcome("dashboard", figures, live.TARGETS) else 1


if __name__ == "__main__":
    sys.exit(main())
