"""Fixtures of the whole test run. Tests use the real PostgreSQL; only its fsync is off."""

import inspect
import shutil
import signal
from collections.abc import Iterator

import pytest
from asgiref.sync import SyncToAsync
from django.conf import settings
from django.db import connections

from tests.support.certificates import loaded_once
from tests.support.cluster import TEST_DATABASE, copy_template
from tests.support.emptying import only_written_tables_are_emptied
from tests.support.flushing import patient_flush
from tests.support.processes import Children
from tests.tiers.tier import Tier, tier_of
from walleweb.embedded.places import find_folders
from walleweb.embedded.postgres import VOLATILE, running

pytest_plugins = ["tests.tiers.plugin"]


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[None]:
    """A PostgreSQL server for this test process (each xdist worker has its own), unless DATABASE_URL names one."""
    directory = settings.CONFIG.embedded_postgres
    if directory is None:
        yield
        return
    copy_template(directory)
    with running(directory, log=settings.WALLE_DATA_DIR / "logs" / "postgres.log", settings=VOLATILE):
        yield
    shutil.rmtree(find_folders(directory).home)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    postgres_server: None, django_db_modify_db_settings_parallel_suffix: None
) -> Iterator[None]:
    """pytest-django asks for this before it creates the test database: the server runs from here on.

    The copy of a template brings a migrated database. A server that some tests share still reads when the tables of a
    test are emptied.
    """
    from django.db import connection

    if is_copied():
        connection.settings_dict["TEST"] |= {"NAME": TEST_DATABASE, "MIGRATE": False}
    with patient_flush():
        yield


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_keepdb: bool) -> bool:
    """A copied database is taken as it is, and goes with its cluster."""
    return is_copied() or django_db_keepdb


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker) -> Iterator[None]:
    with django_db_blocker.unblock(), only_written_tables_are_emptied():
        yield


def is_copied() -> bool:
    """Whether the database comes from the template."""
    return settings.CONFIG.embedded_postgres is not None


@pytest.fixture(scope="session", autouse=True)
def certificates() -> Iterator[None]:
    """Clients of HTTP do not each load the certificates of the world."""
    with loaded_once():
        yield


@pytest.fixture(scope="session", autouse=True)
def children_hear_interrupts() -> None:
    """A shell that runs the tests in the background has SIGINT ignored, and what they start would ignore it, too."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def no_connection_outlives_an_async_test(request: pytest.FixtureRequest) -> Iterator[None]:
    """The thread of `sync_to_async` is the same in all tests, and some tests end whatever is connected."""
    yield
    is_async = inspect.iscoroutinefunction(getattr(request, "function", None))
    if is_async and settings.configured and tier_of(request.node) is not Tier.PURE:
        SyncToAsync.single_thread_executor.submit(connections.close_all).result()


@pytest.fixture
def children(tmp_path) -> Iterator[Children]:
    """Starts real processes for a test and stops those that are left when it ends."""
    started = Children(logs=tmp_path / "processes")
    yield started
    started.stop_all()
