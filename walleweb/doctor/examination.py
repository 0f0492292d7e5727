"""All checks in the order in which one would mend what they find."""

from collections.abc import Iterator
from datetime import datetime

from django.core.checks import run_checks

from walleweb.config import Config
from walleweb.doctor import database, places, work
from walleweb.doctor.findings import Finding, Health, missing, ok
from walleweb.doctor.settings import check_settings


def examine(config: Config, now: datetime) -> Iterator[Finding]:
    """Yield what each check found, as soon as it has."""
    yield from check_settings(config)
    yield check_django()
    yield from places.check_folders()
    yield from places.check_stores()
    yield from places.check_pages(collected=config.embedded_postgres is None)
    yield work.check_broker()
    yield work.check_mail()
    yield work.check_sandbox()
    reachable = database.check_reachable()
    yield reachable
    if reachable.health is Health.OK:
        yield database.check_clock(now)
        migrations = database.check_migrations()
        yield migrations
        if migrations.health is not Health.MISSING:
            yield from database.check_contents()
            yield from work.check_workers(now)
            yield from work.check_jobs(now)


def check_django() -> Finding:
    """Make Django's own checks of models, addresses and settings."""
    errors = [found for found in run_checks() if found.is_serious() and not found.is_silenced()]
    if errors:
        return missing("code", str(errors[0].msg), "is this a whole copy of one version? python manage.py check")
    return ok("code", "Django has nothing against it")
