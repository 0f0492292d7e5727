"""The web half: settings, addresses, the ASGI application, Celery, and the services that `make run` embeds."""

# Code with Walle's settings may enqueue jobs, so Celery has to know its application.
from walleweb.celery import app as celery_app

__all__ = ["celery_app"]
