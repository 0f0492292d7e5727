"""The project's settings with the measured view as the only address."""

from walleweb.settings import *  # noqa: F403

ROOT_URLCONF = "benchmarks.support.drf_urls"
MIDDLEWARE: list[str] = []
