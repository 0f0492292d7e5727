"""The network to PostgreSQL is cut without a word: no packet comes any more, not even one that says so."""

import json
import os
import shutil
import subprocess
import sys
from urllib.parse import urlencode

import pytest
from django.db import connection

from tests.support.processes import child_environment
from tests.walleweb.silent_network import PORT, THEIR_ADDRESS
from walleweb.databases import NETWORK_TIMEOUTS, channel_layer, django_database, plain_url

pytestmark = pytest.mark.django_db(transaction=True)

NAMESPACE = ("unshare", "-n" if os.geteuid() == 0 else "-rn")
SHORT = {
    "connect_timeout": 2,
    "tcp_user_timeout": 2_000,
    "keepalives_idle": 1,
    "keepalives_interval": 1,
    "keepalives_count": 2,
}
"""What Walle sets, in less time."""


def can_make_networks():
    if not all(map(shutil.which, ("unshare", "nsenter", "ip"))):
        return False
    return subprocess.run((*NAMESPACE, "true"), check=False, capture_output=True).returncode == 0


@pytest.mark.skipif(not can_make_networks(), reason="no network namespaces here: apt-get install -y iproute2, on Linux")
def test_whoever_waits_asks_or_connects_gets_an_error_within_seconds():
    database = connection.settings_dict
    folder, port = database["HOST"], database["PORT"] or 5432
    across = f"{plain_url(database | {'HOST': THEIR_ADDRESS, 'PORT': str(PORT)})}?{urlencode(SHORT)}"
    done = subprocess.run(
        (*NAMESPACE, sys.executable, "-m", "tests.walleweb.silent_network", f"{folder}/.s.PGSQL.{port}"),
        env=child_environment() | {"DATABASE_URL": across},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout.splitlines()[-1])) == {"waits", "asks", "connects"}, done.stderr


def test_every_connection_has_what_ends_it_within_seconds():
    assert django_database("postgresql://walle@db.example/walle", pool=0)["OPTIONS"].items() >= NETWORK_TIMEOUTS.items()
    assert set(NETWORK_TIMEOUTS) == set(SHORT)


def test_whoever_knows_better_says_so_in_the_address():
    address = "postgresql://walle@db.example/walle?keepalives_idle=60&connect_timeout=20"
    options = django_database(address, pool=0)["OPTIONS"]
    assert (options["keepalives_idle"], options["connect_timeout"]) == ("60", "20")


def test_the_channel_layer_listens_as_watchfully():
    layer = channel_layer(django_database("postgresql://walle@db.example/walle", pool=8), redis_url="")
    assert layer["CONFIG"]["OPTIONS"].items() >= NETWORK_TIMEOUTS.items()
