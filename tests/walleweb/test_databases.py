"""One address in the forms that Django, Celery and Channels want."""

import psycopg
import pytest
from django.db import connection
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import create_engine, text

from walleweb.databases import broker_url, channel_layer, django_database, libpq_variables, plain_url

ADDRESSES = [
    "postgresql://walle:p%40ss%2Fword@/walle?host=/var/run/x",
    "postgresql://walle:secret@db.example:5433/walle?sslmode=require",
    "postgresql://walle@[::1]:5432/walle",
    "postgresql:///walle",
    "postgresql://walle:secret@a.example:5432,b.example:5433/walle?target_session_attrs=read-write&sslmode=require",
    "postgresql://walle@/walle?host=/run/a,/run/b&target_session_attrs=read-write",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_survives_the_way_through_django(address):
    assert conninfo_to_dict(plain_url(django_database(address, pool=0))) == conninfo_to_dict(address)


def test_programs_of_postgresql_are_told_which_of_several_servers_is_meant():
    assert libpq_variables(ADDRESSES[4]) == {
        "PGUSER": "walle",
        "PGPASSWORD": "secret",
        "PGHOST": "a.example,b.example",
        "PGPORT": "5432,5433",
        "PGDATABASE": "walle",
        "PGTARGETSESSIONATTRS": "read-write",
        "PGSSLMODE": "require",
    }


def test_a_pool_is_asked_for_only_when_it_has_a_size():
    assert "pool" not in django_database(ADDRESSES[0], pool=0)["OPTIONS"]
    assert django_database(ADDRESSES[0], pool=8)["OPTIONS"]["pool"]["max_size"] == 8


def test_a_pool_gives_up_connecting_before_those_who_wait_so_that_the_next_one_makes_it_try_at_once():
    pool = django_database(ADDRESSES[0], pool=8)["OPTIONS"]["pool"]
    assert pool["reconnect_timeout"] < pool["timeout"] < 10


def test_redis_takes_over_when_it_is_there():
    database = django_database(ADDRESSES[0], pool=0)
    assert broker_url(database, redis_url="redis://r") == "redis://r"
    assert channel_layer(database, redis_url="redis://r")["CONFIG"]["hosts"] == ["redis://r"]


@pytest.mark.django_db
def test_every_form_reaches_the_same_database():
    settings = connection.settings_dict
    name = connection.settings_dict["NAME"]
    with psycopg.connect(plain_url(settings)) as direct:
        assert direct.execute("SELECT current_database()").fetchone() == (name,)
    engine = create_engine(broker_url(settings, redis_url="").removeprefix("walle+"))
    with engine.connect() as through_sqlalchemy:
        assert through_sqlalchemy.execute(text("SELECT current_database()")).scalar() == name
        assert through_sqlalchemy.execute(text("SHOW synchronous_commit")).scalar() == "off"
    engine.dispose()
