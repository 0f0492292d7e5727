"""The web half: settings, addresses, the ASGI application, Celery, and the services that `make run` embeds."""

import gc

# Django and what belongs to it are a million objects that stay. By default the interpreter stops to look for garbage
# after every 700 new ones, which takes a fifth of the time that a process needs to load them.
gc.set_threshold(20_000, 10, 10)

# Code with Walle's settings may enqueue jobs, so Celery has to know its application.
from walleweb.celery import app as celery_app  # noqa: E402

__all__ = ["celery_app"]
